//! The engine `tiotest`: a native implementation of the threaded I/O tester (tiobench 0.3.3). Each thread writes and
//! reads its own file, in order and at random, and the time of each call is measured.
//!
//! The wall time of a test ends with the fsync and close of the last thread. These are in no latency of a call. The
//! files get their full size before the first test begins (ftruncate), and contain zeros, as in the original.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use fsarena_engine::folder::{self, make_cold};
use fsarena_engine::parameters::{checked, or, require_conditions, require_once, size};
use fsarena_engine::workers::{Timer, Worker, WorkerStyle, Workers};
use fsarena_engine::{Engine, EngineError, Job, Limit, NextRun, Operation, RunStats, Upkeep};
use fsarena_model::seed::generator;
use fsarena_model::{Bytes, CacheState, DurablePoint, Nanos, Traits, Workload};
use fsarena_sys::resident;
use rand::RngExt;
use rustix::fs::{Mode, OFlags, fsync, ftruncate};
use rustix::io::{Errno, pread, pwrite};
use serde::Deserialize;

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
    let parameters = TiotestParameters::of(workload)?;
    let thread = |number| Thread {
        path: directory.join(format!("_tiotest.thr{number}")),
        number,
        size: parameters.size,
        random_operations: parameters.random_operations,
        flags: folder::sync_flags(workload.durable),
        seed,
        buffer: vec![0; parameters.block as usize],
        test: Operation::Write,
        before: Nanos(0),
    };
    Ok(Box::new(Tests {
        workers: Workers::new((0..parameters.threads).map(thread), WorkerStyle::Threads),
        tests: TESTS.into_iter().filter(|test| parameters.tests.contains(test)).collect(),
        size: parameters.size,
        is_cold: workload.cache == CacheState::Cold,
    }))
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
    tests: Vec<Operation>,
}

/// All tests, in tiotest's order (its numbers 0 to 3): each has the name of its operation, as its step has.
const TESTS: [Operation; 4] = [Operation::Write, Operation::RandomWrite, Operation::Read, Operation::RandomRead];

fn all_tests() -> Vec<Operation> {
    TESTS.to_vec()
}

fn writes(test: Operation) -> bool {
    matches!(test, Operation::Write | Operation::RandomWrite)
}

impl TiotestParameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        require_once(workload)?;
        let durable = [DurablePoint::None, DurablePoint::OSync];
        require_conditions(workload, &durable, &[CacheState::Warm, CacheState::Cold])?;
        checked(workload, Self::complaint)
    }

    fn all(&self) -> u64 {
        self.size.saturating_mul(u64::from(self.threads))
    }

    fn complaint(&self) -> Option<&'static str> {
        Some(match () {
            () if !(1..=1024).contains(&self.threads) => "`threads` is 1 to 1024",
            () if !(1..=LARGEST).contains(&self.block) => "`block` is 1 to 64M",
            () if self.size == 0 || !self.size.is_multiple_of(self.block) => "`size` is a multiple of `block`",
            () if self.random_operations == 0 => "`random-operations` is at least 1",
            () if !self.tests.iter().all(|test| TESTS.contains(test)) => {
                "`tests` are of `write`, `random-write`, `read` and `random-read`"
            }
            () if !self.tests.contains(&Operation::Write) => "`tests` has `write`: without it there is nothing to read",
            () => return None,
        })
    }
}

struct Tests {
    workers: Workers<Thread>,
    tests: Vec<Operation>,
    size: u64,
    is_cold: bool,
}

impl Tests {
    fn test(&mut self, test: Operation, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let before = stats.elapsed;
        for thread in self.workers.workers() {
            if self.is_cold && !writes(test) {
                make_cold(&thread.path, self.size)?;
            }
            (thread.test, thread.before) = (test, before);
        }
        let mut own = RunStats::new();
        self.workers.run(limit, &mut own)?;
        let elapsed = own.elapsed.saturating_sub(before);
        stats.spans.append(&mut own.spans);
        stats.join(&own);
        stats.add_step(test.name(), own.operations, own.bytes, elapsed);
        Ok(())
    }
}

impl Job for Tests {
    fn upkeep(&mut self, upkeep: Upkeep, _stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Reset => self.workers.workers().try_for_each(|thread| folder::unlink(&thread.path)),
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

struct Thread {
    path: PathBuf,
    number: u32,
    /// Bytes of its file.
    size: u64,
    random_operations: u64,
    /// Additional flags of open(2).
    flags: OFlags,
    /// Seed of the random places.
    seed: u64,
    /// The block that each call reads or writes.
    buffer: Vec<u8>,
    /// The test that runs next.
    test: Operation,
    /// The time of earlier tests.
    before: Nanos,
}

impl Thread {
    fn open(&self) -> Result<File, Errno> {
        let flags = self.flags | OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC;
        let file = rustix::fs::open(&self.path, flags, Mode::RUSR | Mode::WUSR)?;
        ftruncate(&file, self.size)?;
        Ok(file.into())
    }

    /// The places of the calls of a test, in blocks: in order, or drawn before the test.
    fn places(&self) -> impl Iterator<Item = u64> + use<> {
        let blocks = self.size / self.buffer.len() as u64;
        let is_random = matches!(self.test, Operation::RandomWrite | Operation::RandomRead);
        let drawn = is_random.then(|| {
            let purpose = [self.number.into(), u64::from(writes(self.test))];
            let mut random = generator(self.seed, "tiotest", &purpose);
            (0..self.random_operations).map(|_| random.random_range(0..blocks)).collect::<Vec<u64>>()
        });
        let count = drawn.as_ref().map_or(blocks, |places| places.len() as u64);
        (0..count).map(move |call| drawn.as_ref().map_or(call, |places| places[call as usize]))
    }

    /// Reads or writes the whole block at `place` in one call.
    #[inline]
    fn call(&mut self, file: &File, place: u64) -> Result<(), Errno> {
        let offset = place * self.buffer.len() as u64;
        let done = match writes(self.test) {
            true => pwrite(file, &self.buffer, offset)?,
            false => pread(file, &mut self.buffer[..], offset)?,
        };
        if done == self.buffer.len() { Ok(()) } else { Err(Errno::IO) }
    }
}

impl Worker for Thread {
    fn work(&mut self, timer: Timer<'_>) -> Result<(), EngineError> {
        let name = || format!("{} of {}", self.test.name(), self.path.display());
        let failed = |error: Errno| EngineError::io(name())(error);
        let (file, places) = (self.open().map_err(failed)?, self.places());
        timer.stats.elapsed = self.before;
        let (operation, bytes) = (self.test, self.buffer.len() as u64);
        let mut meter = timer.start()?;
        for place in places {
            let Some(begin) = meter.begin().filter(|_| !meter.is_over()) else { break };
            self.call(&file, place).map_err(EngineError::io(operation.name()))?;
            meter.done(operation, begin, bytes);
        }
        fsync(&file).map_err(EngineError::io("fsync"))?;
        resident::close(file).map_err(EngineError::io("close"))?;
        meter.also(Operation::Fsync);
        meter.stop();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
