//! Whether a contender is stable over the rounds and within a round: trends with their intervals.
//!
//! They are only reported. No value is dropped for being part of a trend: a selection by outcome would break the rule's
//! guarantees.

use crate::decision::FEWEST_ROUNDS;
use crate::interval::{Interval, LogEstimate};
use crate::quantile::student_upper;
use crate::summary::mean;

/// A change that would be 0 for a stable contender, in logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SteadyEffect {
    /// Its estimate.
    pub size: f64,
    /// Its interval.
    pub interval: Interval,
}

impl SteadyEffect {
    /// The trend of a value over time: the least-squares slope of `(time, value)`, with its interval at 1 − α; `None`
    /// below 3 values, or if all have the same time. Values that depend on their neighbours make the interval too
    /// narrow.
    pub fn trend(values: &[(f64, f64)], alpha: f64) -> Option<Self> {
        let count = values.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| values.iter().map(of).sum::<f64>() / count;
        let (middle, mean) = (mean(|(time, _)| *time), mean(|(_, value)| *value));
        let centred = || values.iter().map(|(time, value)| (time - middle, value - mean));
        let length: f64 = centred().map(|(time, _)| time * time).sum();
        if values.len() < FEWEST_ROUNDS || length == 0.0 {
            return None;
        }
        let size = centred().map(|(time, value)| time * value).sum::<f64>() / length;
        let rest: f64 = centred().map(|(time, value)| (value - size * time).powi(2)).sum();
        let error = (rest / (count - 2.0) / length).sqrt();
        let width = student_upper(count - 2.0, alpha / 2.0) * error;
        Some(Self { size, interval: Interval::around(size, width) })
    }
}

/// The trend per round of each contender relative to the mean of the others, so that the machine's own drift cancels;
/// the interval holds for all contenders of the workload together. `None` below 3 rounds, or 2 contenders.
///
/// `rounds` are those in which all contenders were measured: the round's number and the logarithms, in the contenders'
/// order.
pub fn own_trends(rounds: &[(u32, Vec<f64>)], alpha: f64) -> Vec<Option<SteadyEffect>> {
    let contenders = rounds.first().map_or(0, |(_, values)| values.len());
    let trend = |contender: usize| {
        let against_others = |(round, values): &(u32, Vec<f64>)| {
            let others = values.iter().sum::<f64>() - values[contender];
            (f64::from(*round), values[contender] - others / (contenders - 1) as f64)
        };
        let values: Vec<(f64, f64)> = rounds.iter().map(against_others).collect();
        SteadyEffect::trend(&values, alpha / contenders as f64)
    };
    (0..contenders).map(|contender| if contenders > 1 { trend(contender) } else { None }).collect()
}

/// How much later slices of a round differ from earlier ones: the mean of the last half of a trial's logarithms minus
/// that of the first half, with Student's interval over the trials at 1 − α. With an odd number of slices the middle
/// one is in neither half. Trials with fewer than 2 slices do not count; `None` with fewer than 3 other trials.
pub fn within_rounds(trials: &[Vec<f64>], alpha: f64) -> Option<SteadyEffect> {
    let change = |slices: &Vec<f64>| {
        let half = slices.len() / 2;
        mean(&slices[slices.len() - half..]) - mean(&slices[..half])
    };
    let changes: Vec<f64> = trials.iter().filter(|slices| slices.len() > 1).map(change).collect();
    let mean = LogEstimate::of_rounds(&changes)?;
    Some(SteadyEffect { size: mean.estimate, interval: mean.interval(alpha / 2.0) })
}
