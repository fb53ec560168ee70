//! The order of places, from the findings about each.

use fsarena_model::Nanos;

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

/// The properties that determine the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceStanding {
    /// The storage beneath the lanes.
    pub footing: Footing,
    /// Whether lanes can be there.
    pub usable: bool,
    /// The higher cost of a write and flush, back to back or after a pause; `None` if not measured.
    pub cost: Option<Nanos>,
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

/// The rank of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankedPlaces {
    /// Its index in the argument of [`order`].
    pub index: usize,
    /// Its quality.
    pub tier: PlaceTier,
}

/// All places, best first; places of the same tier by cost, then in the given order.
pub fn order(standings: &[PlaceStanding]) -> Vec<RankedPlaces> {
    let cheapest = standings.iter().filter(|it| it.usable && is_folder(it.footing)).filter_map(|it| it.cost).min();
    let ranked = standings.iter().enumerate();
    let mut ranked: Vec<RankedPlaces> =
        ranked.map(|(index, standing)| RankedPlaces { index, tier: tier(standing, cheapest) }).collect();
    ranked.sort_by_key(|ranked| (ranked.tier, standings[ranked.index].cost.unwrap_or(Nanos(u64::MAX)), ranked.index));
    ranked
}

fn is_folder(footing: Footing) -> bool {
    matches!(footing, Footing::Apart | Footing::Shared)
}

fn tier(standing: &PlaceStanding, cheapest: Option<Nanos>) -> PlaceTier {
    let is_cheap = |cost: Nanos| cheapest.is_none_or(|cheapest| cost.0 <= cheapest.0.saturating_mul(CHEAP));
    match (standing.footing, standing.cost) {
        _ if !standing.usable => PlaceTier::Unusable,
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
    use super::*;

    fn standing(footing: Footing, micros: u64) -> PlaceStanding {
        PlaceStanding { footing, usable: true, cost: (micros > 0).then_some(Nanos(micros * 1000)) }
    }

    fn tiers(standings: &[PlaceStanding]) -> Vec<PlaceTier> {
        order(standings).into_iter().map(|ranked| ranked.tier).collect()
    }

    #[test]
    fn a_disk_comes_before_folders_and_memory_last() {
        let places = [
            standing(Footing::Memory, 1),
            standing(Footing::Shared, 80),
            standing(Footing::Apart, 90),
            standing(Footing::Disk, 0),
        ];
        assert_eq!(tiers(&places), [PlaceTier::Disk, PlaceTier::ApartCheap, PlaceTier::Shared, PlaceTier::Memory]);
    }

    #[test]
    fn dear_flushes_put_a_folder_behind_the_root() {
        let places = [standing(Footing::Apart, 4000), standing(Footing::Shared, 80), standing(Footing::Apart, 0)];
        assert_eq!(tiers(&places), [PlaceTier::Shared, PlaceTier::ApartDear, PlaceTier::ApartUnknown]);
    }

    #[test]
    fn memory_makes_no_disk_dear() {
        let places = [standing(Footing::Apart, 4000), standing(Footing::Memory, 1)];
        assert_eq!(tiers(&places), [PlaceTier::ApartCheap, PlaceTier::Memory]);
    }

    #[test]
    fn an_unusable_place_is_last_however_cheap() {
        let full = PlaceStanding { usable: false, ..standing(Footing::Disk, 1) };
        assert_eq!(tiers(&[full, standing(Footing::Memory, 1)]), [PlaceTier::Memory, PlaceTier::Unusable]);
    }

    #[test]
    fn of_equal_ones_the_cheaper_is_first() {
        let order = order(&[standing(Footing::Apart, 90), standing(Footing::Apart, 80)]);
        assert_eq!(order.iter().map(|ranked| ranked.index).collect::<Vec<_>>(), [1, 0]);
    }
}
