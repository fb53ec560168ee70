//! The results of a run: operations, bytes, time inside the timer, and the latencies of operations and syncs.

mod recorder;
mod windows;

use fsarena_model::{ClientsWork, Latency, LatencyCount, LatencyWindow, Nanos, Probe, Step, probe};
use serde::{Deserialize, Serialize};

use crate::Operation;
use recorder::LatencyInterval;
pub use recorder::LatencyRecorder;
use windows::Windows;

/// The results of runs. A value holds one run, or, with [`RunStats::follow`], several. A worker process sends those of
/// its run to the process that started it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RunStats {
    /// Operations done.
    pub operations: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// Time inside the timer.
    pub elapsed: Nanos,
    /// The starts and ends of the timed parts of a run, by `CLOCK_MONOTONIC`; empty if they are not known. A worker has one
    /// for each of its runs.
    pub spans: Vec<(Nanos, Nanos)>,
    /// Requested operations per second, if the load is an open loop.
    pub offered: Option<f64>,
    /// The steps of the run, if it has any.
    pub steps: Vec<Step>,
    /// Further figures that the program reported.
    pub reported: Vec<(Probe, f64)>,
    /// What each client did, if clients did the work.
    pub clients: Option<ClientsWork>,
    /// The figure that the program printed for the workload's metric.
    #[serde(skip)]
    pub printed: Option<f64>,
    recorders: [Option<Box<LatencyRecorder>>; Operation::COUNT],
    /// The windows of the current run.
    windows: Windows,
    /// The windows of earlier slices.
    #[serde(skip)]
    earlier: Vec<LatencyWindow>,
}

impl RunStats {
    /// Empty run statistics.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empties the statistics. They keep their memory, so that the next run does not touch new memory.
    pub fn clear(&mut self) {
        (self.operations, self.bytes, self.elapsed, self.offered, self.printed) = (0, 0, Nanos(0), None, None);
        self.recorders.iter_mut().flatten().for_each(|recorder| recorder.clear());
        self.windows.clear();
        self.spans.clear();
        self.earlier.clear();
        self.steps.clear();
        self.reported.clear();
        self.clients = None;
    }

    /// Records the latency of one operation. Measured: 20 instructions, and no allocation except for the first
    /// operation of a kind.
    #[inline(always)]
    pub fn record(&mut self, operation: Operation, latency: Nanos) {
        match &mut self.recorders[operation as usize] {
            Some(recorder) => recorder.record(latency),
            None => self.record_first(operation, latency),
        }
    }

    #[cold]
    #[inline(never)]
    fn record_first(&mut self, operation: Operation, latency: Nanos) {
        self.recorders[operation as usize].insert(Box::default()).record(latency);
    }

    /// Records `count` operations of the same latency.
    pub fn record_many(&mut self, operation: Operation, latency: Nanos, count: u64) {
        self.recorders[operation as usize].get_or_insert_default().record_many(latency, count);
    }

    /// Adds operations and bytes that a program reported. The reported numbers may be of any size.
    pub fn count_done(&mut self, operations: u64, bytes: u64) {
        self.operations = self.operations.saturating_add(operations);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Adds a step without a sync of its own.
    pub fn add_step(&mut self, name: &str, operations: u64, bytes: u64, elapsed: Nanos) {
        self.steps.push(Step { name: name.to_owned(), operations, bytes, elapsed, synced: None, written: None });
    }

    /// Adds writes that were durable when they returned, if the operations are something else. Each needs a flush.
    pub fn count_durable_writes(&mut self, count: u64) {
        match self.reported.iter_mut().find(|(probe, _)| *probe == probe::DURABLE_WRITES) {
            Some((_, known)) => *known += count as f64,
            None => self.reported.push((probe::DURABLE_WRITES, count as f64)),
        }
    }

    /// Adds transactions that were acknowledged as durable, over `connections` connections. Such transactions may share
    /// a flush.
    pub fn count_commits(&mut self, commits: u64, connections: u64) {
        self.reported.extend([(probe::COMMITS, commits as f64), (probe::CONNECTIONS, connections as f64)]);
    }

    /// Ends a part of the run at `end`, which counts from the start of its timer. The latencies since the last part
    /// become a window.
    pub fn end_part(&mut self, end: Nanos) {
        for operation in Operation::all() {
            if let Some(part) = self.recorders[operation as usize].as_mut().and_then(|recorder| recorder.end_part()) {
                self.windows.add(LatencyInterval { operation, end, part });
            }
        }
    }

    /// Adds the results of another worker that ran at the same time.
    pub fn join(&mut self, other: &Self) {
        self.elapsed = self.elapsed.max(other.elapsed);
        self.take_in(other);
        self.offered = match (self.offered, other.offered) {
            (Some(one), Some(two)) => Some(one + two),
            (one, two) => one.or(two),
        };
        self.windows.join(&other.windows);
    }

    /// Adds the run of the slice at `position`, which came after all earlier ones.
    pub fn follow(&mut self, later: &Self, position: u32) {
        self.elapsed = self.elapsed + later.elapsed;
        self.offered = later.offered.or(self.offered);
        self.take_in(later);
        if let Some(later) = &later.clients {
            self.clients.get_or_insert_default().follow(later);
        }
        self.steps.extend(later.steps.iter().cloned());
        self.reported.extend(&later.reported);
        self.earlier.extend(later.windows.windows(position));
    }

    fn take_in(&mut self, other: &Self) {
        self.operations += other.operations;
        self.bytes += other.bytes;
        for (mine, theirs) in self.recorders.iter_mut().zip(&other.recorders) {
            if let Some(theirs) = theirs {
                mine.get_or_insert_default().add(theirs);
            }
        }
    }

    /// The latencies of an operation; `None` if it was never done.
    pub fn latency(&self, operation: Operation) -> Option<Latency> {
        self.recorders[operation as usize].as_ref()?.summary()
    }

    /// The latencies of all operations except syncs, together.
    pub fn latency_of_operations(&self) -> Option<Latency> {
        let mut all: Option<LatencyRecorder> = None;
        for operation in Operation::all().filter(|operation| !operation.is_sync()) {
            if let Some(recorder) = &self.recorders[operation as usize] {
                all.get_or_insert_default().add(recorder);
            }
        }
        all?.summary()
    }

    /// The latencies of each operation that was done.
    pub fn latencies(&self) -> impl Iterator<Item = (Operation, Latency)> {
        Operation::all().filter_map(|operation| Some((operation, self.latency(operation)?)))
    }

    /// How often each latency of each operation occurred.
    pub fn histograms(&self) -> impl Iterator<Item = (Operation, Vec<LatencyCount>)> {
        let of = |operation: Operation| Some((operation, self.recorders[operation as usize].as_ref()?.counts()));
        Operation::all().filter_map(of).filter(|(_, counts)| !counts.is_empty())
    }

    /// The latencies over time.
    pub fn windows(&self) -> Vec<LatencyWindow> {
        self.earlier.iter().cloned().chain(self.windows.windows(0)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(operation: Operation, latencies: impl IntoIterator<Item = u64>, end: u64) -> RunStats {
        let mut stats = RunStats::new();
        for latency in latencies {
            stats.operations += 1;
            stats.record(operation, Nanos(latency));
        }
        stats.elapsed = Nanos(end);
        stats.end_part(Nanos(end));
        stats
    }

    #[test]
    fn workers_are_joined_and_slices_follow() {
        let mut one = of(Operation::Read, (1..=1000).map(|value| value * 1000), 50);
        one.join(&of(Operation::Read, [2_000_000], 50));
        assert_eq!((one.operations, one.elapsed), (1001, Nanos(50)));
        let windows = one.windows();
        assert_eq!(windows.len(), 1, "the same part of the same operation");
        assert_eq!(windows[0].count, 1001);
        assert!((windows[0].max.0 as f64 / 2e6 - 1.0).abs() < 0.01, "{windows:?}");

        let mut all = RunStats::new();
        all.follow(&one, 0);
        all.follow(&of(Operation::Fsync, [5], 70), 3);
        assert_eq!((all.operations, all.elapsed), (1002, Nanos(120)));
        assert_eq!(all.windows().iter().map(|window| window.slice).collect::<Vec<_>>(), [0, 3]);
        let latency = all.latency(Operation::Read).expect("recorded");
        assert!((latency.p50.0 as f64 / 500_000.0 - 1.0).abs() < 0.003, "{latency:?}");
        assert_eq!(all.latency_of_operations().map(|latency| latency.count), Some(1001), "a sync is none");
    }

    #[test]
    fn a_short_last_part_is_joined_with_that_of_others() {
        let worker = |late: u64| {
            let mut stats = of(Operation::Read, [1, 2, 3], 1_000_000_000 + late);
            stats.record(Operation::Read, Nanos(4));
            stats.end_part(Nanos(1_200_000_000 + late));
            stats
        };
        let mut one = worker(0);
        one.join(&worker(50_000));
        assert_eq!(one.windows().iter().map(|window| window.count).collect::<Vec<_>>(), [6, 2]);
    }

    #[test]
    fn rates_of_workers_add_up_and_those_of_slices_do_not() {
        let at = |rate| RunStats { offered: Some(rate), ..RunStats::new() };
        let mut workers = at(300.0);
        workers.join(&at(200.0));
        let mut slices = RunStats::new();
        (0..4).for_each(|position| slices.follow(&workers, position));
        assert_eq!(slices.offered, Some(500.0));
    }

    #[test]
    fn a_tally_is_the_same_after_the_way_between_processes() {
        let mut stats = of(Operation::Write, [1_000, 2_000_000, 2_000_000], 9);
        stats.record(Operation::Fsync, Nanos(5));
        let json = serde_json::to_string(&stats).expect("numbers");
        let other: RunStats = serde_json::from_str(&json).expect("numbers");
        assert_eq!(other.latencies().collect::<Vec<_>>(), stats.latencies().collect::<Vec<_>>());
        assert_eq!(other.windows(), stats.windows());
        assert_eq!((other.operations, other.elapsed), (3, Nanos(9)));
    }
}
