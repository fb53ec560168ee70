//! The order of places, from the findings about each.

use fsarena_model::Nanos;

use super::RatedPlace;

/// What other writers of the root file system cost there, as a multiple of a flush.
const SHARED_COST: u64 = 3;

/// The storage beneath lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Footing {
    /// A disk or partition, without a file system in between.
    Disk,
    /// A file system other than the root file system.
    Apart,
    /// The root file system.
    Shared,
    /// A file system whose device is a file on another file system.
    Nested,
    /// Memory.
    Memory,
}

impl Footing {
    /// What lanes are like there.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Disk => "no host file system lies beneath the lanes: a flush costs what the disk takes, nothing more",
            Self::Apart => "apart from the root file system, whose other writers do not get in between",
            Self::Shared => "the root file system: what the rest of the system writes there is flushed with the lanes",
            Self::Nested => "its device is a file on another file system: a flush passes through both",
            Self::Memory => {
                "flushes are free: good for CPU and code paths; durable workloads tell nothing about a disk"
            }
        }
    }

    /// The place in the order of quality; file systems on a disk are told apart by their cost.
    fn order(self) -> u8 {
        match self {
            Self::Disk => 0,
            Self::Apart | Self::Shared => 1,
            Self::Nested => 2,
            Self::Memory => 3,
        }
    }
}

/// Sorts places, best first: those of the same quality by cost, then in the given order.
pub fn sort(places: &mut [RatedPlace]) {
    let cost = |place: &RatedPlace| {
        let times = if place.footing == Footing::Shared { SHARED_COST } else { 1 };
        cost(place).map_or(u64::MAX, |cost| cost.0.saturating_mul(times))
    };
    places.sort_by_key(|place| (!place.is_usable(), place.footing.order(), cost(place)));
}

/// The higher cost of a write and flush, back to back or after a pause; `None` if it was not measured.
fn cost(place: &RatedPlace) -> Option<Nanos> {
    place.found.cost.as_ref().ok().map(|cost| cost.back_to_back.max(cost.paced))
}

#[cfg(test)]
mod tests {
    use fsarena_model::{Bytes, LaneCost};

    use super::super::PlaceFindings;
    use super::*;

    fn place(footing: Footing, micros: u64) -> RatedPlace {
        let cost = Nanos(micros * 1000);
        let cost = LaneCost { back_to_back: cost, paced: cost, device: None, host_bytes: None, host_flushes: None };
        let unmeasured = PlaceFindings::unmeasured("nothing");
        RatedPlace {
            option: String::new(),
            footing,
            description: String::new(),
            free: None,
            reserve: Bytes(0),
            device: None,
            found: if micros > 0 { PlaceFindings { cost: Ok(cost), ..unmeasured } } else { unmeasured },
        }
    }

    fn sorted<const COUNT: usize>(mut places: [RatedPlace; COUNT]) -> [(Footing, Option<Nanos>); COUNT] {
        sort(&mut places);
        places.map(|place| (place.footing, cost(&place)))
    }

    #[test]
    fn a_disk_comes_before_folders_and_memory_last() {
        let places =
            [place(Footing::Memory, 1), place(Footing::Shared, 80), place(Footing::Apart, 90), place(Footing::Disk, 0)];
        let order = sorted(places).map(|(footing, _)| footing);
        assert_eq!(order, [Footing::Disk, Footing::Apart, Footing::Shared, Footing::Memory]);
    }

    #[test]
    fn of_folders_the_cheaper_is_first_and_one_of_unknown_cost_last() {
        let places = [0, 80, 400, 200].map(|micros| place(Footing::Apart, micros));
        let costs = sorted(places).map(|(_, cost)| cost);
        assert_eq!(costs, [Some(Nanos(80_000)), Some(Nanos(200_000)), Some(Nanos(400_000)), None]);
        let places = [place(Footing::Apart, 400), place(Footing::Shared, 90), place(Footing::Apart, 200)];
        let order = sorted(places).map(|(footing, _)| footing);
        assert_eq!(order, [Footing::Apart, Footing::Shared, Footing::Apart], "a root that is much cheaper comes first");
    }

    #[test]
    fn an_unusable_place_is_last_however_cheap() {
        let full = RatedPlace { free: Some(Bytes(0)), ..place(Footing::Disk, 1) };
        assert_eq!(
            sorted([full, place(Footing::Memory, 1)]).map(|(footing, _)| footing),
            [Footing::Memory, Footing::Disk]
        );
    }
}
