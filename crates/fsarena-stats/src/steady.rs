//! Whether a contender stands still over the rounds: a trend with its interval, and values that stand out.
//!
//! Both are for reports. Nothing is dropped for being a trend or an outlier: dropping by outcome is what the rule's
//! promises would not survive.

use serde::{Deserialize, Serialize};

use crate::interval::Interval;
use crate::quantile::student_upper;

/// Values from which on a trend has an interval.
const ENOUGH_FOR_A_TREND: usize = 3;
/// Values from which on one of them can stand out.
const ENOUGH_FOR_AN_OUTLIER: usize = 5;
/// The distance from the median, in standard deviations, that stands out (Iglewicz and Hoaglin 1993).
const FAR: f64 = 3.5;
/// A normal standard deviation per median absolute deviation: 1/Φ⁻¹(¾).
const DEVIATION_PER_MEDIAN: f64 = 1.482_602_218_505_602;

/// Something that would be 0 if a contender stood still, in logarithms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Its estimate.
    pub size: f64,
    /// Its interval.
    pub interval: Interval,
}

impl Effect {
    /// The trend of a value over time: the least-squares slope of `(time, value)`, its interval at 1 − α; `None` below 3
    /// different times. Values that depend on their neighbours make it too narrow.
    #[must_use]
    pub fn trend(values: &[(f64, f64)], alpha: f64) -> Option<Self> {
        let count = values.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| values.iter().map(of).sum::<f64>() / count;
        let (middle, mean) = (mean(|(time, _)| *time), mean(|(_, value)| *value));
        let centred = || values.iter().map(|(time, value)| (time - middle, value - mean));
        let length: f64 = centred().map(|(time, _)| time * time).sum();
        if values.len() < ENOUGH_FOR_A_TREND || length == 0.0 {
            return None;
        }
        let size = centred().map(|(time, value)| time * value).sum::<f64>() / length;
        let rest: f64 = centred().map(|(time, value)| (value - size * time).powi(2)).sum();
        let error = (rest / (count - 2.0) / length).sqrt();
        let width = student_upper(count - 2.0, alpha / 2.0) * error;
        Some(Self { size, interval: Interval::around(size, width) })
    }

    /// Whether standing still is ruled out.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        !self.interval.contains(0.0)
    }
}

/// The trend per round of each contender against the mean of the others, so that the machine's own drift is not in it;
/// the interval is for all contenders of the workload together. `None` below 3 rounds, or 2 contenders.
///
/// `rounds` are those in which all contenders were measured: the round's number and their logarithms, in their order.
#[must_use]
pub fn own_trends(rounds: &[(u32, Vec<f64>)], alpha: f64) -> Vec<Option<Effect>> {
    let contenders = rounds.first().map_or(0, |(_, values)| values.len());
    let trend = |contender: usize| {
        let against_others = |(round, values): &(u32, Vec<f64>)| {
            let others = values.iter().sum::<f64>() - values[contender];
            (f64::from(*round), values[contender] - others / (contenders - 1) as f64)
        };
        let values: Vec<(f64, f64)> = rounds.iter().map(against_others).collect();
        Effect::trend(&values, alpha / contenders as f64)
    };
    (0..contenders).map(|contender| if contenders > 1 { trend(contender) } else { None }).collect()
}

/// Indices of values further from the median than 3.5 standard deviations, these from the median absolute deviation;
/// none below 5 values, or where more than half of them are the same.
#[must_use]
pub fn outliers(values: &[f64]) -> Vec<usize> {
    let Some(centre) = median(values).filter(|_| values.len() >= ENOUGH_FOR_AN_OUTLIER) else {
        return Vec::new();
    };
    let distances: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    let deviation = median(&distances).unwrap_or(0.0) * DEVIATION_PER_MEDIAN;
    let is_far = |distance: f64| deviation > 0.0 && distance > FAR * deviation;
    (0..values.len()).filter(|&index| is_far(distances[index])).collect()
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(if sorted.len() % 2 == 1 { upper } else { f64::midpoint(sorted[sorted.len() / 2 - 1], upper) })
}
