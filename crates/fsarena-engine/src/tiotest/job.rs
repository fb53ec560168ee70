//! Runs the tests one after the other, each with all threads at the same time.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering;

use fsarena_model::{Bytes, CacheState, Nanos, Step, Workload};

use super::parameters::Parameters;
use super::test::Test;
use super::worker::{Alike, LONG, Thread};
use crate::crew::{Crew, Style};
use crate::forget::forget;
use crate::{EngineError, Job, Limit, Tally, folder};

const PERCENT: f64 = 100.0;

/// The tests of a workload.
pub struct Tests {
    crew: Crew<Thread>,
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
        Self { crew: Crew::new(threads, Style::Threads), tests, size, is_cold: workload.cache == CacheState::Cold }
    }

    fn test(&mut self, test: Test, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError> {
        let before = tally.elapsed;
        for thread in self.crew.workers() {
            if self.is_cold && !test.writes() {
                forget(thread.path(), self.size)?;
            }
            (thread.test, thread.before) = (test, before);
        }
        let mut own = Tally::new();
        self.crew.run(limit, &mut own)?;
        let elapsed = own.elapsed.saturating_sub(before);
        tally.join(&own);
        self.tell(test, &own, elapsed, tally);
        Ok(())
    }

    fn tell(&mut self, test: Test, own: &Tally, elapsed: Nanos, tally: &mut Tally) {
        let (operation, operations, bytes) = (test.operation(), own.operations, own.bytes);
        let name = operation.name().to_owned();
        tally.steps.push(Step { name, operations, bytes, elapsed, synced: None, written: None });
        let Some(latency) = own.latency(operation) else { return };
        let microseconds = |time: Nanos| time.0 as f64 / 1e3;
        let [mean, max, ..] = test.told();
        tally.said.push((mean, "us", microseconds(latency.mean)));
        tally.said.push((max, "us", microseconds(latency.max)));
        for (index, name) in test.told()[2..].iter().enumerate().take(LONG.len()) {
            let long: u64 = self.crew.workers().map(|thread| thread.long[index]).sum();
            tally.said.push((name, "%", long as f64 / latency.count as f64 * PERCENT));
        }
    }

    fn remove(&mut self) -> Result<(), EngineError> {
        self.crew.workers().try_for_each(|thread| folder::unlink(thread.path()))
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
        Bytes(self.size.saturating_mul(u64::from(self.crew.count())))
    }

    fn is_alone(&self) -> bool {
        self.crew.is_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError> {
        for test in self.tests.clone() {
            if limit.stop.load(Ordering::Relaxed) {
                break;
            }
            self.test(test, limit, tally)?;
        }
        Ok(())
    }
}
