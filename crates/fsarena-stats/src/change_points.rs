//! Change points: where does a series of values change its level?
//!
//! Binary segmentation (Scott and Knott 1974): the series is split where the means of both parts differ most, and each
//! part is searched in the same way. A split counts if a permutation test finds it: if nothing changes, the order of
//! the values says nothing, so the largest difference of the true order is compared with those of random orders
//! (as in E-divisive: Matteson and James 2014; used for benchmarks by Daly et al. 2020). The test assumes no
//! distribution, but that values do not depend on the ones before them: a slow drift is found as steps.

use rand_pcg::Pcg64;
use rand_pcg::rand_core::{Rng, SeedableRng};

use crate::summary::mean;

/// Number of random orders. The smallest p value is one over this.
const ORDERS: u32 = 2000;

/// A change of level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// Index of the first value of the new level.
    pub index: usize,
    /// The mean of the new level less that of the old one, each up to the next change.
    pub size: f64,
    /// The probability of so clear a split if nothing changes.
    pub p: f64,
}

/// The changes of a series, in order. If nothing changes, one is found with a probability of at most `alpha`.
pub fn change_points(values: &[f64], alpha: f64) -> Vec<ChangePoint> {
    let mut splits: Vec<(usize, f64)> = Vec::new();
    search(values, 0, alpha, &mut splits);
    splits.sort_by_key(|split| split.0);
    let ends: Vec<usize> = [0].into_iter().chain(splits.iter().map(|split| split.0)).chain([values.len()]).collect();
    let levels: Vec<f64> = ends.windows(2).map(|ends| mean(&values[ends[0]..ends[1]])).collect();
    let sizes = levels.windows(2).map(|levels| levels[1] - levels[0]);
    splits.iter().zip(sizes).map(|(&(index, p), size)| ChangePoint { index, size, p }).collect()
}

fn search(values: &[f64], start: usize, alpha: f64, splits: &mut Vec<(usize, f64)>) {
    let Some((index, clearest)) = clearest(values) else { return };
    // Every machine draws the same orders.
    let mut generator = Pcg64::seed_from_u64(values.len() as u64);
    let mut shuffled = values.to_vec();
    let as_clear = |_: &u32| {
        shuffle(&mut shuffled, &mut generator);
        self::clearest(&shuffled).is_some_and(|(_, other)| other >= clearest * (1.0 - 1e-9))
    };
    let p = f64::from(1 + (1..ORDERS).filter(as_clear).count() as u32) / f64::from(ORDERS);
    if p <= alpha {
        splits.push((start + index, p));
        search(&values[..index], start, alpha, splits);
        search(&values[index..], start + index, alpha, splits);
    }
}

/// The split at which the means differ most, for its parts' lengths; `None` if there is none, or nothing varies.
fn clearest(values: &[f64]) -> Option<(usize, f64)> {
    let (count, mean) = (values.len() as f64, mean(values));
    let mut sum = 0.0;
    let mut best: Option<(usize, f64)> = None;
    for (before, value) in (1..values.len()).zip(values) {
        sum += value - mean;
        let (left, right) = (before as f64, count - before as f64);
        let distance = sum.abs() / (left * right / count).sqrt();
        if distance > best.map_or(0.0, |(_, distance)| distance) {
            best = Some((before, distance));
        }
    }
    best
}

/// Fisher and Yates.
fn shuffle(values: &mut [f64], generator: &mut Pcg64) {
    for last in (1..values.len()).rev() {
        // The bias of the remainder is below 1e-15.
        values.swap(last, (generator.next_u64() % (last as u64 + 1)) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A level with small deviations that follow no order.
    fn level(mean: f64, count: usize) -> impl Iterator<Item = f64> {
        let deviations = [0.3, -1.1, 0.8, -0.2, 1.4, -0.9, -0.4, 0.6, -1.3, 0.1];
        deviations.into_iter().cycle().take(count).map(move |deviation| mean + 0.01 * deviation)
    }

    #[test]
    fn changes_are_found_where_they_are() {
        let values: Vec<f64> = level(0.0, 10).chain(level(-0.1, 12)).chain(level(0.05, 10)).collect();
        let found = change_points(&values, 0.01);
        assert_eq!(found.iter().map(|change| change.index).collect::<Vec<_>>(), [10, 22]);
        assert!((found[0].size + 0.1).abs() < 0.01 && (found[1].size - 0.15).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn a_single_level_has_no_change_and_few_values_show_none() {
        assert_eq!(change_points(&level(0.0, 30).collect::<Vec<_>>(), 0.05), []);
        assert_eq!(change_points(&[0.0; 20], 0.05), []);
        assert_eq!(change_points(&[0.0, 0.1, 5.0, 5.1], 0.05), [], "no order of four values is rare enough");
        assert_eq!(change_points(&[], 0.05), []);
    }

    #[test]
    fn equal_series_have_a_change_in_at_most_alpha() {
        let mut generator = Pcg64::seed_from_u64(7);
        let mut value = || (0..12).map(|_| (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64).sum::<f64>();
        let found = (0..200).filter(|_| !change_points(&[(); 15].map(|()| value()), 0.05).is_empty()).count();
        assert!(found <= 16, "{found} of 200");
    }
}
