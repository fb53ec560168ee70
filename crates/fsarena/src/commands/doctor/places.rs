//! Places for lanes: which exist, the cost of a write and flush in each, and the best one.

mod disks;
mod folders;
mod measure;
mod rank;
mod trust;
mod words;

use std::path::{Path, PathBuf};

use folders::Folder;
use fsarena_model::{Bytes, LaneCost, Nanos, Storage};
use fsarena_sys::clock;
use rank::Footing;
use trust::Trust;

use super::page::{DoctorLine, Topic};

/// Three contenders and a calibration device, 2 GiB each, as `compare ext4 xfs btrfs` makes them.
const LANES: u64 = 4;
const LANE_SIZE: Bytes = Bytes::gib(2);

/// Space that images leave free on their file system.
const RESERVE: Bytes = Bytes::mib(256);

/// After this time no further place is measured.
const TIME: Nanos = Nanos::seconds(5);

/// A place, and the findings about it.
#[derive(Debug)]
struct RatedPlace {
    /// The value for `--storage`.
    option: String,
    /// The storage beneath the lanes.
    footing: Footing,
    /// File system and device, in words.
    description: String,
    /// Free space for lanes; `None` if it could not be read.
    free: Option<Bytes>,
    /// Space that has to remain free in addition to the lanes.
    reserve: Bytes,
    /// Why lanes cannot be here, regardless of free space.
    obstacle: Option<String>,
    /// Whether a file could be opened for direct I/O; `None` if that was not tried.
    direct: Option<bool>,
    /// The cost of a write and flush; `Err` holds the reason if it is unknown.
    cost: Result<LaneCost, String>,
    /// The device whose counters are in `cost`.
    device: Option<String>,
    /// The folder in which `cost` was measured.
    folder: Option<PathBuf>,
}

impl RatedPlace {
    fn needed(&self) -> Bytes {
        Bytes(LANE_SIZE.0 * LANES + self.reserve.0)
    }

    /// Why lanes cannot be here; `None` if they can.
    fn refusal(&self) -> Option<String> {
        let full = || {
            let free = self.free.filter(|free| *free < self.needed())?;
            Some(format!("no room: {LANES} lanes of {} need {}, and {free} are free", words::lane(), self.needed()))
        };
        self.obstacle.clone().or_else(full)
    }

    /// How far flushes and device reads can be trusted here. The test takes too long for all places.
    fn trust(&self) -> Option<Trust> {
        let device = match self.footing {
            Footing::Memory => return None,
            Footing::Disk => Some(PathBuf::from(&self.option)),
            _ => self.device.as_ref().map(|name| Path::new("/dev").join(name)),
        };
        self.refusal().is_none().then(|| trust::look(self.folder.as_deref(), device.as_deref()))
    }
}

/// The places, best first, and the `--storage` value of the best one.
pub fn section(asked: &str) -> (Topic, Option<String>) {
    let mut lines = Vec::new();
    let places = gather(asked, &mut lines);
    let order = rank::order(&places.iter().map(RatedPlace::standing).collect::<Vec<_>>());
    let best = order.first().filter(|best| best.tier != rank::PlaceTier::Unusable).map(|best| best.index);
    let ranked = order.iter().map(|ranked| {
        let is_best = best == Some(ranked.index);
        let place = &places[ranked.index];
        let trust = (is_best || place.option == asked).then(|| place.trust()).flatten();
        words::line(place, ranked, trust.as_ref(), is_best)
    });
    let lines = ranked.chain(lines).collect();
    (Topic { title: "Places for lanes, best first", lines }, best.map(|best| places[best].option.clone()))
}

impl RatedPlace {
    fn standing(&self) -> rank::PlaceStanding {
        let cost = self.cost.as_ref().ok().map(|cost| cost.back_to_back.max(cost.paced));
        rank::PlaceStanding { footing: self.footing, usable: self.refusal().is_none(), cost }
    }
}

/// All places; errors are added to `lines`.
fn gather(asked: &str, lines: &mut Vec<DoctorLine>) -> Vec<RatedPlace> {
    let storage = Storage::from(asked);
    let mut places = Vec::new();
    let deadline = clock::now() + TIME;
    let directory = if let Storage::Directory(path) = &storage { Some(path.clone()) } else { None };
    match folders::candidates(directory.as_deref()) {
        Ok(folders) => {
            let (roomy, full): (Vec<Folder>, _) =
                folders.into_iter().partition(|folder| folder.asked || has_room(folder));
            places.extend(roomy.into_iter().map(|folder| folder_place(folder, deadline)));
            lines.extend(words::full(&full));
        }
        Err(error) => lines.push(DoctorLine::note("mounts", format!("could not be read: {error}"))),
    }
    places.push(memory_place());
    let (disks, others) = disks::candidates(storage.disks());
    places.extend(disks);
    lines.extend(others);
    places
}

/// Whether the folder has room for lanes; true if the free space is unknown, so that the place is listed.
fn has_room(folder: &Folder) -> bool {
    folder.free.is_none_or(|free| free.0 >= LANE_SIZE.0 * LANES + RESERVE.0)
}

fn folder_place(folder: Folder, deadline: Nanos) -> RatedPlace {
    let found = measure::in_folder(&folder.existing, deadline);
    RatedPlace {
        option: folder.option.display().to_string(),
        footing: folder.footing,
        description: folder.description,
        free: folder.free,
        reserve: RESERVE,
        obstacle: found.obstacle,
        direct: found.direct,
        cost: found.cost,
        device: folder.device,
        folder: Some(folder.existing),
    }
}

fn memory_place() -> RatedPlace {
    let found = measure::in_memory();
    RatedPlace {
        option: "memory".to_owned(),
        footing: Footing::Memory,
        description: "a tmpfs of the run's own".to_owned(),
        free: fsarena_sys::memory::available(),
        reserve: RESERVE,
        obstacle: found.obstacle,
        direct: found.direct,
        cost: found.cost,
        device: None,
        folder: None,
    }
}
