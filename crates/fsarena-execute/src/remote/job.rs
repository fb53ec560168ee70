//! A job that other machines do.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Job, Limit, NextRun, RunStats, Upkeep};
use fsarena_model::{Nanos, Verification};

use crate::TestbedError;

/// What a job asks other machines for.
pub trait RemoteWork {
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
pub struct RemoteJob<W: RemoteWork> {
    work: W,
    verifies: bool,
    reads_on: bool,
}

impl<W: RemoteWork> RemoteJob<W> {
    /// A job that was opened there; `verifies` is what opening it answered.
    pub fn new(work: W, verifies: bool) -> Self {
        Self { work, verifies, reads_on: false }
    }
}

/// An error of another machine, as that of a job.
pub fn worker(error: TestbedError) -> EngineError {
    EngineError::Worker(error.text)
}

impl<W: RemoteWork> Job for RemoteJob<W> {
    /// [`Call::Open`](super::Call::Open) has prepared it, or adopted its files.
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare | Upkeep::Adopt => Ok(()),
            _ => self.work.upkeep(upkeep, stop).map_err(worker),
        }
    }

    /// The calling thread does none of the work.
    fn next_run(&self) -> NextRun {
        let Self { reads_on, verifies, .. } = *self;
        NextRun { is_alone: false, reads_on, verifies, ..NextRun::default() }
    }

    /// [`Call::Verify`](super::Call::Verify) does it.
    fn verify(&mut self, _directory: &Path, _stop: &AtomicBool) -> Result<Verification, EngineError> {
        Ok(Verification::default())
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let is_first = stats.elapsed == Nanos(0) && stats.operations == 0;
        let first = if is_first { First::Yes } else { First::No };
        self.reads_on = self.work.run(limit, first, stats).map_err(worker)?;
        Ok(())
    }
}

impl<W: RemoteWork> Drop for RemoteJob<W> {
    fn drop(&mut self) {
        self.work.close();
    }
}
