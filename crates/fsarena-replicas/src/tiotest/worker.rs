//! One thread with its file.

use std::fs::File;
use std::path::{Path, PathBuf};

use fsarena_model::Nanos;
use fsarena_model::seed::generator;
use fsarena_sys::resident;
use rand::RngExt;
use rustix::fs::{Mode, OFlags, fsync, ftruncate, open};
use rustix::io::{Errno, pread, pwrite};

use super::TiotestTest;
use fsarena_engine::EngineError;
use fsarena_engine::workers::{Timer, Worker};

/// The share of latencies above each of these is reported.
const LONG: [Nanos; 2] = [Nanos::seconds(2), Nanos::seconds(10)];

pub struct Thread {
    path: PathBuf,
    number: u32,
    alike: Alike,
    buffer: Vec<u8>,
    /// The test that runs next.
    pub test: TiotestTest,
    /// The time of earlier tests.
    pub before: Nanos,
    /// Number of latencies above each of [`LONG`].
    pub long: [u64; 2],
}

/// The settings that all threads share.
#[derive(Debug, Clone, Copy)]
pub struct Alike {
    /// Bytes of each file.
    pub size: u64,
    /// Bytes of each call.
    pub block: u64,
    /// Calls at random places.
    pub random_operations: u64,
    /// Additional flags of open(2).
    pub flags: OFlags,
    /// Seed of the random places.
    pub seed: u64,
}

impl Thread {
    pub fn new(directory: &Path, number: u32, alike: Alike) -> Self {
        Self {
            path: directory.join(format!("_tiotest.thr{number}")),
            number,
            alike,
            buffer: vec![0; alike.block as usize],
            test: TiotestTest::Write,
            before: Nanos(0),
            long: [0; 2],
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn open(&self) -> Result<File, Errno> {
        let flags = self.alike.flags | OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC;
        let file = open(&self.path, flags, Mode::RUSR | Mode::WUSR)?;
        ftruncate(&file, self.alike.size)?;
        Ok(file.into())
    }

    /// The places of the calls of a test, in blocks: in order, or drawn before the test.
    fn places(&self) -> impl Iterator<Item = u64> + use<> {
        let blocks = self.alike.size / self.buffer.len() as u64;
        let drawn = self.test.is_random().then(|| {
            let purpose = [self.number.into(), u64::from(self.test.writes())];
            let mut random = generator(self.alike.seed, "tiotest", &purpose);
            (0..self.alike.random_operations).map(|_| random.random_range(0..blocks)).collect::<Vec<u64>>()
        });
        let count = drawn.as_ref().map_or(blocks, |places| places.len() as u64);
        (0..count).map(move |call| drawn.as_ref().map_or(call, |places| places[call as usize]))
    }

    /// Reads or writes the whole block at `place` in one call.
    #[inline]
    fn call(&mut self, file: &File, place: u64) -> Result<(), Errno> {
        let offset = place * self.buffer.len() as u64;
        let done = match self.test.writes() {
            true => pwrite(file, &self.buffer, offset)?,
            false => pread(file, &mut self.buffer[..], offset)?,
        };
        if done == self.buffer.len() { Ok(()) } else { Err(Errno::IO) }
    }

    fn note(&mut self, latency: Nanos) {
        for (count, _) in self.long.iter_mut().zip(LONG).filter(|(_, long)| latency > *long) {
            *count += 1;
        }
    }
}

impl Worker for Thread {
    fn work(&mut self, timer: Timer<'_>) -> Result<(), EngineError> {
        let name = || format!("{} of {}", self.test.operation().name(), self.path.display());
        let failed = |error: Errno| EngineError::io(name())(error);
        let (file, places) = (self.open().map_err(failed)?, self.places());
        (self.long, timer.stats.elapsed) = ([0; 2], self.before);
        let (operation, bytes) = (self.test.operation(), self.buffer.len() as u64);
        let mut meter = timer.start()?;
        for place in places {
            let Some(begin) = meter.begin().filter(|_| !meter.is_over()) else { break };
            self.call(&file, place).map_err(EngineError::io(operation.name()))?;
            meter.done(operation, begin, bytes);
            self.note(meter.at().saturating_sub(begin));
        }
        fsync(&file).map_err(EngineError::io("fsync"))?;
        resident::close(file).map_err(EngineError::io("close"))?;
        meter.also(fsarena_engine::Operation::Fsync);
        meter.stop();
        Ok(())
    }
}
