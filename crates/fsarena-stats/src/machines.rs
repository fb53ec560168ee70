//! One quantity on several machines: what holds on all of them, and by how much does it depend on the machine?
//!
//! Two questions, with two answers:
//!
//! - Does it hold on each of *these* machines? An intersection–union test (Berger 1982): the machine with the least
//!   evidence decides. More machines make this harder to show, never easier.
//! - What is to be expected of machines *like* these? The machines are taken as a random sample (a random-effects
//!   model). The variance between machines follows from Paule and Mandel (1982), the interval of the mean from Hartung
//!   and Knapp (2001), which holds with few machines, where that of DerSimonian and Laird is too short (IntHout et al.
//!   2014). It is never shorter than with the usual error (Röver, Knapp and Friede 2015). The prediction interval is for
//!   one further machine (Higgins, Thompson and Spiegelhalter 2009).
//!
//! Whether machines differ at all is Welch's test (1951): the errors of the machines are estimates, from a few rounds
//! each, and Cochran's Q would take them for exact.

use statrs::distribution::{ContinuousCDF, FisherSnedecor};

use crate::decision::{Rule, Verdict};
use crate::interval::{Interval, LogEstimate, POINTWISE_TAIL};
use crate::quantile::{bisected, student_upper};
use crate::sessions::last_step;

/// Halvings of the interval that contains the variance between machines: beyond the resolution of `f64`.
const HALVINGS: u32 = 200;

/// Several machines, taken as a sample of machines like them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pooled {
    /// The mean over machines, a logarithm.
    pub estimate: f64,
    /// The 95 % interval of the mean.
    pub mean: Interval,
    /// The 95 % prediction interval of one further machine; `None` with two machines, which do not show how much
    /// machines vary.
    pub further: Option<Interval>,
    /// The standard deviation between machines (τ), beyond what the errors of the estimates explain.
    pub deviation: f64,
    /// The share of the variation between the estimates that is one between machines (I²), 0 to 1.
    pub share: f64,
    /// The p-value of Welch's test that all machines have the same value.
    pub alike: f64,
}

impl Pooled {
    /// Pools the machines, whose errors are positive; `None` with fewer than two.
    pub fn of(machines: &[LogEstimate]) -> Option<Self> {
        if machines.len() < 2 {
            return None;
        }
        let freedom = machines.len() as f64 - 1.0;
        let variance = variance_between(machines);
        let weighted = Weighted::of(machines, variance);
        // With this variance the weighted squares are at most as large as expected, so Hartung and Knapp's factor is 1:
        // it must not be below 1.
        let error = weighted.sum().sqrt().recip();
        let reach = student_upper(freedom, POINTWISE_TAIL);
        Some(Self {
            estimate: weighted.mean,
            mean: Interval::around(weighted.mean, reach * error),
            further: (freedom > 1.0).then(|| {
                let reach = student_upper(freedom - 1.0, POINTWISE_TAIL);
                Interval::around(weighted.mean, reach * (variance + error * error).sqrt())
            }),
            deviation: variance.sqrt(),
            share: variance / (variance + typical_variance(machines)),
            alike: welch(machines),
        })
    }
}

/// The mean of the machines, each weighted with one over its variance.
struct Weighted {
    weights: Vec<f64>,
    mean: f64,
}

impl Weighted {
    fn of(machines: &[LogEstimate], between: f64) -> Self {
        let weights: Vec<f64> =
            machines.iter().map(|it| 1.0 / (it.precision.error * it.precision.error + between)).collect();
        let sum: f64 = weights.iter().sum();
        let mean = weights.iter().zip(machines).map(|(weight, it)| weight * it.estimate).sum::<f64>() / sum;
        Self { weights, mean }
    }

    fn sum(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The weighted sum of squared distances from the mean.
    fn squares(&self, machines: &[LogEstimate]) -> f64 {
        let square = |(weight, it): (&f64, &LogEstimate)| weight * (it.estimate - self.mean).powi(2);
        self.weights.iter().zip(machines).map(square).sum()
    }
}

/// The variance with which the weighted squares are as large as they are expected to be (Paule and Mandel 1982); 0 if
/// they are smaller without one.
fn variance_between(machines: &[LogEstimate]) -> f64 {
    let expected = machines.len() as f64 - 1.0;
    let squares = |variance: f64| Weighted::of(machines, variance).squares(machines);
    if squares(0.0) <= expected {
        return 0.0;
    }
    // All weights are at most one over the variance, so this many squares are enough.
    let furthest = machines.iter().map(|it| it.estimate).fold(f64::NEG_INFINITY, f64::max)
        - machines.iter().map(|it| it.estimate).fold(f64::INFINITY, f64::min);
    let most = furthest * furthest * machines.len() as f64 / expected;
    let (low, high) = bisected((0.0, most), HALVINGS, |variance| squares(variance) > expected);
    f64::midpoint(low, high)
}

/// The variance of a typical machine's estimate (Higgins and Thompson 2002).
fn typical_variance(machines: &[LogEstimate]) -> f64 {
    let weights = Weighted::of(machines, 0.0).weights;
    let (sum, squares) = (weights.iter().sum::<f64>(), weights.iter().map(|weight| weight * weight).sum::<f64>());
    (machines.len() as f64 - 1.0) * sum / (sum * sum - squares)
}

/// The p-value of Welch's test (1951) that all machines have the same value.
fn welch(machines: &[LogEstimate]) -> f64 {
    let weighted = Weighted::of(machines, 0.0);
    let count = machines.len() as f64;
    let leverage = |(weight, it): (&f64, &LogEstimate)| (1.0 - weight / weighted.sum()).powi(2) / it.precision.freedom;
    let leverage: f64 = weighted.weights.iter().zip(machines).map(leverage).sum();
    let above = weighted.squares(machines) / (count - 1.0);
    let below = 1.0 + 2.0 * (count - 2.0) / (count * count - 1.0) * leverage;
    let freedom = (count * count - 1.0) / (3.0 * leverage);
    FisherSnedecor::new(count - 1.0, freedom).map_or(1.0, |fisher| fisher.sf(above / below))
}

/// Which quantities are known to differ between machines, by Holm's procedure over their p-values: at most `alpha` of
/// all families contain a wrong one.
pub fn depending(alike: &[Option<f64>], alpha: f64) -> Vec<bool> {
    let last = last_step(alike, |level| alpha * level);
    alike.iter().map(|alike| alike.is_some_and(|alike| alike <= last)).collect()
}

/// What holds of each quantity on each of its machines: `None` without machines. At most `rule.alpha` of all families
/// contain a wrong difference, whatever the number of machines.
pub fn on_each(quantities: &[Vec<LogEstimate>], rule: Rule) -> Vec<Option<Verdict>> {
    let tails: Vec<Option<f64>> = quantities.iter().map(|machines| weakest(machines)).collect();
    let last = last_step(&tails, |level| rule.alpha * level / 2.0);
    let is_tie = |it: &LogEstimate| it.interval(rule.wrong_equivalence).is_within(rule.margin.ln_1p());
    let verdict = |(machines, tail): (&Vec<LogEstimate>, Option<f64>)| match tail? {
        _ if machines.iter().all(is_tie) => Some(Verdict::Equivalent),
        tail if tail > last => Some(Verdict::Undecided),
        _ if machines.iter().all(|it| it.estimate > 0.0) => Some(Verdict::Faster),
        _ => Some(Verdict::Slower),
    };
    quantities.iter().zip(tails).map(verdict).collect()
}

/// The largest probability, over the machines, of an estimate so far from 0 on one side; at least one half if the
/// machines contradict each other.
fn weakest(machines: &[LogEstimate]) -> Option<f64> {
    let towards = |sign: f64| machines.iter().map(|it| it.precision.tail(sign * it.estimate)).reduce(f64::max);
    Some(towards(1.0)?.min(towards(-1.0)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Precision;

    fn on_machine(estimate: f64, error: f64) -> LogEstimate {
        LogEstimate { estimate, precision: Precision { error, freedom: 8.0 } }
    }

    #[test]
    fn one_machine_is_no_sample() {
        assert_eq!(Pooled::of(&[on_machine(0.1, 0.02)]), None);
        assert_eq!(Pooled::of(&[]), None);
    }

    #[test]
    fn machines_that_agree_by_chance_do_not_narrow_the_interval() {
        let pooled = Pooled::of(&[0.2, 0.2, 0.2, 0.2].map(|it| on_machine(it, 0.02))).expect("several");
        assert_eq!((pooled.deviation, pooled.share), (0.0, 0.0));
        let half = student_upper(3.0, POINTWISE_TAIL) * 0.01;
        assert!((pooled.mean.high - 0.2 - half).abs() < 1e-12, "{pooled:?}");
        assert!(pooled.alike > 0.999);
        let two = Pooled::of(&[0.2, 0.2].map(|it| on_machine(it, 0.02))).expect("several");
        assert_eq!(two.further, None);
    }

    #[test]
    fn a_difference_holds_on_all_only_if_the_weakest_machine_shows_it() {
        let rule = Rule::default();
        let verdict = |machines: &[(f64, f64)]| {
            let machines = machines.iter().map(|(estimate, error)| on_machine(*estimate, *error)).collect();
            on_each(&[machines], rule)[0]
        };
        assert_eq!(verdict(&[(0.3, 0.02), (0.2, 0.02)]), Some(Verdict::Faster));
        assert_eq!(verdict(&[(-0.3, 0.02), (-0.2, 0.02)]), Some(Verdict::Slower));
        assert_eq!(verdict(&[(0.3, 0.02), (0.2, 0.2)]), Some(Verdict::Undecided));
        assert_eq!(verdict(&[(0.3, 0.02), (-0.3, 0.02)]), Some(Verdict::Undecided));
        assert_eq!(verdict(&[(0.01, 0.004), (-0.01, 0.004)]), Some(Verdict::Equivalent));
        assert_eq!(verdict(&[]), None);
    }

    #[test]
    fn more_quantities_ask_for_more_evidence() {
        let rule = Rule::default();
        let machines = vec![on_machine(0.1, 0.035), on_machine(0.1, 0.035)];
        assert_eq!(on_each(std::slice::from_ref(&machines), rule), [Some(Verdict::Faster)]);
        let many = vec![machines; 20];
        assert!(on_each(&many, rule).iter().all(|verdict| *verdict == Some(Verdict::Undecided)));
        assert_eq!(depending(&[Some(0.04)], 0.05), [true]);
        assert_eq!(depending(&[Some(0.04), Some(0.001), None], 0.05), [true, true, false]);
        assert_eq!(depending(&[Some(0.04), Some(0.03)], 0.05), [false, false]);
    }
}
