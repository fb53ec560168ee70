//! How much the estimate of a pair varies: variances of all pairs of the run, moderated by each other (Smyth 2004).
//!
//! With a handful of rounds a pair's own variance is badly known. Two things are known better: how much the sweeps
//! within its rounds vary, and how much pairs typically vary from round to round beyond that. Their sum is the pair's
//! typical variance; the better the pairs agree, the more degrees of freedom it counts as.

use super::data::Sample;
use crate::interval::{LogEstimate, Precision};
use crate::quantile::{bisected, digamma};

/// Prior assumption about the typical variance's degrees of freedom, and the number of contrasts as which it counts.
const PRIOR_FREEDOM: f64 = 3.0;
const PRIOR_WEIGHT: f64 = 5.0;
/// Halvings of a range in which a value is searched.
const HALVINGS: u32 = 60;
/// Upper limit of degrees of freedom: more make no noticeable difference.
const MOST_FREEDOM: f64 = 50.0;

/// A pair's estimate with its moderated error.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moderated {
    pub(crate) known: LogEstimate,
    /// The degrees of freedom of its error that are from the other pairs.
    pub(super) prior: f64,
    pub(crate) rounds: usize,
    pub(super) may_decide: bool,
}

impl Moderated {
    /// The probability of an estimate as large or larger, in its direction, if nothing differs.
    pub(super) fn tail(&self) -> f64 {
        self.known.precision.tail(self.known.estimate.abs())
    }
}

/// Moderates the variances of all pairs of the run; `None` for pairs with fewer than two rounds.
pub(crate) fn moderate(workloads: &[Vec<Sample>]) -> Vec<Vec<Option<Moderated>>> {
    let pairs: Vec<LogVariance> =
        workloads.iter().enumerate().flat_map(|(w, samples)| log_variances(w, samples)).collect();
    let groups = [VarianceGroup::of(&pairs, true), VarianceGroup::of(&pairs, false)];
    let prior = prior_freedom(workloads, &pairs, &groups);
    let judge = |sample: &Sample| {
        let group = &groups[usize::from(sample.within.is_none())];
        (sample.rounds > 1).then(|| moderated(sample, group, prior))
    };
    workloads.iter().map(|samples| samples.iter().map(judge).collect()).collect()
}

/// Precisions that are no better than what is typical of all workloads makes likely: two or three runs that agree may
/// do so by chance, and those of other workloads show it. By workload, then pair, each with whether it is one of the
/// workload's first contender; `None` stays.
pub fn no_better_than_typical(workloads: &[Vec<Option<(bool, Precision)>>]) -> Vec<Vec<Option<Precision>>> {
    let sample = |pair: &Option<(bool, Precision)>| {
        let (is_first, own) = pair.unwrap_or((false, Precision { error: 0.0, freedom: 0.0 }));
        let (rounds, square) = (own.freedom.round() as usize + 1, own.error.powi(2));
        Sample { a: usize::from(!is_first), b: 1, rounds, mean: 0.0, square, within: None, may_decide: true }
    };
    let samples: Vec<Vec<Sample>> = workloads.iter().map(|pairs| pairs.iter().map(sample).collect()).collect();
    let wider = |(pair, moderated): (&Option<(bool, Precision)>, Option<Moderated>)| {
        let (_, own) = (*pair)?;
        // The error of a value, not of the mean of as many.
        let typical = |Moderated { known: LogEstimate { precision, .. }, rounds, .. }| Precision {
            error: precision.error * (rounds as f64).sqrt(),
            ..precision
        };
        Some(moderated.map_or(own, |moderated| own.or_wider(typical(moderated))))
    };
    let of = |(pairs, moderated): (&Vec<_>, Vec<_>)| pairs.iter().zip(moderated).map(wider).collect();
    workloads.iter().zip(moderate(&samples)).map(of).collect()
}

fn moderated(sample: &Sample, group: &VarianceGroup, prior: f64) -> Moderated {
    let own = (sample.rounds - 1) as f64;
    // A workload can borrow only what the others have: a single workload borrows nothing.
    let prior = prior.min(own * group.workloads.saturating_sub(1) as f64);
    let within = sample.within.unwrap_or(0.0);
    let square = (prior * (within + group.between) + own * sample.square) / (prior + own);
    let error = (square.max(within) / sample.rounds as f64).sqrt();
    let known = LogEstimate { estimate: sample.mean, precision: Precision { error, freedom: prior + own } };
    Moderated { known, prior, rounds: sample.rounds, may_decide: sample.may_decide }
}

/// A pair's variance on the log scale, on which the sampling error does not depend on the variance.
struct LogVariance {
    workload: usize,
    within: Option<f64>,
    square: f64,
    /// ln s², corrected for its bias.
    log: f64,
    freedom: f64,
}

fn log_variances(workload: usize, samples: &[Sample]) -> impl Iterator<Item = LogVariance> {
    samples.iter().filter(|sample| sample.rounds > 1).map(move |sample| {
        let freedom = (sample.rounds - 1) as f64;
        let log = sample.square.ln() - digamma(freedom / 2.0) + (freedom / 2.0).ln();
        LogVariance { workload, within: sample.within, square: sample.square, log, freedom }
    })
}

/// The pairs with several sweeps per round, or those with one: each group has its own typical variance between rounds.
struct VarianceGroup {
    /// The typical variance between rounds beyond that of the sweeps.
    between: f64,
    /// Number of workloads in the group.
    workloads: usize,
}

impl VarianceGroup {
    fn of(pairs: &[LogVariance], has_sweeps: bool) -> Self {
        let members: Vec<&LogVariance> = pairs.iter().filter(|pair| pair.within.is_some() == has_sweeps).collect();
        let mut workloads: Vec<usize> = members.iter().map(|pair| pair.workload).collect();
        workloads.dedup();
        Self { between: between(&members), workloads: workloads.len() }
    }

    fn typical(&self, pair: &LogVariance) -> f64 {
        pair.within.unwrap_or(0.0) + self.between
    }
}

/// The variance between rounds at which the pairs' log variances agree on average with what is typical of them. On
/// the log scale single noisy pairs do not raise it.
fn between(pairs: &[&LogVariance]) -> f64 {
    let surplus =
        |between: f64| pairs.iter().map(|pair| pair.log - (pair.within.unwrap_or(0.0) + between).ln()).sum::<f64>();
    let largest = pairs.iter().map(|pair| pair.square.max(pair.log.exp())).fold(0.0, f64::max);
    bisected((0.0, largest), HALVINGS, |between| surplus(between) > 0.0).1
}

/// How many degrees of freedom the typical variance is worth: many if log variances spread no more than their sampling
/// error, few if they spread more (Smyth 2004, section 6.2). A prior limits the influence of chance.
fn prior_freedom(workloads: &[Vec<Sample>], pairs: &[LogVariance], groups: &[VarianceGroup; 2]) -> f64 {
    // Of K contenders' K(K − 1)/2 pairs only K − 1 are independent.
    let independent =
        |samples: &Vec<Sample>| samples.iter().filter(|sample| sample.a == 0 && sample.rounds > 1).count();
    let contrasts: f64 = workloads.iter().map(|samples| independent(samples) as f64).sum();
    let fitted = groups.iter().filter(|group| group.workloads > 0).count() as f64;
    let mut excess = trigamma(PRIOR_FREEDOM / 2.0) * PRIOR_WEIGHT;
    let mut weight = PRIOR_WEIGHT;
    if contrasts > fitted {
        let spread = |pair: &LogVariance| {
            let typical = groups[usize::from(pair.within.is_none())].typical(pair);
            (pair.log - typical.ln()).powi(2) * contrasts / (contrasts - fitted) - trigamma(pair.freedom / 2.0)
        };
        excess += contrasts * pairs.iter().map(spread).sum::<f64>() / pairs.len() as f64;
        weight += contrasts;
    }
    2.0 * trigamma_inverse(excess / weight).min(MOST_FREEDOM / 2.0)
}

/// The second derivative of ln Γ, by recurrence and its asymptotic series (Abramowitz and Stegun 6.4.6 and 6.4.12).
pub(super) fn trigamma(argument: f64) -> f64 {
    let (mut x, mut sum) = (argument, 0.0);
    while x < 10.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    sum + 1.0 / x + y / 2.0 + y / x * (1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y / 30.0)))
}

/// The argument, up to [`MOST_FREEDOM`], at which the trigamma function has that value.
fn trigamma_inverse(value: f64) -> f64 {
    bisected((1e-3, MOST_FREEDOM), HALVINGS, |argument| trigamma(argument) > value).1
}
