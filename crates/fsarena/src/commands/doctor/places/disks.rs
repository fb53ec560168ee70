//! Disks and partitions: free ones are places for lanes, the others are listed with the reason why they are not.

use std::path::{Path, PathBuf};

use fsarena_lane::disk::{self, DiskRefusal};
use fsarena_model::Bytes;

use super::RatedPlace;
use super::rank::Footing;
use crate::commands::doctor::page::DoctorLine;

/// The free disks and all disks in `asked`, and a line for each other disk.
pub fn candidates(asked: &[PathBuf]) -> (Vec<RatedPlace>, Vec<DoctorLine>) {
    let (mut places, mut lines) = (Vec::new(), Vec::new());
    match disk::all() {
        Err(why) => lines.push(DoctorLine::note("unused disks", format!("not looked for: {why}"))),
        Ok(paths) => {
            for path in paths.iter().filter(|path| !asked.contains(path)) {
                match disk::look(path) {
                    Ok((size, id)) => places.push(free(path, size, &id)),
                    Err(refusal) => lines.push(not_offered(path, refusal)),
                }
            }
        }
    }
    places.extend(asked.iter().map(|path| place(path)));
    (places, lines)
}

fn free(path: &Path, size: Bytes, id: &str) -> RatedPlace {
    RatedPlace {
        option: path.display().to_string(),
        footing: Footing::Disk,
        description: format!("a disk or partition, ID {id}"),
        free: Some(size),
        reserve: Bytes(2 * disk::EDGE),
        obstacle: None,
        direct: None,
        cost: Err("not measured: doctor writes nothing to a disk".to_owned()),
        device: None,
        folder: None,
    }
}

fn place(path: &Path) -> RatedPlace {
    match disk::look(path) {
        Ok((size, id)) => free(path, size, &id),
        Err(refusal) => {
            let (id, obstacle) = match refusal {
                DiskRefusal::InUse(why) => ("unknown".to_owned(), why),
                DiskRefusal::HoldsData { what, id } => {
                    let obstacle = format!("it holds data: {what} (if all of it may be lost: --erase {id})");
                    (id, obstacle)
                }
            };
            let obstacle = Some(obstacle);
            RatedPlace { free: disk::size_at(path), obstacle, ..free(path, Bytes(0), &id) }
        }
    }
}

fn not_offered(path: &Path, refusal: DiskRefusal) -> DoctorLine {
    let subject = path.display().to_string();
    match refusal {
        DiskRefusal::InUse(why) => DoctorLine::note(subject, format!("not offered: {why}")),
        DiskRefusal::HoldsData { what, id } => {
            DoctorLine::note(&subject, format!("not offered: it holds data: {what}"))
                .hint(format!("if all of it may be lost: --storage {subject} --erase {id}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_is_not_offered_says_why_and_how_to_give_it_up() {
        let line = |refusal| format!("{:?}", not_offered(Path::new("/dev/sdb"), refusal));
        assert!(line(DiskRefusal::InUse("it is mounted at /".to_owned())).contains("not offered: it is mounted at /"));
        let data = DiskRefusal::HoldsData { what: "blkid finds TYPE=ext4".to_owned(), id: "Disk_12".to_owned() };
        let text = line(data);
        assert!(text.contains("TYPE=ext4") && text.contains("--storage /dev/sdb --erase Disk_12"), "{text}");
    }

    #[test]
    fn a_disk_that_was_asked_for_is_shown_with_its_obstacle() {
        let place = place(Path::new("/dev/null"));
        assert_eq!(place.obstacle.as_deref(), Some("it is not a block device"));
        assert!(place.refusal().is_some());
    }
}
