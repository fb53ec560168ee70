//! Histograms of latencies: those of a run with three significant digits, those of its parts with two.

use fsarena_model::{Latency, LatencyWindow, Nanos};
use hdrhistogram::{Counter, Histogram};

use super::counters::Counters;
use crate::Operation;

/// Maximum latency that is distinguished: a minute and a half, in nanoseconds.
const LONGEST: u64 = 90_000_000_000;

/// The latencies of one operation in one part of a run.
pub type Part = Histogram<u32>;

/// Latencies with their counts.
pub type Counts = Vec<(u64, u64)>;

fn counts<T: Counter>(histogram: &Histogram<T>) -> Counts {
    histogram.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value().as_u64())).collect()
}

fn part(counts: &Counts) -> Part {
    let mut part = Part::new_with_bounds(1, LONGEST, 2).expect("the bounds are in order");
    for (latency, count) in counts {
        part.saturating_record_n(*latency, u32::try_from(*count).unwrap_or(u32::MAX));
    }
    part
}

/// The latencies of one operation.
#[derive(Debug, Clone)]
pub struct Recorder {
    /// The latencies of the parts that have ended.
    ended: Histogram<u64>,
    /// The latencies since then. The inner loop touches only these.
    current: Counters,
}

impl Recorder {
    /// Records one latency.
    #[inline]
    pub fn record(&mut self, latency: Nanos) {
        self.current.count(latency.0);
    }

    /// Records the same latency `count` times.
    pub fn record_many(&mut self, latency: Nanos, count: u64) {
        self.current.count_many(latency.0, count);
    }

    pub(super) fn clear(&mut self) {
        self.ended.reset();
        self.current.clear();
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.ended.add(&other.ended).expect("both have the same bounds");
        other.current.add_to(&mut self.ended);
    }

    /// The latencies since the last part ended; `None` if there are none.
    pub(super) fn end_part(&mut self) -> Option<Part> {
        let counts: Counts = self.current.recorded().collect();
        if counts.is_empty() {
            return None;
        }
        counts.iter().for_each(|(latency, count)| self.ended.saturating_record_n((*latency).max(1), *count));
        self.current.clear();
        Some(part(&counts))
    }

    pub(super) fn counts(&self) -> Counts {
        counts(&self.all())
    }

    pub(super) fn of_counts(counts: &Counts) -> Self {
        let mut recorder = Self::default();
        counts.iter().for_each(|(latency, count)| recorder.ended.saturating_record_n(*latency, *count));
        recorder
    }

    fn all(&self) -> Histogram<u64> {
        let mut all = self.ended.clone();
        self.current.add_to(&mut all);
        all
    }

    /// The summary of all latencies; `None` if there are none.
    pub fn summary(&self) -> Option<Latency> {
        let all = self.all();
        let at = |quantile| Nanos(all.value_at_quantile(quantile));
        (!all.is_empty()).then(|| Latency {
            count: all.len(),
            mean: Nanos(all.mean().round() as u64),
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            p999: at(0.999),
            p9999: Some(at(0.9999)),
            max: Nanos(all.max()),
        })
    }
}

impl Default for Recorder {
    fn default() -> Self {
        let ended = Histogram::new_with_bounds(1, LONGEST, 3).expect("the bounds are in order");
        Self { ended, current: Counters::default() }
    }
}

/// The latencies of one operation in one part of a run.
#[derive(Debug, Clone)]
pub struct Interval {
    pub operation: Operation,
    pub end: Nanos,
    pub part: Part,
}

impl Interval {
    pub fn join(&mut self, other: &Self) {
        self.end = self.end.max(other.end);
        self.part.add(&other.part).expect("all have the same bounds");
    }

    pub fn counts(&self) -> (Operation, Nanos, Counts) {
        (self.operation, self.end, counts(&self.part))
    }

    pub fn of_counts((operation, end, counts): &(Operation, Nanos, Counts)) -> Self {
        Self { operation: *operation, end: *end, part: part(counts) }
    }

    pub fn window(&self, slice: u32, width: Nanos) -> LatencyWindow {
        LatencyWindow {
            slice,
            end: self.end,
            width,
            operation: self.operation.name().to_owned(),
            count: self.part.len(),
            mean: Nanos(self.part.mean().round() as u64),
            p50: Nanos(self.part.value_at_quantile(0.5)),
            p99: Nanos(self.part.value_at_quantile(0.99)),
            max: Nanos(self.part.max()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values and percentiles of HdrHistogram's own tests (HdrHistogramDataAccessTest.java, `raw` and `corrected`).
    #[test]
    fn percentiles_are_those_that_hdr_histogram_publishes() {
        let near = |found: Nanos, expected: u64| {
            let off = found.0.abs_diff(expected) as f64 / expected as f64;
            assert!(off < 0.001, "{found:?} for {expected}");
        };
        let mut raw = Recorder::default();
        raw.record_many(Nanos(1000), 10_000);
        raw.record(Nanos(100_000_000));
        let latency = raw.summary().expect("something was recorded");
        assert_eq!(latency.count, 10_001);
        [latency.p50, latency.p90, latency.p99].into_iter().for_each(|found| near(found, 1000));
        near(latency.p9999.expect("of so many"), 1000);
        near(latency.max, 100_000_000);
        let mut corrected = raw;
        (1..10_000).for_each(|step| corrected.record(Nanos(step * 10_000)));
        let latency = corrected.summary().expect("something was recorded");
        assert_eq!(latency.count, 20_000);
        near(latency.p50, 1000);
        near(latency.p90, 80_000_000);
        near(latency.p99, 98_000_000);
    }

    #[test]
    fn latencies_keep_three_digits() {
        let mut recorder = Recorder::default();
        assert_eq!(recorder.summary(), None);
        for value in 1..=1000 {
            recorder.record(Nanos(value * 1000));
            if value % 300 == 0 {
                assert!(recorder.end_part().is_some());
            }
        }
        let latency = recorder.summary().expect("something was recorded");
        assert_eq!(latency.count, 1000);
        assert!((latency.p50.0 as f64 / 500_000.0 - 1.0).abs() < 0.002);
        assert!((latency.max.0 as f64 / 1_000_000.0 - 1.0).abs() < 0.002);
    }

    #[test]
    fn a_latency_beyond_the_bound_is_kept_at_the_bound() {
        let mut recorder = Recorder::default();
        recorder.record(Nanos(u64::MAX));
        assert!(recorder.summary().is_some_and(|latency| latency.max.0 >= LONGEST));
    }
}
