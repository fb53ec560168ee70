//! The workloads of the next round, if the time does not suffice to decide all.

use fsarena_analyse::Standing;
use fsarena_model::{Nanos, Plan};

use crate::pace::{self, RoundTime};

/// Of the `open` workloads those that together probably have the most pairs decided in the time that is `left`; all, if
/// it makes no difference. `last` is the previous round.
///
/// This does not change how often a verdict is wrong: each pair is tested at the same level whatever is measured next.
pub fn most_decided(plan: &Plan, open: Vec<usize>, standing: &Standing, left: Nanos, last: RoundTime) -> Vec<usize> {
    let further: Vec<Vec<Option<u32>>> = open.iter().map(|workload| standing.further_rounds(*workload)).collect();
    let weights: Vec<f64> = open.iter().map(|workload| pace::weight(plan, &[*workload])).collect();
    let rounds = |chosen: &[bool]| {
        let weight: f64 = weights.iter().zip(chosen).filter(|(_, is)| **is).map(|(weight, _)| weight).sum();
        left.saturating_sub(pace::CLOSING).0 / last.expected(weight).0.max(1)
    };
    let chosen = most(&further, rounds);
    open.into_iter().zip(chosen).filter_map(|(workload, is)| is.then_some(workload)).collect()
}

/// Which workloads to choose. `further` has the further rounds that each undecided pair needs, by workload; `rounds`
/// gives how many rounds of the chosen workloads the time suffices for.
fn most(further: &[Vec<Option<u32>>], rounds: impl Fn(&[bool]) -> u64) -> Vec<bool> {
    let decided = |chosen: &[bool]| {
        let rounds = rounds(chosen);
        let own = further.iter().zip(chosen).filter(|(_, is)| **is).flat_map(|(pairs, _)| pairs);
        own.flatten().filter(|needed| u64::from(**needed) <= rounds).count()
    };
    let mut best = vec![true; further.len()];
    let mut most = decided(&best);
    let mut limits: Vec<u32> = further.iter().flatten().flatten().copied().collect();
    limits.sort_unstable();
    limits.dedup();
    // From the largest choice on, so that of equals the one with most workloads remains.
    for limit in limits.into_iter().rev() {
        let is_near = |pairs: &Vec<Option<u32>>| pairs.iter().flatten().any(|needed| *needed <= limit);
        let chosen: Vec<bool> = further.iter().map(is_near).collect();
        if decided(&chosen) > most {
            (most, best) = (decided(&chosen), chosen);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten workload-rounds fit.
    fn ten(chosen: &[bool]) -> u64 {
        10 / chosen.iter().filter(|is| **is).count().max(1) as u64
    }

    #[test]
    fn time_goes_to_the_pairs_that_it_decides() {
        let further = [vec![Some(4), None], vec![Some(5), Some(3)], vec![Some(40)], vec![None]];
        assert_eq!(most(&further, ten), [true, true, false, false]);
    }

    #[test]
    fn all_remain_if_all_can_be_decided_or_none() {
        assert_eq!(most(&[vec![Some(5)], vec![Some(2)]], ten), [true, true]);
        assert_eq!(most(&[vec![Some(50)], vec![None], vec![]], ten), [true, true, true]);
    }
}
