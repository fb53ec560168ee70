//! Histograms of latencies: a run's with three significant digits, and those of its parts with two.

use fsarena_model::{Latency, Moment, Nanos};
use hdrhistogram::{Counter, Histogram};

use super::counters::Counters;
use crate::Operation;

/// The longest latency that is told apart: a minute and a half, in nanoseconds.
const LONGEST: u64 = 90_000_000_000;

/// The latencies of one operation in one part of a run.
pub type Part = Histogram<u32>;

/// Latencies with how often each was recorded.
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
    /// Of the parts that have ended.
    ended: Histogram<u64>,
    /// Since then; the only one that the inner loop touches.
    current: Counters,
}

impl Recorder {
    /// Takes in one latency.
    #[inline]
    pub fn record(&mut self, latency: Nanos) {
        self.current.count(latency.0);
    }

    /// Takes in the same latency `count` times.
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

    /// What was recorded since the last part ended; `None` if nothing was.
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

    /// What was recorded; `None` if nothing was.
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

/// One operation in one part of a run.
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

    pub fn moment(&self, slice: u32, width: Nanos) -> Moment {
        Moment {
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
