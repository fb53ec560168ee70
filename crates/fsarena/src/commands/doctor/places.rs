//! Places for lanes: the cost of a write and flush in each, and the best one.

use fsarena_lane::LaneError;
use fsarena_lane::places::{self, Footing, FoundPlaces, LANE_SIZE, LANES, RatedPlace};
use fsarena_model::units::significant;
use fsarena_model::{Bytes, LaneCost, Storage, joined};

use super::advice::option;
use super::page::{DoctorLine, Topic};

/// What to do about a place without room.
const WAY_OUT: &str = "another place of this list with --storage, or a smaller --lane-size";

/// The places, best first, and the `--storage` value of the best one.
pub fn section(asked: &str) -> (Topic, Option<String>) {
    let FoundPlaces { places, without_room, not_offered, no_mounts, no_disks } = places::look(&Storage::from(asked));
    let has_best = places.first().is_some_and(RatedPlace::is_usable);
    let mut lines: Vec<DoctorLine> = Vec::new();
    lines.extend(places.iter().enumerate().map(|(number, place)| line(place, has_best && number == 0)));
    if !without_room.is_empty() {
        let names = joined(without_room.iter().map(|folder| folder.display()), ", ");
        lines.push(DoctorLine::note("without room", format!("for {LANES} lanes of {}: {names}", lane())));
    }
    lines.extend(no_mounts.map(|why| DoctorLine::note("mounts", format!("could not be read: {why}"))));
    lines.extend(no_disks.map(|why| DoctorLine::note("unused disks", format!("not looked for: {why}"))));
    lines.extend(not_offered.iter().map(disk));
    let best = places.into_iter().next().filter(|_| has_best).map(|place| place.option);
    (Topic { title: "Places for lanes, best first", lines }, best)
}

/// The line of one place: description, cost, and the reason for its rank.
fn line(place: &RatedPlace, is_best: bool) -> DoctorLine {
    let description = format!("{}{}", place.description, room(place));
    if !place.is_usable() {
        return DoctorLine::no(&place.option, description).and(obstacle(place)).hint(WAY_OUT);
    }
    let line = DoctorLine::ok(&place.option, description);
    let mut line = match &place.found.cost {
        Ok(cost) => {
            let LaneCost { back_to_back, paced, .. } = cost;
            let words = format!("4 KiB write + flush: {back_to_back} back to back, {paced} after a pause of 5 ms");
            line.and(words).and(beneath(place, cost))
        }
        Err(why) => line.and(format!("write + flush {why}")),
    };
    line = line.and(place.footing.reason());
    if place.footing == Footing::Disk {
        line = line.and("compare overwrites it: make sure that what is on it is not needed");
    }
    match is_best {
        true => line.and(format!("recommended: {}", option(&place.option))),
        false => line,
    }
}

fn room(place: &RatedPlace) -> String {
    let direct = match place.found.direct {
        Some(true) => ", direct I/O",
        Some(false) => ", no direct I/O",
        None => "",
    };
    match place.free {
        Some(free) if free >= place.needed() => format!(", {free} free, {LANES} lanes of {} fit{direct}", lane()),
        Some(free) => format!(", {free} free{direct}"),
        None => format!(", its free space could not be read{direct}"),
    }
}

/// The bytes and flushes that reached the device. A device without a volatile cache counts no flushes, and some devices
/// never do.
fn beneath(place: &RatedPlace, cost: &LaneCost) -> String {
    let device = match (&place.device, place.footing) {
        (_, Footing::Memory) => return "no device beneath".to_owned(),
        (None, _) => return "what reaches the device beneath could not be read".to_owned(),
        (Some(device), _) => device,
    };
    let Some(bytes) = cost.host_bytes else { return format!("what reaches {device} could not be read") };
    let flushes = match cost.host_flushes {
        None => "an unknown number of flushes".to_owned(),
        Some(flushes) if flushes < 0.005 => "no flush that it counted".to_owned(),
        Some(flushes) => format!("{} flushes", significant(flushes, 2)),
    };
    format!("each brings {} and {flushes} to {device}, others' writes there included", Bytes(bytes as u64))
}

/// Why lanes cannot be in a place.
fn obstacle(place: &RatedPlace) -> String {
    match (&place.found.obstacle, place.free) {
        (Some(obstacle), _) => obstacle.clone(),
        (None, free) => {
            let free = free.unwrap_or_default();
            format!("no room: {LANES} lanes of {} need {}, and {free} are free", lane(), place.needed())
        }
    }
}

/// The line of a disk that is no place.
fn disk(refusal: &LaneError) -> DoctorLine {
    match refusal {
        LaneError::DiskInUse { path, why } => {
            DoctorLine::note(path.display().to_string(), format!("not offered: {why}"))
        }
        LaneError::DiskHoldsData { path, what, id } => {
            DoctorLine::note(path.display().to_string(), format!("not offered: it holds data: {what}"))
                .hint(format!("if all of it may be lost: --storage {} --erase {id}", path.display()))
        }
        other => DoctorLine::note("a disk", format!("not offered: {other}")),
    }
}

/// The size of a lane.
fn lane() -> String {
    format!("{} GiB", LANE_SIZE.0 >> 30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_is_not_offered_says_why_and_how_to_give_it_up() {
        let (path, why) = ("/dev/sdb".into(), "it is mounted at /".to_owned());
        let used = format!("{:?}", disk(&LaneError::DiskInUse { path, why }));
        assert!(used.contains("not offered: it is mounted at /"), "{used}");
        let (what, id) = ("blkid finds TYPE=ext4".to_owned(), "Disk_12".to_owned());
        let text = format!("{:?}", disk(&LaneError::DiskHoldsData { path: "/dev/sdb".into(), what, id }));
        assert!(text.contains("TYPE=ext4") && text.contains("--storage /dev/sdb --erase Disk_12"), "{text}");
    }
}
