//! A job that other machines do.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Job, Limit, RunStats};
use fsarena_model::{Nanos, Verification};

use super::Upkeep;
use crate::TestbedError;

/// What a job asks other machines for.
pub trait Work {
    /// Untimed work.
    ///
    /// # Errors
    /// Those of the call.
    fn upkeep(&self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), TestbedError>;

    /// A run, whose statistics replace `stats`; returns whether the next run reads what this one left unread.
    ///
    /// # Errors
    /// Those of the call.
    fn run(&mut self, limit: &Limit<'_>, first: First, stats: &mut RunStats) -> Result<bool, TestbedError>;

    /// Ends the work there. If a connection is lost, the work is gone as well.
    fn close(&self);
}

/// Whether the statistics begin with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First {
    Yes,
    No,
}

/// A job that other machines do. Closed when it is dropped.
pub struct RemoteJob<W: Work> {
    work: W,
    verifies: bool,
    reads_on: bool,
}

impl<W: Work> RemoteJob<W> {
    /// A job that was opened there; `verifies` is what opening it answered.
    pub fn new(work: W, verifies: bool) -> Self {
        Self { work, verifies, reads_on: false }
    }

    fn upkeep(&self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        self.work.upkeep(upkeep, stop).map_err(worker)
    }
}

/// An error of another machine, as that of a job.
pub fn worker(error: TestbedError) -> EngineError {
    EngineError::Worker(error.text)
}

impl<W: Work> Job for RemoteJob<W> {
    /// [`Call::Open`](super::Call::Open) has prepared it.
    fn prepare(&mut self, _stop: &AtomicBool) -> Result<(), EngineError> {
        Ok(())
    }

    fn reset(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.upkeep(Upkeep::Reset, stop)
    }

    fn warm_up(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.upkeep(Upkeep::WarmUp, stop)
    }

    /// The calling thread does none of the work.
    fn is_alone(&self) -> bool {
        false
    }

    fn reads_on(&self) -> bool {
        self.reads_on
    }

    fn drop_caches(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.upkeep(Upkeep::DropCaches, stop)
    }

    fn verifies(&self) -> bool {
        self.verifies
    }

    /// [`Call::Verify`](super::Call::Verify) does it.
    fn verify(&mut self, _directory: &Path, _stop: &AtomicBool) -> Result<Verification, EngineError> {
        Ok(Verification::default())
    }

    fn begin(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.upkeep(Upkeep::Begin, stop)
    }

    fn end(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.upkeep(Upkeep::End, stop)
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let is_first = stats.elapsed == Nanos(0) && stats.operations == 0;
        let first = if is_first { First::Yes } else { First::No };
        self.reads_on = self.work.run(limit, first, stats).map_err(worker)?;
        Ok(())
    }
}

impl<W: Work> Drop for RemoteJob<W> {
    fn drop(&mut self) {
        self.work.close();
    }
}
