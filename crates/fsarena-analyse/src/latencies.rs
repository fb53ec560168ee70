//! The latencies of a cell: how often those of each length occurred, and the records of its trials on one time axis.

use std::collections::BTreeMap;

use fsarena_model::comparison::{LatencyBucket, LatencyHistogram, LatencyOverTime, Point};
use fsarena_model::{LatencyCount, LatencyWindow, Nanos, Slice, Trial};

/// The histogram of each operation, by name.
pub fn histograms(trials: &[&Trial]) -> Vec<LatencyHistogram> {
    let mut all: BTreeMap<&str, BTreeMap<Nanos, u64>> = BTreeMap::new();
    for (operation, counts) in trials.iter().flat_map(|trial| &trial.histograms) {
        let own = all.entry(operation).or_default();
        for LatencyCount { at_most, count } in counts {
            let known = own.entry(*at_most).or_default();
            *known = known.saturating_add(*count);
        }
    }
    all.into_iter().map(|(operation, counts)| histogram(operation, counts)).collect()
}

fn histogram(operation: &str, counts: BTreeMap<Nanos, u64>) -> LatencyHistogram {
    let mut buckets: BTreeMap<u64, u64> = BTreeMap::new();
    for (latency, count) in &counts {
        let known = buckets.entry(bound(latency.0)).or_default();
        *known = known.saturating_add(*count);
    }
    let bucket = |(bound, count)| LatencyBucket { at_most: Nanos(bound).as_seconds(), count };
    LatencyHistogram {
        operation: operation.to_owned(),
        buckets: buckets.into_iter().map(bucket).collect(),
        counts: counts.into_iter().map(|(at_most, count)| LatencyCount { at_most, count }).collect(),
    }
}

/// The smallest of 1, 2, 5, 10, 20, 50 … that is at least `nanoseconds`; above all of these, the largest.
fn bound(nanoseconds: u64) -> u64 {
    let powers = (0..u64::MAX.ilog10()).map(|exponent| 10_u64.pow(exponent));
    let bounds = powers.flat_map(|power| [power, 2 * power, 5 * power]);
    bounds.clone().find(|bound| *bound >= nanoseconds).or(bounds.last()).unwrap_or_default()
}

/// The latency over time of each of a cell's operations, by name; points by round, then time.
pub fn over_time(trials: &[&Trial]) -> Vec<LatencyOverTime> {
    let mut all: BTreeMap<&str, Vec<Point>> = BTreeMap::new();
    for trial in trials {
        let starts = starts(trial);
        for window in &trial.over_time {
            let point = |&(slice, start)| point(trial.round, slice, start, window);
            all.entry(&window.operation).or_default().extend(starts.get(&window.slice).map(point));
        }
    }
    all.into_iter().map(|(operation, points)| LatencyOverTime { operation: operation.to_owned(), points }).collect()
}

/// By slice position: the slice's number within the trial, from 1, and the timed duration before it.
fn starts(trial: &Trial) -> BTreeMap<u32, (u32, Nanos)> {
    let mut before = Nanos(0);
    let start = |(index, slice): (usize, &Slice)| {
        let start = before;
        before = before + slice.elapsed;
        (slice.position, (index as u32 + 1, start))
    };
    trial.slices.iter().enumerate().map(start).collect()
}

fn point(round: u32, slice: u32, start: Nanos, window: &LatencyWindow) -> Point {
    Point {
        round,
        slice,
        seconds: (start + window.end).as_seconds(),
        mean: window.mean.as_seconds(),
        p50: window.p50.as_seconds(),
        p99: window.p99.as_seconds(),
        max: window.max.as_seconds(),
    }
}

#[cfg(test)]
mod tests {
    use fsarena_model::Outcome;

    use super::*;

    #[test]
    fn counts_of_all_rounds_fall_into_buckets_of_their_bounds() {
        let trial = |counts: &[(u64, u64)]| {
            let counts: Vec<LatencyCount> = counts.iter().copied().map(LatencyCount::from).collect();
            let histograms = BTreeMap::from([("read".to_owned(), counts)]);
            Trial { histograms, ..Trial::empty(1, "w", "ext4".into(), Outcome::Finished) }
        };
        let (one, two) = (trial(&[(1000, 3), (1015, 2)]), trial(&[(1015, 4), (2_100_000, 1), (u64::MAX, 1)]));
        let [histogram] = &histograms(&[&one, &two])[..] else { panic!("one operation") };
        let buckets: Vec<(f64, u64)> = histogram.buckets.iter().map(|bucket| (bucket.at_most, bucket.count)).collect();
        assert_eq!(buckets, [(1e-6, 3), (2e-6, 6), (5e-3, 1), (5e9, 1)]);
        let fine: Vec<(u64, u64)> = histogram.counts.iter().map(|count| (*count).into()).collect();
        assert_eq!(fine, [(1000, 3), (1015, 6), (2_100_000, 1), (u64::MAX, 1)]);
    }
}
