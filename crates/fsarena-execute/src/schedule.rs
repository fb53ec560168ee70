//! The schedule: the lanes of contenders, and the order of workloads and slices, all derived from the seed.

use fsarena_model::seed::generator;
use rand::seq::SliceRandom;

/// The lane of each contender in a round; `None` for contenders without a lane.
pub type LaneNumbers = Vec<Option<usize>>;

/// The lanes of `round` (from 1). The rounds form Latin squares, in each of which every contender gets every lane once.
/// Each square has a random order of rows and of lanes.
pub fn lane_rounds(needs_lane: &[bool], round: u32, seed: u64) -> LaneNumbers {
    let count = needs_lane.iter().filter(|needs| **needs).count();
    let (square, row) = ((round as usize - 1) / count.max(1), (round as usize - 1) % count.max(1));
    let mut random = generator(seed, "lanes", &[square as u64]);
    let mut rows: Vec<usize> = (0..count).collect();
    let mut names: Vec<usize> = (0..count).collect();
    rows.shuffle(&mut random);
    names.shuffle(&mut random);
    let mut next = 0;
    let lane = |needs: &bool| {
        needs.then(|| {
            next += 1;
            names[(rows[row] + next - 1) % count]
        })
    };
    needs_lane.iter().map(lane).collect()
}

/// The lanes if each contender has one of its own, which differs from the others.
pub fn own_lanes(needs_lane: &[bool]) -> LaneNumbers {
    let mut lanes = 0..;
    needs_lane.iter().map(|needs| if *needs { lanes.next() } else { None }).collect()
}

/// The lanes if all contenders use the first lane in turn.
pub fn one_lane(needs_lane: &[bool]) -> LaneNumbers {
    needs_lane.iter().map(|needs| needs.then_some(0)).collect()
}

/// A random order of `count` things in a round. Those of different `purpose` do not depend on each other.
pub fn order(count: usize, purpose: &str, round: u32, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.shuffle(&mut generator(seed, purpose, &[u64::from(round)]));
    order
}

/// The contenders of a workload's slices in a round. Each pair of sweeps has a random order followed by its reverse; a
/// round of a single sweep forms the pair with the next round.
pub fn slice_order(contenders: &[usize], slices: u32, round: u32, workload: usize, seed: u64) -> Vec<usize> {
    if slices == 1 {
        let both = slice_order(contenders, 2, round.div_ceil(2), workload, seed);
        let (odd, even) = both.split_at(contenders.len());
        return if round % 2 == 1 { odd } else { even }.to_vec();
    }
    let mut random = generator(seed, "slices", &[u64::from(round), workload as u64]);
    let mut order = contenders.to_vec();
    let mut all = Vec::new();
    for sweep in 0..slices {
        match sweep % 2 {
            0 => order.shuffle(&mut random),
            _ => order.reverse(),
        }
        all.extend_from_slice(&order);
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_square_gives_every_contender_every_lane_once(count in 1_usize..8, square in 0_u32..5, seed: u64) {
            let needs = vec![true; count];
            let rounds: Vec<LaneNumbers> =
                (1..=count as u32).map(|row| lane_rounds(&needs, square * count as u32 + row, seed)).collect();
            for round in &rounds {
                prop_assert_eq!(round.iter().flatten().collect::<BTreeSet<_>>().len(), count);
            }
            for contender in 0..count {
                let lanes: BTreeSet<_> = rounds.iter().map(|round| round[contender]).collect();
                prop_assert_eq!(lanes.len(), count);
            }
        }

        #[test]
        fn slices_are_balanced(count in 1_usize..6, sweeps in 1_u32..4, round in 1_u32..9, seed: u64) {
            let contenders: Vec<usize> = (0..count).collect();
            let order = slice_order(&contenders, sweeps * 2, round, 3, seed);
            for pair in order.chunks(count * 2) {
                let back: Vec<usize> = pair[count..].iter().rev().copied().collect();
                prop_assert_eq!(&pair[..count], &back[..]);
                prop_assert_eq!(pair[..count].iter().collect::<BTreeSet<_>>().len(), count);
            }
        }

        #[test]
        fn orders_are_permutations_and_repeat_with_the_seed(count in 0_usize..20, round in 1_u32..9, seed: u64) {
            let found = order(count, "workloads", round, seed);
            prop_assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), count);
            prop_assert_eq!(found, order(count, "workloads", round, seed));
        }
    }

    #[test]
    fn contenders_without_a_lane_get_none() {
        let rounds: Vec<LaneNumbers> = (1..=2).map(|round| lane_rounds(&[true, false, true], round, 5)).collect();
        assert!(rounds.iter().all(|round| round[1].is_none() && round[0].is_some() && round[0] != round[2]));
        assert_eq!(lane_rounds(&[false], 3, 5), vec![None]);
        assert_eq!(own_lanes(&[true, false, true]), [Some(0), None, Some(1)]);
    }
}
