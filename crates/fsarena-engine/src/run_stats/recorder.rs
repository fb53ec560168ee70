//! Histograms of latencies: those of a run with three significant digits, those of its parts with two. The inner loop
//! increments counters of its own: those of an HDR histogram, without the fields that only reading needs.

use fsarena_model::{Latency, LatencyCount, LatencyWindow, Nanos};
use hdrhistogram::{Counter, Histogram};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Operation;

/// Maximum latency that is distinguished: a minute and a half, in nanoseconds.
const LONGEST: u64 = 90_000_000_000;

/// The latencies of one operation in one part of a run.
pub type PartHistogram = Histogram<u32>;

type Counts = Vec<(u64, u64)>;

fn counts<T: Counter>(histogram: &Histogram<T>) -> Counts {
    histogram.iter_recorded().map(|step| (step.value_iterated_to(), step.count_at_value().as_u64())).collect()
}

fn part(counts: &Counts) -> PartHistogram {
    let mut part = PartHistogram::new_with_bounds(1, LONGEST, 2).expect("the bounds are in order");
    for (latency, count) in counts {
        part.saturating_record_n(*latency, u32::try_from(*count).unwrap_or(u32::MAX));
    }
    part
}

fn write_part<S: Serializer>(part: &PartHistogram, serializer: S) -> Result<S::Ok, S::Error> {
    counts(part).serialize(serializer)
}

fn read_part<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PartHistogram, D::Error> {
    Counts::deserialize(deserializer).map(|counts| part(&counts))
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Counts", into = "Counts")]
pub struct LatencyRecorder {
    /// The latencies of the parts that have ended.
    ended: Histogram<u64>,
    /// The latencies since then. The inner loop touches only these.
    current: ValueCounters,
}

impl LatencyRecorder {
    #[inline(always)]
    pub fn record(&mut self, latency: Nanos) {
        // No overflow: a part of a run lasts a second, which is too short for four billion operations.
        self.current.0[index(latency.0)] += 1;
    }

    pub fn record_many(&mut self, latency: Nanos, count: u64) {
        let counter = &mut self.current.0[index(latency.0)];
        *counter = counter.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
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
    pub(super) fn end_part(&mut self) -> Option<PartHistogram> {
        let counts: Counts = self.current.recorded().collect();
        if counts.is_empty() {
            return None;
        }
        counts.iter().for_each(|(latency, count)| self.ended.saturating_record_n((*latency).max(1), *count));
        self.current.clear();
        Some(part(&counts))
    }

    fn all(&self) -> Histogram<u64> {
        let mut all = self.ended.clone();
        self.current.add_to(&mut all);
        all
    }

    /// How often each latency was recorded, to two significant digits.
    pub fn counts(&self) -> Vec<LatencyCount> {
        let mut coarse = Histogram::<u64>::new_with_bounds(1, LONGEST, 2).expect("the bounds are in order");
        counts(&self.all()).iter().for_each(|(latency, count)| coarse.saturating_record_n(*latency, *count));
        counts(&coarse).into_iter().map(LatencyCount::from).collect()
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

impl From<Counts> for LatencyRecorder {
    fn from(counts: Counts) -> Self {
        let mut recorder = Self::default();
        counts.iter().for_each(|(latency, count)| recorder.ended.saturating_record_n(*latency, *count));
        recorder
    }
}

impl From<LatencyRecorder> for Counts {
    fn from(recorder: LatencyRecorder) -> Self {
        counts(&recorder.all())
    }
}

impl Default for LatencyRecorder {
    fn default() -> Self {
        let ended = Histogram::new_with_bounds(1, LONGEST, 3).expect("the bounds are in order");
        Self { ended, current: ValueCounters::default() }
    }
}

/// The latencies of one operation in one part of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LatencyInterval {
    pub operation: Operation,
    pub end: Nanos,
    #[serde(serialize_with = "write_part", deserialize_with = "read_part")]
    pub part: PartHistogram,
}

impl LatencyInterval {
    pub fn join(&mut self, other: &Self) {
        self.end = self.end.max(other.end);
        self.part.add(&other.part).expect("all have the same bounds");
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

/// Values below this have one counter each. Above it, each power of two has half as many counters: three significant
/// digits.
const FINE: u64 = 1 << BITS;
const BITS: u32 = 11;
/// Values of at least 2 to the power of this, 137 seconds in nanoseconds, are counted as one less than that power.
const LONGEST_BITS: u32 = 37;
const COUNT: usize = ((LONGEST_BITS - BITS + 2) as usize) << (BITS - 1);

/// Counters of values in nanoseconds. Counting takes 12 instructions; hdrhistogram's own recording takes 59.
#[derive(Debug, Clone)]
pub struct ValueCounters(Box<[u32; COUNT]>);

impl ValueCounters {
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Each value that was counted, as the middle of its class, with its count.
    pub fn recorded(&self) -> impl Iterator<Item = (u64, u64)> {
        let counted = self.0.iter().enumerate().filter(|(_, count)| **count > 0);
        counted.map(|(index, count)| (value(index), u64::from(*count)))
    }

    pub fn add_to(&self, histogram: &mut Histogram<u64>) {
        self.recorded().for_each(|(value, count)| histogram.saturating_record_n(value.max(1), count));
    }
}

impl Default for ValueCounters {
    fn default() -> Self {
        let counters = vec![0; COUNT].into_boxed_slice();
        Self(counters.try_into().expect("it has that length"))
    }
}

/// The index of the counter of `value`: its highest eleven bits, and the number of bits below them.
#[inline]
fn index(value: u64) -> usize {
    let value = value.min((1 << LONGEST_BITS) - 1);
    let shift = (u64::BITS - BITS).saturating_sub((value | (FINE - 1)).leading_zeros());
    ((shift as usize) << (BITS - 1)) + (value >> shift) as usize
}

/// The middle of the values that a counter counts.
fn value(index: usize) -> u64 {
    let half = FINE / 2;
    let shift = (index as u64 / half).saturating_sub(1);
    let top = index as u64 - shift * half;
    (top << shift) + ((1 << shift) >> 1)
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
        let mut raw = LatencyRecorder::default();
        raw.record_many(Nanos(1000), 10_000);
        raw.record(Nanos(100_000_000));
        let latency = raw.summary().expect("something was recorded");
        assert_eq!(latency.count, 10_001);
        [latency.p50, latency.p90, latency.p99].into_iter().for_each(|found| near(found, 1000));
        near(latency.p9999.expect("of ten thousand"), 1000);
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
    fn every_value_is_counted_near_itself() {
        let powers = (0..LONGEST_BITS).map(|bits| 1_u64 << bits);
        let values = powers.flat_map(|power| [power - 1, power, power + 1, power + power / 3, power + power / 2]);
        for original in values.filter(|value| *value < 1 << LONGEST_BITS) {
            let found = value(index(original));
            assert!(found.abs_diff(original) as f64 <= original as f64 / 1000.0, "{original} as {found}");
        }
        assert!((0..COUNT).all(|counter| index(value(counter)) == counter), "each counter has its own values");
    }

    #[test]
    fn the_longest_are_counted_as_the_longest() {
        let mut recorder = LatencyRecorder::default();
        recorder.record(Nanos(u64::MAX));
        recorder.record(Nanos(0));
        let recorded: Vec<(u64, u64)> = recorder.current.recorded().collect();
        assert_eq!(recorded.len(), 2);
        assert_eq!(recorded[0], (0, 1));
        assert!(recorded[1].0 > 137_000_000_000);
        recorder.clear();
        assert_eq!(recorder.current.recorded().count(), 0);
    }
}
