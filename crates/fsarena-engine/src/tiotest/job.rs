//! Runs the tests one after the other, each with all threads at the same time.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use fsarena_model::{Bytes, CacheState, Nanos, Step, Workload};

use super::parameters::Parameters;
use super::test::Test;
use super::worker::{Alike, LONG, Thread};
use crate::folder::make_cold;
use crate::workers::{Style, Workers};
use crate::{EngineError, Job, Limit, RunStats, folder};

const PERCENT: f64 = 100.0;

/// The tests of a workload.
pub struct Tests {
    workers: Workers<Thread>,
    tests: Vec<Test>,
    size: u64,
    is_cold: bool,
}

impl Tests {
    /// The tests of `workload` in `directory`.
    pub fn new(workload: &Workload, parameters: &Parameters, directory: &Path, seed: u64) -> Self {
        let Parameters { size, block, random_operations, .. } = *parameters;
        let alike = Alike { size, block, random_operations, flags: folder::sync_flags(workload.durable), seed };
        let threads = (0..parameters.threads).map(|number| Thread::new(directory, number, alike));
        let tests = Test::ALL.into_iter().filter(|test| parameters.tests.contains(test)).collect();
        Self {
            workers: Workers::new(threads, Style::Threads),
            tests,
            size,
            is_cold: workload.cache == CacheState::Cold,
        }
    }

    fn test(&mut self, test: Test, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let before = stats.elapsed;
        for thread in self.workers.workers() {
            if self.is_cold && !test.writes() {
                make_cold(thread.path(), self.size)?;
            }
            (thread.test, thread.before) = (test, before);
        }
        let mut own = RunStats::new();
        self.workers.run(limit, &mut own)?;
        let elapsed = own.elapsed.saturating_sub(before);
        stats.join(&own);
        self.tell(test, &own, elapsed, stats);
        Ok(())
    }

    fn tell(&mut self, test: Test, own: &RunStats, elapsed: Nanos, stats: &mut RunStats) {
        let (operation, operations, bytes) = (test.operation(), own.operations, own.bytes);
        let name = operation.name().to_owned();
        stats.steps.push(Step { name, operations, bytes, elapsed, synced: None, written: None });
        let Some(latency) = own.latency(operation) else { return };
        let microseconds = |time: Nanos| time.0 as f64 / 1e3;
        let [mean, max, ..] = test.told();
        stats.reported.push((mean, "us", microseconds(latency.mean)));
        stats.reported.push((max, "us", microseconds(latency.max)));
        for (index, name) in test.told()[2..].iter().enumerate().take(LONG.len()) {
            let long: u64 = self.workers.workers().map(|thread| thread.long[index]).sum();
            stats.reported.push((name, "%", long as f64 / latency.count as f64 * PERCENT));
        }
    }

    fn remove(&mut self) -> Result<(), EngineError> {
        self.workers.workers().try_for_each(|thread| folder::unlink(thread.path()))
    }
}

impl Job for Tests {
    fn prepare(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    fn reset(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        self.remove()
    }

    fn fills(&self) -> Bytes {
        Bytes(self.size.saturating_mul(u64::from(self.workers.count())))
    }

    fn is_alone(&self) -> bool {
        self.workers.is_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        for test in self.tests.clone() {
            if limit.stop.load(Ordering::Relaxed) {
                break;
            }
            self.test(test, limit, stats)?;
        }
        Ok(())
    }
}
