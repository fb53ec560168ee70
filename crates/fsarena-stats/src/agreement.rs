//! How well two orders agree: Kendall's tau-b over several lists of things that were ordered twice, and its interval.
//!
//! Kendall 1945, "The treatment of ties in ranking problems": tau-b = (C − D) / √((P − T₁)(P − T₂)) for C pairs in the
//! same order, D in the opposite one, P pairs in all, and T pairs that one of the orders ranks as equal. Several lists
//! are combined by adding up their pairs.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::round_value;

/// Number of bootstrap samples for an interval.
const DRAWS: usize = 2000;

/// Minimum number of lists for an interval.
const FEWEST: usize = 5;

/// Minimum number of rounds for an interval: the probability that this many agree by chance is 3 %.
const FEWEST_ROUNDS: usize = 6;

/// Counts of the pairs of a list, by their order in two orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OrderedPairs {
    /// In the same order.
    pub same: u32,
    /// In the opposite order.
    pub opposite: u32,
    /// Equal in the first order only.
    pub equal_first: u32,
    /// Equal in the second order only.
    pub equal_second: u32,
    /// Equal in both.
    pub equal_both: u32,
}

/// Kendall's tau-b with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tau {
    /// −1 to 1.
    pub tau: f64,
    /// The lower end of its 95 % interval; `None` with fewer than five lists that have a tau, or with fewer than six
    /// rounds.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Pairs that are equal in neither order.
    pub pairs: u32,
}

impl OrderedPairs {
    /// Counts the pairs of things that have these values in the first and second order; values within `margin` of each
    /// other (a share of the larger, 0 to 1) are equal.
    pub fn of(things: &[(f64, f64)], margins: (f64, f64)) -> Self {
        let mut pairs = Self::default();
        for (index, one) in things.iter().enumerate() {
            for other in &things[index + 1..] {
                pairs.add(order(one.0, other.0, margins.0), order(one.1, other.1, margins.1));
            }
        }
        pairs
    }

    /// Counts one pair: 1, 0 or −1 in each order.
    pub fn add(&mut self, first: i8, second: i8) {
        let count = match (first, second) {
            (0, 0) => &mut self.equal_both,
            (0, _) => &mut self.equal_first,
            (_, 0) => &mut self.equal_second,
            (first, second) if first == second => &mut self.same,
            _ => &mut self.opposite,
        };
        *count += 1;
    }

    /// Tau-b; `None` if one of the orders ranks all pairs as equal.
    pub fn tau(&self) -> Option<f64> {
        let ordered = f64::from(self.same + self.opposite);
        let product = (ordered + f64::from(self.equal_second)) * (ordered + f64::from(self.equal_first));
        (product > 0.0).then(|| (f64::from(self.same) - f64::from(self.opposite)) / product.sqrt())
    }

    fn with_interval(&self, tau: f64, interval: Option<(f64, f64)>) -> Tau {
        let (low, high) = interval.unzip();
        Tau { tau, low, high, pairs: self.same + self.opposite }
    }

    fn sum<'a>(lists: impl Iterator<Item = &'a Self>) -> Self {
        lists.fold(Self::default(), |sum, list| Self {
            same: sum.same + list.same,
            opposite: sum.opposite + list.opposite,
            equal_first: sum.equal_first + list.equal_first,
            equal_second: sum.equal_second + list.equal_second,
            equal_both: sum.equal_both + list.equal_both,
        })
    }
}

/// 1 if `one` is larger, −1 if it is smaller, 0 if they are equal within the margin, a share of the larger.
pub fn order(one: f64, other: f64, margin: f64) -> i8 {
    match (one - other).abs() <= margin * one.abs().max(other.abs()) {
        true => 0,
        false if one > other => 1,
        false => -1,
    }
}

/// Tau-b of all lists combined. The interval is a percentile bootstrap over lists (Efron 1979), drawn from `seed`: it
/// shows how much depends on which tests were chosen. `None` if one of the orders ranks all pairs as equal.
pub fn tau_of_lists(lists: &[OrderedPairs], seed: u64) -> Option<Tau> {
    let all = OrderedPairs::sum(lists.iter());
    let tau = all.tau()?;
    let of = |chosen: &[usize]| OrderedPairs::sum(chosen.iter().map(|index| &lists[*index])).tau();
    let is_enough = lists.iter().filter(|list| list.tau().is_some()).count() >= FEWEST;
    Some(all.with_interval(tau, if is_enough { bootstrapped(lists.len(), FEWEST, seed, of) } else { None }))
}

/// The 2.5th and the 97.5th percentile of the taus of bootstrap samples: indices below `count`, `count` of them per
/// sample, drawn with replacement. `None` if no sample has a tau, or `count` is less than `fewest`.
fn bootstrapped(count: usize, fewest: usize, seed: u64, tau: impl Fn(&[usize]) -> Option<f64>) -> Option<(f64, f64)> {
    if count < fewest {
        return None;
    }
    let mut random = Pcg64::seed_from_u64(seed);
    let mut draw = || (0..count).map(|_| (random.next_u64() % count as u64) as usize).collect::<Vec<_>>();
    let taus: Vec<f64> = (0..DRAWS).filter_map(|_| tau(&draw())).collect();
    (!taus.is_empty()).then(|| percentiles(taus))
}

/// The 2.5th and the 97.5th percentile of `values`, which are not empty.
fn percentiles(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    (at(0.025), at(0.975))
}

/// Tau-b of one list whose second order was measured in several rounds (`rounds[round][thing]`), by the medians over
/// rounds. The interval, from six rounds on, is a percentile bootstrap over rounds. `None` if one of the orders ranks
/// all pairs as equal.
pub fn tau_over_rounds(first: &[f64], rounds: &[Vec<f64>], margins: (f64, f64), seed: u64) -> Option<Tau> {
    let of = |chosen: &[usize]| {
        let median = |thing: usize| round_value(&chosen.iter().map(|round| rounds[*round][thing]).collect::<Vec<_>>());
        let second = (0..first.len()).map(median).collect::<Option<Vec<f64>>>()?;
        Some(OrderedPairs::of(&first.iter().copied().zip(second).collect::<Vec<_>>(), margins))
    };
    let all = of(&(0..rounds.len()).collect::<Vec<_>>())?;
    let tau = all.tau()?;
    Some(all.with_interval(tau, bootstrapped(rounds.len(), FEWEST_ROUNDS, seed, |chosen| of(chosen)?.tau())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(things: &[(f64, f64)]) -> OrderedPairs {
        OrderedPairs::of(things, (0.0, 0.0))
    }

    #[test]
    fn orders_that_agree_and_that_are_turned_round() {
        assert_eq!(of(&[(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)]).tau(), Some(1.0));
        assert_eq!(of(&[(1.0, 30.0), (2.0, 20.0), (3.0, 10.0)]).tau(), Some(-1.0));
        assert_eq!(of(&[(1.0, 1.0), (1.0, 2.0)]).tau(), None, "the first has no order");
    }

    /// Scipy's `kendalltau([12, 2, 1, 12, 2], [1, 4, 7, 1, 0])` is −0.4714045207910316.
    #[test]
    fn ties_are_treated_as_kendall_does() {
        let tau = of(&[(12.0, 1.0), (2.0, 4.0), (1.0, 7.0), (12.0, 1.0), (2.0, 0.0)]).tau().expect("there is an order");
        assert!((tau + 0.471_404_520_791_031_6).abs() < 1e-12, "{tau}");
    }

    /// Scipy's `kendalltau([3, 1, 2, 1, 2, 2], [1, 2, 3, 4, 4, 4])` is −0.2611164839335468.
    #[test]
    fn pairs_are_counted_by_kind_and_lists_add_up() {
        let pairs = of(&[(3.0, 1.0), (1.0, 2.0), (2.0, 3.0), (1.0, 4.0), (2.0, 4.0), (2.0, 4.0)]);
        let expected = OrderedPairs { same: 3, opposite: 6, equal_first: 3, equal_second: 2, equal_both: 1 };
        assert_eq!(pairs, expected);
        assert!((pairs.tau().expect("ordered") + 0.261_116_483_933_546_8).abs() < 1e-12);
        let twice = OrderedPairs { same: 6, opposite: 12, equal_first: 6, equal_second: 4, equal_both: 2 };
        assert_eq!(OrderedPairs::sum([pairs, pairs].iter()), twice);
        assert_eq!(tau_of_lists(&[pairs, pairs], 1).map(|tau| (tau.tau, tau.pairs)), pairs.tau().map(|tau| (tau, 18)));
        assert_eq!((order(2.0, 1.0, 0.0), order(1.0, 2.0, 0.0), order(1.0, 1.0, 0.0)), (1, -1, 0));
    }

    #[test]
    fn the_interval_has_the_middle_95_percent() {
        assert_eq!(percentiles((0..=1000).rev().map(f64::from).collect()), (25.0, 975.0));
        assert_eq!(percentiles((0..=10).map(f64::from).collect()), (0.0, 10.0));
    }

    #[test]
    fn differences_within_the_margin_are_equal() {
        let pairs = OrderedPairs::of(&[(151.0, 1.0), (150.0, 2.0)], (0.01, 0.05));
        assert_eq!(pairs, OrderedPairs { equal_first: 1, ..OrderedPairs::default() });
    }

    #[test]
    fn rounds_that_disagree_widen_the_interval() {
        let first = [1.0, 2.0, 3.0];
        let (up, down) = (vec![10.0, 20.0, 30.0], vec![30.0, 20.0, 10.0]);
        let tau = |rounds: &[Vec<f64>]| tau_over_rounds(&first, rounds, (0.01, 0.05), 1).expect("ordered");
        assert_eq!(tau(&vec![up.clone(); 5]), Tau { tau: 1.0, low: None, high: None, pairs: 3 });
        assert_eq!(tau(&vec![up.clone(); 6]).low, Some(1.0));
        let mixed = [up.clone(), up.clone(), up.clone(), up, down.clone(), down];
        assert_eq!(tau(&mixed).low, Some(-1.0));
    }

    #[test]
    fn the_interval_is_about_the_choice_of_lists() {
        let (same, opposite) =
            (OrderedPairs { same: 3, ..Default::default() }, OrderedPairs { opposite: 3, ..Default::default() });
        let tau = tau_of_lists(&[same, same, same, same, opposite, opposite], 1).expect("ordered");
        assert!((tau.tau - 1.0 / 3.0).abs() < 1e-12);
        let (low, high) = (tau.low.expect("enough lists"), tau.high.expect("enough lists"));
        assert!(low < 0.0 && high > 0.9, "{low} {high}");
        assert_eq!(tau_of_lists(&[same; 4], 1).and_then(|tau| tau.low), None, "too few lists");
        assert_eq!(tau_of_lists(&[same; 6], 1).and_then(|tau| tau.low), Some(1.0));
        assert_eq!(tau_of_lists(&[], 1), None);
        // Lists that one of the orders ranks as equal are part of tau, and of its interval.
        let tied = OrderedPairs { equal_second: 3, ..Default::default() };
        let tau = tau_of_lists(&[[opposite; 6], [tied; 6]].concat(), 1).expect("ordered");
        assert!(tau.low.expect("enough lists") < tau.tau && tau.tau < tau.high.expect("enough lists"), "{tau:?}");
    }
}
