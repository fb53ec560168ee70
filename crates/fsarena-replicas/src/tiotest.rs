//! The engine `tiotest`: a native implementation of the threaded I/O tester (tiobench 0.3.3). Each thread writes and
//! reads its own file, in order and at random, and the time of each call is measured.
//!
//! The wall time of a test ends with the fsync and close of the last thread. These are in no latency of a call. The
//! files get their full size before the first test begins (ftruncate), and contain zeros, as in the original.

mod worker;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_model::{Bytes, CacheState, DurablePoint, Nanos, Probe, Traits, Workload, intern};
use serde::Deserialize;

use fsarena_engine::folder::{self, make_cold};
use fsarena_engine::parameters::{checked, or, runs_once, size};
use fsarena_engine::workers::{WorkerStyle, Workers};
use fsarena_engine::{Engine, EngineError, Job, Limit, NextRun, Operation, RunStats, Upkeep};
use worker::{Alike, Thread};

/// Estimate of the bytes per second of a test, from and to memory. It is used before anything is measured.
const PER_SECOND: f64 = 1e9;
/// Estimate of the bytes per second of a test that flushes each write.
const PER_SECOND_FLUSHED: f64 = 40e6;

pub const ENGINE: Engine = Engine::new("tiotest", traits, open);

/// It syncs before the tests that read cold files. A file system in memory has no cold files.
fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    let all = TiotestParameters::of(workload)?.all();
    let rate = if workload.durable == DurablePoint::None { PER_SECOND } else { PER_SECOND_FLUSHED };
    Ok(Traits {
        peak: Bytes(all),
        extra_time: Nanos((all as f64 / rate * 1e9) as u64),
        runs_in_memory: workload.cache == CacheState::Warm,
        syncs_untimed: workload.cache == CacheState::Cold,
        verifies_cold: true,
        ..Traits::default()
    })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    Ok(Box::new(Tests::new(workload, &TiotestParameters::of(workload)?, directory, seed)))
}

/// Maximum size of a block, bytes.
const LARGEST: u64 = 64 << 20;

/// The parameters; the names in brackets are tiotest's options.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct TiotestParameters {
    /// Bytes of each thread's file (`-f`).
    #[serde(deserialize_with = "size")]
    size: u64,
    /// Number of threads (`-t`).
    threads: u32,
    /// Bytes of each call (`-b`).
    #[serde(default = "or::<_, 4096>", deserialize_with = "size")]
    block: u64,
    /// Calls of each thread at random places (`-r`).
    #[serde(default = "or::<_, 1000>")]
    random_operations: u64,
    /// The tests that run; `write` has to be one of them (`-k` skips the others).
    #[serde(default = "all_tests")]
    tests: Vec<TiotestTest>,
}

fn all_tests() -> Vec<TiotestTest> {
    TiotestTest::ALL.to_vec()
}

impl TiotestParameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        checked(workload, |parameters: &Self| parameters.complaint(workload))
    }

    fn all(&self) -> u64 {
        self.size.saturating_mul(u64::from(self.threads))
    }

    fn complaint(&self, workload: &Workload) -> Option<&'static str> {
        Some(match () {
            () if !runs_once(workload) => {
                "each test is done once: `mode = \"whole\"`, `ends-by-itself = true`, no `timed-ms`"
            }
            () if !matches!(workload.durable, DurablePoint::None | DurablePoint::OSync) => {
                "`durable` is `none` or `o-sync` (tiotest's -S)"
            }
            () if workload.cache == CacheState::Direct => "`cache` is `warm` or `cold`: before each test that reads",
            () if !(1..=1024).contains(&self.threads) => "`threads` is 1 to 1024",
            () if !(1..=LARGEST).contains(&self.block) => "`block` is 1 to 64M",
            () if self.size == 0 || !self.size.is_multiple_of(self.block) => "`size` is a multiple of `block`",
            () if self.random_operations == 0 => "`random-operations` is at least 1",
            () if !self.tests.contains(&TiotestTest::Write) => {
                "`tests` has `write`: without it there is nothing to read"
            }
            () => return None,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TiotestTest {
    Write,
    RandomWrite,
    Read,
    RandomRead,
}

impl TiotestTest {
    /// All tests, in tiotest's order (its numbers 0 to 3).
    const ALL: [Self; 4] = [Self::Write, Self::RandomWrite, Self::Read, Self::RandomRead];

    fn writes(self) -> bool {
        matches!(self, Self::Write | Self::RandomWrite)
    }

    fn is_random(self) -> bool {
        matches!(self, Self::RandomWrite | Self::RandomRead)
    }

    /// The operation that gives its step a name, and under which its latencies are recorded.
    fn operation(self) -> Operation {
        match self {
            Self::Write => Operation::Write,
            Self::RandomWrite => Operation::RandomWrite,
            Self::Read => Operation::Read,
            Self::RandomRead => Operation::RandomRead,
        }
    }
}

struct Tests {
    workers: Workers<Thread>,
    tests: Vec<TiotestTest>,
    size: u64,
    is_cold: bool,
}

impl Tests {
    fn new(workload: &Workload, parameters: &TiotestParameters, directory: &Path, seed: u64) -> Self {
        let TiotestParameters { size, block, random_operations, .. } = *parameters;
        let alike = Alike { size, block, random_operations, flags: folder::sync_flags(workload.durable), seed };
        let threads = (0..parameters.threads).map(|number| Thread::new(directory, number, alike));
        let tests = TiotestTest::ALL.into_iter().filter(|test| parameters.tests.contains(test)).collect();
        Self {
            workers: Workers::new(threads, WorkerStyle::Threads),
            tests,
            size,
            is_cold: workload.cache == CacheState::Cold,
        }
    }

    fn test(&mut self, test: TiotestTest, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
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
        stats.spans.append(&mut own.spans);
        stats.join(&own);
        self.tell(test, &own, elapsed, stats);
        Ok(())
    }

    /// Adds a step, and the figures that tiotest prints: the mean and the maximum latency, and the shares above 2 and 10
    /// seconds.
    fn tell(&mut self, test: TiotestTest, own: &RunStats, elapsed: Nanos, stats: &mut RunStats) {
        let operation = test.operation();
        stats.add_step(operation.name(), own.operations, own.bytes, elapsed);
        let Some(latency) = own.latency(operation) else { return };
        let mut figures = vec![("mean", "us", latency.mean.0 as f64 / 1e3), ("max", "us", latency.max.0 as f64 / 1e3)];
        for (index, name) in ["over-2s", "over-10s"].into_iter().enumerate() {
            let long: u64 = self.workers.workers().map(|thread| thread.long[index]).sum();
            figures.push((name, "%", long as f64 / latency.count as f64 * 100.0));
        }
        for (name, unit, value) in figures {
            let name = intern(&format!("tiotest.{}.{name}", operation.name()));
            stats.reported.push((Probe::of_program(name, unit), value));
        }
    }

    fn remove(&mut self) -> Result<(), EngineError> {
        self.workers.workers().try_for_each(|thread| folder::unlink(thread.path()))
    }
}

impl Job for Tests {
    fn upkeep(&mut self, upkeep: Upkeep, _stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Reset => self.remove(),
            _ => Ok(()),
        }
    }

    fn next_run(&self) -> NextRun {
        NextRun {
            fills: Bytes(self.size.saturating_mul(u64::from(self.workers.count()))),
            is_alone: self.workers.is_alone(),
            ..NextRun::default()
        }
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

#[cfg(test)]
mod tests;
