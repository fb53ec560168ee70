//! Whether a contender stands still over the rounds: a trend with its interval, and values that stand out.
//!
//! Both are for reports. Nothing is dropped for being a trend or an outlier: dropping by outcome is what the rule's
//! promises would not survive.

use serde::{Deserialize, Serialize};

use crate::error::StatsError;
use crate::interval::Interval;
use crate::observation::{Sheet, WorkloadData};
use crate::quantile::student_upper;

/// Values from which on a trend has an interval.
const ENOUGH_FOR_A_TREND: usize = 3;
/// Values from which on one of them can stand out.
const ENOUGH_FOR_AN_OUTLIER: usize = 5;
/// The distance from the median, in standard deviations, that stands out (Iglewicz and Hoaglin 1993).
const FAR: f64 = 3.5;
/// A normal standard deviation per median absolute deviation: 1/Φ⁻¹(¾).
const DEVIATION_PER_MEDIAN: f64 = 1.482_602_218_505_602;

/// How much a value changes from one round to the next, in logarithms.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    /// The least-squares slope per step.
    pub slope: f64,
    /// Its interval.
    pub interval: Interval,
}

impl Trend {
    /// The trend of values in order of time, its interval at 1 − α for this one cell; `None` below 3 values. Values
    /// that depend on their neighbours make it too narrow.
    #[must_use]
    pub fn of(values: &[f64], alpha: f64) -> Option<Self> {
        let count = values.len() as f64;
        if values.len() < ENOUGH_FOR_A_TREND {
            return None;
        }
        let (middle, mean) = ((count - 1.0) / 2.0, values.iter().sum::<f64>() / count);
        let centred = || values.iter().enumerate().map(|(step, value)| (step as f64 - middle, value - mean));
        let length: f64 = centred().map(|(step, _)| step * step).sum();
        let slope = centred().map(|(step, value)| step * value).sum::<f64>() / length;
        let rest: f64 = centred().map(|(step, value)| (value - slope * step).powi(2)).sum();
        let error = (rest / (count - 2.0) / length).sqrt();
        let width = student_upper(count - 2.0, alpha / 2.0) * error;
        Some(Self { slope, interval: Interval::around(slope, width) })
    }

    /// Whether standing still is ruled out.
    #[must_use]
    pub fn is_proved(&self) -> bool {
        !self.interval.contains(0.0)
    }
}

/// The trend of each contender against the mean of its rounds, so that the machine's own drift is not in it; the
/// interval is for all contenders of the workload together. `None` below 3 rounds.
///
/// # Errors
/// [`StatsError`] where the data is malformed.
pub fn own_trends(data: &WorkloadData, alpha: f64) -> Result<Vec<Option<Trend>>, StatsError> {
    let centred = Sheet::new(0, data)?.values.centred_in_rounds();
    let share = alpha / data.contenders.max(1) as f64;
    let values = |contender: usize| centred.rows().map(move |row| row[contender]).collect::<Vec<f64>>();
    Ok((0..data.contenders).map(|contender| Trend::of(&values(contender), share)).collect())
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
