//! A machine that is left alone: what its counters show, and how evenly a processor works.

use std::collections::BTreeMap;
use std::hint::black_box;

use fsarena_model::{Nanos, ProbeId};
use fsarena_sys::clock;

use crate::{Snapshot, Target, Totals};

/// The growth of all counters per second, while this process waits for `time`. Counters that cannot be read are absent.
pub fn rates_at_rest(target: &Target, time: Nanos) -> BTreeMap<ProbeId, f64> {
    let (before, start) = (Snapshot::take(target), clock::now());
    std::thread::sleep(time.into());
    let mut totals = Totals::default();
    totals.add(&before, &Snapshot::take(target));
    let seconds = clock::now().saturating_sub(start).as_seconds();
    totals.readings().into_iter().filter_map(|(id, reading)| Some((id, reading.value? / seconds))).collect()
}

/// Steps of one piece; it takes some tenths of a millisecond.
const STEPS: u32 = 100_000;

/// The distribution of the time of a piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jitter {
    /// Median time of a piece.
    pub median: Nanos,
    /// The 99th percentile as a multiple of the median.
    pub slow_ratio: f64,
}

impl Jitter {
    /// Repeats a fixed piece of work for `time`.
    pub fn measure(time: Nanos) -> Self {
        let mut times = Vec::new();
        let began = clock::now();
        let mut now = began;
        while now.saturating_sub(began) < time {
            black_box(piece(black_box(STEPS)));
            let end = clock::now();
            times.push(end.saturating_sub(now));
            now = end;
        }
        Self::of(times)
    }

    fn of(mut times: Vec<Nanos>) -> Self {
        times.sort_unstable();
        let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
        let (median, slow) = (at(0.5), at(0.99));
        Self { median, slow_ratio: slow.0 as f64 / median.0.max(1) as f64 }
    }
}

/// A chain of dependent steps in registers, as in SplitMix64.
fn piece(steps: u32) -> u64 {
    (0..steps).fold(1, |state: u64, _| {
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 27)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_a_hundred_is_the_slow_one() {
        let times = (0..100).map(|index| Nanos(if index == 50 { 300 } else { 100 })).collect();
        assert_eq!(Jitter::of(times), Jitter { median: Nanos(100), slow_ratio: 3.0 });
    }

    #[test]
    fn something_is_always_measured() {
        assert!(Jitter::measure(Nanos::millis(1)).median > Nanos(0));
    }
}
