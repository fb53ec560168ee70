//! The order of places, from the findings about each.

use fsarena_model::Nanos;

use super::RatedPlace;

/// Maximum cost of a cheap flush, as a multiple of the lowest cost.
const CHEAP: u64 = 3;

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

/// The quality of a place, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlaceTier {
    /// A disk.
    Disk,
    /// A separate file system with cheap flushes.
    ApartCheap,
    /// The root file system.
    Shared,
    /// A separate file system with expensive flushes.
    ApartDear,
    /// A separate file system whose flushes were not measured.
    ApartUnknown,
    /// A file system in a file of another file system.
    Nested,
    /// Memory.
    Memory,
    /// Not usable for lanes.
    Unusable,
}

impl PlaceTier {
    /// The reason for this tier.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Disk => "no host file system lies beneath the lanes: a flush costs what the disk takes, nothing more",
            Self::ApartCheap => "apart from the root file system, whose other writers do not get in between, and cheap",
            Self::Shared => "the root file system: what the rest of the system writes there is flushed with the lanes",
            Self::ApartDear => {
                "apart from the root file system, but flushes are dear here: durable work would be lane-bound"
            }
            Self::ApartUnknown => "apart from the root file system, but what its flushes cost is not known",
            Self::Nested => "its device is a file on another file system: a flush passes through both",
            Self::Memory => {
                "flushes are free: good for CPU and code paths; durable workloads tell nothing about a disk"
            }
            Self::Unusable => "no place for lanes as it is",
        }
    }
}

/// Sorts places, best first; places of the same tier by cost, then in the given order.
pub fn sort(places: &mut [RatedPlace]) {
    let folders = places.iter().filter(|it| matches!(it.footing, Footing::Apart | Footing::Shared) && it.is_usable());
    let cheapest = folders.filter_map(cost).min();
    for place in &mut *places {
        place.tier = tier(place, cheapest);
    }
    places.sort_by_key(|place| (place.tier, cost(place).unwrap_or(Nanos(u64::MAX))));
}

/// The higher cost of a write and flush, back to back or after a pause; `None` if it was not measured.
fn cost(place: &RatedPlace) -> Option<Nanos> {
    place.found.cost.as_ref().ok().map(|cost| cost.back_to_back.max(cost.paced))
}

fn tier(place: &RatedPlace, cheapest: Option<Nanos>) -> PlaceTier {
    let is_cheap = |cost: Nanos| cheapest.is_none_or(|cheapest| cost.0 <= cheapest.0.saturating_mul(CHEAP));
    match (place.footing, cost(place)) {
        _ if !place.is_usable() => PlaceTier::Unusable,
        (Footing::Disk, _) => PlaceTier::Disk,
        (Footing::Shared, _) => PlaceTier::Shared,
        (Footing::Nested, _) => PlaceTier::Nested,
        (Footing::Memory, _) => PlaceTier::Memory,
        (Footing::Apart, None) => PlaceTier::ApartUnknown,
        (Footing::Apart, Some(cost)) if is_cheap(cost) => PlaceTier::ApartCheap,
        (Footing::Apart, Some(_)) => PlaceTier::ApartDear,
    }
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
            tier: PlaceTier::Unusable,
            description: String::new(),
            free: None,
            reserve: Bytes(0),
            device: None,
            folder: None,
            found: if micros > 0 { PlaceFindings { cost: Ok(cost), ..unmeasured } } else { unmeasured },
        }
    }

    fn tiers<const COUNT: usize>(mut places: [RatedPlace; COUNT]) -> [PlaceTier; COUNT] {
        sort(&mut places);
        places.map(|place| place.tier)
    }

    #[test]
    fn a_disk_comes_before_folders_and_memory_last() {
        let places =
            [place(Footing::Memory, 1), place(Footing::Shared, 80), place(Footing::Apart, 90), place(Footing::Disk, 0)];
        assert_eq!(tiers(places), [PlaceTier::Disk, PlaceTier::ApartCheap, PlaceTier::Shared, PlaceTier::Memory]);
    }

    #[test]
    fn dear_flushes_put_a_folder_behind_the_root() {
        let places = [place(Footing::Apart, 4000), place(Footing::Shared, 80), place(Footing::Apart, 0)];
        assert_eq!(tiers(places), [PlaceTier::Shared, PlaceTier::ApartDear, PlaceTier::ApartUnknown]);
    }

    #[test]
    fn memory_makes_no_disk_dear() {
        let places = [place(Footing::Apart, 4000), place(Footing::Memory, 1)];
        assert_eq!(tiers(places), [PlaceTier::ApartCheap, PlaceTier::Memory]);
    }

    #[test]
    fn an_unusable_place_is_last_however_cheap() {
        let full = RatedPlace { free: Some(Bytes(0)), ..place(Footing::Disk, 1) };
        assert_eq!(tiers([full, place(Footing::Memory, 1)]), [PlaceTier::Memory, PlaceTier::Unusable]);
    }

    #[test]
    fn of_equal_ones_the_cheaper_is_first() {
        let mut places = [place(Footing::Apart, 90), place(Footing::Apart, 80)];
        sort(&mut places);
        assert_eq!(places.map(|place| cost(&place)), [80, 90].map(|micros| Some(Nanos(micros * 1000))));
    }
}
