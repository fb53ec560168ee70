//! The text about places.

use fsarena_model::units::significant;
use fsarena_model::{Bytes, LaneCost};

use super::folders::Folder;
use super::rank::{Footing, RankedPlaces};
use super::trust::Trust;
use super::{LANE_SIZE, LANES, RatedPlace};
use crate::commands::doctor::advice::option;
use crate::commands::doctor::page::DoctorLine;

/// The line of one place: description, cost, how far both can be trusted if that was tested, and the reason for its
/// rank.
pub fn line(place: &RatedPlace, ranked: &RankedPlaces, trust: Option<&Trust>, is_best: bool) -> DoctorLine {
    let description = format!("{}{}", place.description, room(place));
    if let Some(why) = place.refusal() {
        return DoctorLine::no(&place.option, description).and(why).hint(way_out(place));
    }
    let line = DoctorLine::ok(&place.option, description);
    let mut line = match &place.cost {
        Ok(cost) => line.and(cost_words(cost)).and(beneath(place, cost)),
        Err(why) => line.and(format!("write + flush {why}")),
    };
    line = trust.into_iter().flat_map(Trust::words).fold(line, DoctorLine::and);
    line = line.and(ranked.tier.reason());
    if place.footing == Footing::Disk {
        line = line.and("compare overwrites it: make sure that what is on it is not needed");
    }
    match is_best {
        true => line.and(format!("recommended: {}", option(&place.option))),
        false => line,
    }
}

fn room(place: &RatedPlace) -> String {
    let direct = match place.direct {
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

fn way_out(place: &RatedPlace) -> String {
    match (&place.obstacle, place.free) {
        (None, Some(free)) if smaller(free, place.reserve).0 > 0 => {
            format!("--lane-size {}M fits", smaller(free, place.reserve).0 >> 20)
        }
        _ => "another place of this list with --storage".to_owned(),
    }
}

/// The largest possible lane size in steps of 256 MiB; 0 below 512 MiB, where mkfs uses other defaults.
fn smaller(free: Bytes, reserve: Bytes) -> Bytes {
    let size = free.0.saturating_sub(reserve.0) / LANES / Bytes::mib(256).0 * Bytes::mib(256).0;
    if size < Bytes::mib(512).0 { Bytes(0) } else { Bytes(size) }
}

fn cost_words(cost: &LaneCost) -> String {
    format!("4 KiB write + flush: {} back to back, {} after a pause of 5 ms", cost.back_to_back, cost.paced)
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

/// One line with all file systems that lack room.
pub fn full(folders: &[Folder]) -> Option<DoctorLine> {
    let names: Vec<String> = folders.iter().map(|folder| folder.existing.display().to_string()).collect();
    (!names.is_empty())
        .then(|| DoctorLine::note("without room", format!("for {LANES} lanes of {}: {}", lane(), names.join(", "))))
}

/// The size of a lane.
pub fn lane() -> String {
    format!("{} GiB", LANE_SIZE.0 >> 30)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_lane_is_offered_where_it_fits() {
        assert_eq!(smaller(Bytes::gib(5), Bytes::mib(256)), Bytes::mib(1024));
        assert_eq!(smaller(Bytes::gib(2), Bytes::mib(256)), Bytes(0));
    }
}
