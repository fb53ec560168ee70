//! The windows of latency over time. A run of hours has as many windows as a run of minutes: the windows get wider.

use fsarena_model::{LatencyWindow, Nanos};
use serde::{Deserialize, Serialize};

use super::recorder::LatencyInterval;
use crate::Operation;
use crate::meter::PART;

/// Maximum number of windows of one operation in one run. Each takes 16 KiB.
const MOST: usize = 600;

/// Latencies by operation and window of time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Windows {
    /// Maximum length of a window.
    width: Nanos,
    intervals: Vec<LatencyInterval>,
}

impl Windows {
    pub fn clear(&mut self) {
        self.width = PART;
        self.intervals.clear();
    }

    /// Adds the latest part of a run. Windows are merged at most once in five minutes.
    pub fn add(&mut self, latest: LatencyInterval) {
        let operation = latest.operation;
        if self.width > PART {
            self.put(latest)
        } else {
            self.intervals.push(latest)
        }
        if self.count(operation) > MOST {
            self.merge();
            while self.count(operation) > MOST / 2 {
                self.widen();
            }
        }
    }

    /// Adds the windows of another worker that ran at the same time. Workers end their windows at slightly different
    /// windows.
    pub fn join(&mut self, other: &Self) {
        let mut other = other.clone();
        while self.width < other.width {
            self.widen();
        }
        while other.width < self.width {
            other.widen();
        }
        let near = self.width.0 / 2;
        for interval in other.intervals {
            let distance = |known: &LatencyInterval| known.end.0.abs_diff(interval.end.0);
            let same = |known: &&mut LatencyInterval| known.operation == interval.operation && distance(known) < near;
            match self.intervals.iter_mut().filter(same).min_by_key(|known| distance(known)) {
                Some(known) => known.join(&interval),
                None => self.intervals.push(interval),
            }
        }
    }

    pub fn windows(&self, slice: u32) -> impl Iterator<Item = LatencyWindow> {
        self.intervals.iter().map(move |interval| interval.window(slice, self.width))
    }

    fn count(&self, operation: Operation) -> usize {
        self.intervals.iter().filter(|interval| interval.operation == operation).count()
    }

    fn widen(&mut self) {
        self.width = Nanos(self.width.0.saturating_mul(2));
        self.merge();
    }

    /// Merges parts that end in the same window.
    fn merge(&mut self) {
        let mut intervals = std::mem::take(&mut self.intervals);
        intervals.sort_by_key(|interval| interval.end);
        intervals.into_iter().for_each(|interval| self.put(interval));
    }

    /// Adds a part that ends after all others, to the one that ends in the same window, if there is one.
    fn put(&mut self, latest: LatencyInterval) {
        let of = |interval: &LatencyInterval| (interval.operation, window(interval.end, self.width));
        match self.intervals.iter_mut().rev().take(2 * Operation::COUNT).find(|known| of(known) == of(&latest)) {
            Some(known) => known.join(&latest),
            None => self.intervals.push(latest),
        }
    }
}

impl Default for Windows {
    fn default() -> Self {
        Self { width: PART, intervals: Vec::new() }
    }
}

/// The number of the window in which a part ends, from 1. A window includes its end.
fn window(end: Nanos, width: Nanos) -> u64 {
    end.0.div_ceil(width.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunStats;

    const SECOND: u64 = 1_000_000_000;

    /// A worker that reads once and syncs once in each second.
    fn worker(seconds: u64) -> RunStats {
        let mut stats = RunStats::new();
        for second in 1..=seconds {
            stats.record(Operation::Read, Nanos(1000));
            stats.record(Operation::Fsync, Nanos(if second == 1234 { 9_000_000 } else { 2000 }));
            stats.end_part(Nanos(second * SECOND));
        }
        stats
    }

    #[test]
    fn a_run_of_hours_has_as_many_windows_as_one_of_minutes_and_loses_nothing() {
        let hours = worker(3 * 3600).windows();
        let of = |operation: &str| hours.iter().filter(|window| window.operation == operation).collect::<Vec<_>>();
        for operation in ["read", "fsync"] {
            let own = of(operation);
            assert!(own.len() <= MOST && own.len() >= MOST / 4, "{}", own.len());
            assert_eq!(own.iter().map(|window| window.count).sum::<u64>(), 3 * 3600);
            assert!(own.windows(2).all(|pair| pair[0].end < pair[1].end));
            assert!(own.iter().all(|window| window.count <= window.width.0 / SECOND));
        }
        let long = of("fsync").into_iter().find(|window| window.max.0 > 8_000_000).expect("it is kept");
        assert!(long.end.0.abs_diff(1234 * SECOND) < long.width.0, "{long:?}");
    }

    #[test]
    fn short_runs_keep_windows_of_a_second() {
        let windows = worker(300).windows();
        assert_eq!(windows.len(), 600);
        assert!(windows.iter().all(|window| window.width == PART));
    }

    #[test]
    fn workers_with_windows_of_different_widths_are_joined() {
        let (mut long, short) = (worker(2000), worker(500));
        let width = long.windows()[0].width;
        long.join(&short);
        let windows = long.windows();
        let reads = windows.iter().filter(|window| window.operation == "read");
        assert!(width > PART && windows.iter().all(|window| window.width == width));
        assert_eq!(reads.map(|window| window.count).sum::<u64>(), 2500);
        let mut other = worker(500);
        other.join(&worker(2000));
        assert_eq!(other.windows().len(), windows.len());
    }

    #[test]
    fn many_short_parts_are_bounded_too() {
        let mut stats = RunStats::new();
        for part in 1..=10_000_u64 {
            stats.record(Operation::Run, Nanos(part));
            stats.end_part(Nanos(part * SECOND / 100));
        }
        let windows = stats.windows();
        assert!(windows.len() <= MOST, "{}", windows.len());
        assert_eq!(windows.iter().map(|window| window.count).sum::<u64>(), 10_000);
    }
}
