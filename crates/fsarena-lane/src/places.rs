//! Places for lanes: which exist, the cost of a write and flush in each, and the best one.

mod folders;
mod measure;
mod rank;

use std::path::{Path, PathBuf};

use fsarena_model::{Bytes, Nanos, Storage};
use fsarena_sys::{clock, memory};

use crate::{LaneError, disk};

pub use measure::PlaceFindings;
pub use rank::Footing;

/// Three contenders and a calibration device.
pub const LANES: u64 = 4;
/// The size of each, as a comparison makes them by default.
pub const LANE_SIZE: Bytes = Bytes::gib(2);

/// Space that images leave free on their file system.
const RESERVE: Bytes = Bytes::mib(256);

/// After this time no further place is measured.
const TIME: Nanos = Nanos::seconds(5);

/// A place, and the findings about it.
#[derive(Debug)]
pub struct RatedPlace {
    /// The value for `--storage`.
    pub option: String,
    /// The storage beneath the lanes.
    pub footing: Footing,
    /// File system and device, in words.
    pub description: String,
    /// Space for lanes that is available to an unprivileged user; `None` if it could not be read.
    pub free: Option<Bytes>,
    /// Space that has to remain free in addition to the lanes.
    pub reserve: Bytes,
    /// The device whose counters are in the cost; `None` unless there is exactly one.
    pub device: Option<String>,
    /// What was measured.
    pub found: PlaceFindings,
}

impl RatedPlace {
    /// Space that lanes need.
    pub fn needed(&self) -> Bytes {
        Bytes(LANE_SIZE.0 * LANES + self.reserve.0)
    }

    /// Whether there is room for lanes; `true` if the free space is unknown, so that the place is listed.
    fn has_room(&self) -> bool {
        self.free.is_none_or(|free| free >= self.needed())
    }

    /// Whether lanes can be here.
    pub fn is_usable(&self) -> bool {
        self.found.obstacle.is_none() && self.has_room()
    }
}

/// What was found on this machine.
#[derive(Debug, Default)]
pub struct FoundPlaces {
    /// Best first.
    pub places: Vec<RatedPlace>,
    /// Folders of file systems without room for lanes.
    pub without_room: Vec<PathBuf>,
    /// Why further disks are no places.
    pub not_offered: Vec<LaneError>,
    /// Why the table of mounts could not be read.
    pub no_mounts: Option<String>,
    /// Why unused disks were not looked for.
    pub no_disks: Option<String>,
}

/// Looks for places, besides the storage that the user has `asked` for. Changes nothing: files that are written for
/// measurements have no name and vanish when they are closed.
pub fn look(asked: &Storage) -> FoundPlaces {
    let mut found = FoundPlaces::default();
    let deadline = clock::now() + TIME;
    let directory = if let Storage::Directory(path) = asked { Some(path.as_path()) } else { None };
    match folders::candidates(directory) {
        Ok(folders) => {
            for (existing, mut place, is_asked) in folders {
                match is_asked || place.has_room() {
                    true => {
                        place.found = measure::in_folder(&existing, deadline);
                        found.places.push(place);
                    }
                    false => found.without_room.push(existing),
                }
            }
        }
        Err(error) => found.no_mounts = Some(error.to_string()),
    }
    found.places.push(in_memory());
    match disk::all() {
        Err(why) => found.no_disks = Some(why),
        Ok(paths) => {
            for path in paths.into_iter().filter(|path| !asked.disks().contains(path)) {
                match disk::look(&path) {
                    Ok((size, id)) => found.places.push(on_disk(&path, Some(size), &id)),
                    Err(refusal) => found.not_offered.push(refusal),
                }
            }
        }
    }
    found.places.extend(asked.disks().iter().map(|path| asked_disk(path)));
    rank::sort(&mut found.places);
    found
}

fn in_memory() -> RatedPlace {
    RatedPlace {
        option: "memory".to_owned(),
        footing: Footing::Memory,
        description: "a tmpfs of the run's own".to_owned(),
        free: memory::available(),
        reserve: RESERVE,
        device: None,
        found: measure::in_memory(),
    }
}

fn on_disk(path: &Path, size: Option<Bytes>, id: &str) -> RatedPlace {
    RatedPlace {
        option: path.display().to_string(),
        footing: Footing::Disk,
        description: format!("a disk or partition, ID {id}"),
        free: size,
        reserve: Bytes(2 * disk::EDGE),
        device: None,
        found: PlaceFindings::unmeasured("doctor writes nothing to a disk"),
    }
}

/// A disk that the user has asked for: a place even if it is not free, with its obstacle.
fn asked_disk(path: &Path) -> RatedPlace {
    let (id, obstacle) = match disk::look(path) {
        Ok((size, id)) => return on_disk(path, Some(size), &id),
        Err(LaneError::DiskHoldsData { what, id, .. }) => {
            let obstacle = format!("it holds data: {what} (if all of it may be lost: --erase {id})");
            (id, obstacle)
        }
        Err(LaneError::DiskInUse { why, .. }) => ("unknown".to_owned(), why),
        Err(error) => ("unknown".to_owned(), error.to_string()),
    };
    let mut place = on_disk(path, disk::size_at(path), &id);
    place.found.obstacle = Some(obstacle);
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_was_asked_for_is_shown_with_its_obstacle() {
        let place = asked_disk(Path::new("/dev/null"));
        assert_eq!(place.found.obstacle.as_deref(), Some("it is not a block device"));
        assert!(!place.is_usable());
    }
}
