//! Summaries: a cell over its rounds, a trial over its slices.

use crate::interval::{LogEstimate, POINTWISE_TAIL};

/// A cell over its rounds, in the unit of its values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// The median of the rounds.
    pub median: f64,
    /// Lower bound of the pointwise 95 % interval, `None` below 3 rounds.
    pub low: Option<f64>,
    /// Upper bound of the pointwise 95 % interval, `None` below 3 rounds.
    pub high: Option<f64>,
}

/// Summarises the round values of a cell; `None` without values, or if one is not positive and finite.
///
/// The interval is Student's interval of the mean of the logarithms, moved so that its centre is the median: an exact
/// interval of the median needs 6 rounds for 95 %, and a run often has 4. Its width reflects the noise between the
/// rounds of one cell. Two cells with overlapping intervals may still be decided: effects of rounds and lanes, which
/// cells share, are part of these intervals and not of a pair's.
pub fn cell_summary(values: &[f64]) -> Option<Summary> {
    let median = round_value(values)?;
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let width = LogEstimate::of_rounds(&logs).map(|mean| mean.precision.interval(0.0, POINTWISE_TAIL).high.exp());
    Some(Summary { median, low: width.map(|width| median / width), high: width.map(|width| median * width) })
}

/// The value of a trial from its slices: the median, with an even count the geometric mean of the middle two; `None`
/// without slices, or if one is not positive and finite.
///
/// The median, because one slice that the host disturbed must not move the round; the geometric mean, because
/// everything downstream is a ratio, and rate and time must give the same verdict.
pub fn round_value(slices: &[f64]) -> Option<f64> {
    let usable = slices.iter().all(|value| value.is_finite() && *value > 0.0);
    if slices.is_empty() || !usable {
        return None;
    }
    let mut sorted = slices.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let is_odd = sorted.len() % 2 == 1;
    Some(if is_odd { sorted[middle] } else { sorted[middle - 1].sqrt() * sorted[middle].sqrt() })
}

/// The arithmetic mean; not a number without values.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The median; of two middle values their mean. `None` without values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    Some(if sorted.len().is_multiple_of(2) { f64::midpoint(sorted[sorted.len() / 2 - 1], upper) } else { upper })
}

/// The median; of two middle values the upper one, because it was measured. `None` without values.
pub fn upper_median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}
