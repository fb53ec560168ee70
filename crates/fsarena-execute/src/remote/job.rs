//! A job that other machines do.

use std::cell::Cell;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Job, Limit, NextRun, RunStats, Upkeep};
use fsarena_model::{Nanos, Verification};

use crate::{Refusal, Result};

/// What a job asks other machines for. Errors are those of the call.
pub trait RemoteWork {
    /// Untimed work.
    fn upkeep(&self, upkeep: Upkeep, stop: &AtomicBool) -> Result<()>;

    /// A run, whose statistics replace `stats`; returns whether the next run reads what this one left unread.
    fn run(&mut self, limit: &Limit<'_>, first: First, stats: &mut RunStats) -> Result<bool>;

    /// Ends the work there. If a connection is lost, the work is gone as well.
    fn close(&self);
}

/// Whether the statistics begin with a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum First {
    Yes,
    No,
}

/// Whose counters are started and stopped in the call of its next run, so that they count nothing of the connection.
#[derive(Default)]
pub struct RunCounters {
    starting: Cell<Option<usize>>,
    stopped: Cell<Option<usize>>,
}

impl RunCounters {
    /// The contender's counters are to be started with its next run.
    pub fn start_with_run(&self, contender: usize) {
        self.starting.set(Some(contender));
    }

    /// The contender whose counters are to be started and are not, because no run of it came first.
    pub fn take_start(&self) -> Option<usize> {
        self.starting.take()
    }

    /// Whether the contender's counters are to be started with its run, which begins now, and stopped with it.
    pub fn begin_run(&self, contender: usize) -> bool {
        let is_counted = self.starting.get() == Some(contender);
        if is_counted {
            self.starting.set(None);
            self.stopped.set(Some(contender));
        }
        is_counted
    }

    /// Whether the contender's counters have been stopped with its run.
    pub fn were_stopped_with_run(&self, contender: usize) -> bool {
        self.stopped.take() == Some(contender)
    }
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
pub fn worker(error: Refusal) -> EngineError {
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
