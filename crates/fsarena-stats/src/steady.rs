//! Whether a contender is stable over the rounds and within a round: trends with their intervals. Whether a device is
//! in its steady state: the rule of SNIA's Solid State Storage Performance Test Specification 2.0.2.
//!
//! Trends are only reported. No value is dropped for being part of one: a selection by outcome would break the rule's
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

/// Number of last rounds of a device that the rule of SNIA uses.
const WINDOW: usize = 5;
/// Maximum distance between the best and the worst of them, as a share of their mean.
const RANGE: f64 = 0.20;
/// Maximum distance between the ends of the line fitted to them, as a share of their mean.
const SLOPE: f64 = 0.10;

/// The last five rounds of a device, judged by the rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SteadyWindow {
    /// Their mean, in the unit of the values.
    pub mean: f64,
    /// The distance between the best and the worst, as a share of the mean.
    pub range: f64,
    /// The distance between the ends of the line that least squares fit to them, as a share of the mean; never
    /// negative.
    pub slope: f64,
}

impl SteadyWindow {
    /// The last five of `values`, one of each round; `None` if there are fewer, or their mean is not above 0.
    pub fn of(values: &[f64]) -> Option<Self> {
        let window = &values[values.len().checked_sub(WINDOW)?..];
        let mean = window.iter().sum::<f64>() / WINDOW as f64;
        let most = window.iter().copied().fold(f64::MIN, f64::max);
        let least = window.iter().copied().fold(f64::MAX, f64::min);
        let steps = (WINDOW - 1) as f64;
        let places = || (0..WINDOW).map(|place| place as f64 - steps / 2.0);
        let square: f64 = places().map(|place| place * place).sum();
        let slope = places().zip(window).map(|(place, value)| place * value).sum::<f64>() / square;
        (mean > 0.0).then(|| Self { mean, range: (most - least) / mean, slope: (slope * steps).abs() / mean })
    }

    /// Whether the device is in its steady state.
    pub fn is_steady(&self) -> bool {
        self.range <= RANGE && self.slope <= SLOPE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(values: [f64; 5]) -> (f64, f64, bool) {
        let window = SteadyWindow::of(&values).expect("five");
        ((window.range * 1e6).round() / 1e6, (window.slope * 1e6).round() / 1e6, window.is_steady())
    }

    /// Worked by hand: of `y = 90, 108, 92, 108, 102` with mean 100 the line has the slope (−2·90 − 108 + 108 + 2·102)
    /// / 10 = 2.4 for each round, and so rises by 9.6 from the first to the last.
    #[test]
    fn worked_examples() {
        assert_eq!(window([100.0; 5]), (0.0, 0.0, true));
        assert_eq!(window([90.0, 108.0, 92.0, 108.0, 102.0]), (0.18, 0.096, true));
        assert_eq!(window([94.0, 97.0, 100.0, 103.0, 106.0]), (0.12, 0.12, false), "it still grows");
        assert_eq!(window([106.0, 103.0, 100.0, 97.0, 94.0]), (0.12, 0.12, false), "it still falls");
        assert_eq!(window([88.0, 110.0, 104.0, 110.0, 88.0]), (0.22, 0.0, false), "it swings");
    }

    #[test]
    fn only_the_last_five_count() {
        let values = [900.0, 500.0, 100.0, 100.0, 100.0, 100.0, 100.0];
        assert!(SteadyWindow::of(&values).expect("enough").is_steady());
        assert!(!SteadyWindow::of(&values[..6]).expect("enough").is_steady());
    }

    #[test]
    fn fewer_than_five_rounds_or_a_rate_of_zero_give_no_window() {
        assert_eq!(SteadyWindow::of(&[100.0; 4]), None);
        assert_eq!(SteadyWindow::of(&[0.0; 5]), None);
    }
}
