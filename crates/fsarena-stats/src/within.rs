//! Whether a contender is stable within a round, and whether a slice depends on the one before it.
//!
//! Both are only reported, as in `steady.rs`. Contenders take turns in a balanced order, so that effects on all of them
//! cancel in their ratio; effects on one of them do not.

use crate::interval::{Interval, LogEstimate};
use crate::quantile::student_upper;
use crate::steady::SteadyEffect;
use crate::summary::mean;

/// Residual sum of squares, relative to the whole one, below which a column counts as a multiple of another.
const ROUNDING: f64 = 1e-9;

/// How much later slices of a round differ from earlier ones: the mean of the last half of a trial's logarithms minus
/// that of the first half, with Student's interval over the trials at 1 − α. With an odd number of slices the middle
/// one is in neither half. Trials with fewer than 2 slices do not count; `None` with fewer than 3 other trials.
pub fn within_rounds(trials: &[Vec<f64>], alpha: f64) -> Option<SteadyEffect> {
    let changes: Vec<f64> = trials.iter().filter(|slices| slices.len() > 1).map(|slices| change(slices)).collect();
    let mean = LogEstimate::of_rounds(&changes)?;
    Some(SteadyEffect { size: mean.estimate, interval: mean.interval(alpha / 2.0) })
}

fn change(slices: &[f64]) -> f64 {
    let half = slices.len() / 2;
    mean(&slices[slices.len() - half..]) - mean(&slices[..half])
}

/// A slice within its round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Its position among the slices of all contenders.
    pub position: f64,
    /// Which contender the slice before it belongs to.
    pub after: Before,
    /// The logarithm of its value.
    pub y: f64,
}

/// Which contender a preceding slice belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// The same contender.
    Own,
    /// Another contender.
    Other,
}

/// How much a slice right after one of the same contender differs from one right after another contender's: least
/// squares of `trial + position + own`, so that neither the round nor a steady change within it contributes, with
/// Student's interval at 1 − α. `None` if the slices do not separate it from these, or leave no degree of freedom.
pub fn carry_over(trials: &[Vec<Step>], alpha: f64) -> Option<SteadyEffect> {
    let column = |of: fn(&Step) -> f64| trials.iter().flat_map(|trial| centred(trial, of)).collect::<Vec<f64>>();
    let time = column(|step| step.position);
    let y = without(&column(|step| step.y), &time);
    let is_own = column(|step| f64::from(u8::from(step.after == Before::Own)));
    let own = without(&is_own, &time);
    let length = dot(&own, &own);
    let telling = trials.iter().filter(|trial| !trial.is_empty()).count();
    let freedom = y.len() as f64 - telling as f64 - 2.0;
    if freedom < 1.0 || length <= ROUNDING * dot(&is_own, &is_own) {
        return None;
    }
    let size = dot(&own, &y) / length;
    let rest: f64 = y.iter().zip(&own).map(|(y, own)| (y - size * own).powi(2)).sum();
    let width = student_upper(freedom, alpha / 2.0) * (rest / freedom / length).sqrt();
    Some(SteadyEffect { size, interval: Interval::around(size, width) })
}

fn centred(trial: &[Step], of: fn(&Step) -> f64) -> Vec<f64> {
    let values: Vec<f64> = trial.iter().map(of).collect();
    let mean = mean(&values);
    values.into_iter().map(|value| value - mean).collect()
}

/// The part of `values` that is orthogonal to `other`.
fn without(values: &[f64], other: &[f64]) -> Vec<f64> {
    let length = dot(other, other);
    let share = if length > 0.0 { dot(values, other) / length } else { 0.0 };
    values.iter().zip(other).map(|(value, other)| value - share * other).collect()
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three rounds of the order A B B A B A A B, seen from B: 10 % more per position, and `gain` after an own slice.
    fn rounds(gain: f64) -> Vec<Vec<Step>> {
        let step = |position: u32, after| {
            let noise = f64::from(position * position % 3) / 1e3;
            let y = 0.1 * f64::from(position) + if after == Before::Own { gain } else { 0.0 } + noise;
            Step { position: f64::from(position), after, y }
        };
        let trial =
            || vec![step(1, Before::Other), step(2, Before::Own), step(4, Before::Other), step(7, Before::Other)];
        vec![trial(), trial(), trial()]
    }

    #[test]
    fn a_carry_over_is_distinguished_from_a_change_within_the_round() {
        let effect = carry_over(&rounds(0.05), 0.05).expect("twelve slices");
        assert!((effect.size - 0.05).abs() < 0.002 && !effect.interval.contains(0.0), "{effect:?}");
        let none = carry_over(&rounds(0.0), 0.05).expect("twelve slices");
        assert!(none.size.abs() < 0.002, "{none:?}");
    }

    #[test]
    fn a_carry_over_needs_both_orders_and_a_degree_of_freedom() {
        for after in [Before::Own, Before::Other] {
            let mut trials = rounds(0.05);
            trials.iter_mut().flatten().for_each(|step| step.after = after);
            assert_eq!(carry_over(&trials, 0.05), None);
        }
        assert_eq!(carry_over(&rounds(0.05)[..1], 0.05).map(|effect| effect.interval.contains(0.0)), Some(false));
        assert_eq!(carry_over(&[rounds(0.05)[0][..3].to_vec()], 0.05), None, "no degree of freedom");
        assert_eq!(carry_over(&[], 0.05), None);
    }

    #[test]
    fn later_slices_are_compared_with_earlier_ones() {
        let falling = [vec![1.0, 0.9, 0.5, 0.8, 0.7], vec![2.0, 1.91, 9.0, 1.8, 1.7], vec![3.0, 2.9, 3.0, 2.8, 2.71]];
        let effect = within_rounds(&falling, 0.05).expect("three rounds");
        assert!((effect.size + 0.2).abs() < 1e-3 && !effect.interval.contains(0.0), "{effect:?}");
        assert_eq!(within_rounds(&[vec![1.0], vec![1.0, 0.9], vec![1.0, 0.9]], 0.05), None, "only two tell");
    }
}
