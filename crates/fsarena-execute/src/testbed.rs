//! The testbed: the interface between a run and the outside world. The real one is [`crate::Machine`]; tests use a
//! deterministic one.

use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Job};
use fsarena_lane::{CheckResult, LaneError};
use fsarena_model::{
    BaselineKind, Bytes, Conditions, ContenderFacts, Environment, ErrorCategory, Explained, LaneCost, Nanos, Readings,
    Step, Trace, Verification, Workload,
};
use serde::{Deserialize, Serialize};

/// The result of what a testbed does.
pub type Result<T, E = Refusal> = std::result::Result<T, E>;

/// Why something does not begin, or failed, in words, with a hint.
#[derive(Debug, Clone, thiserror::Error, Serialize, Deserialize)]
#[error("{text}")]
pub struct Refusal {
    /// The error message.
    pub text: String,
    /// The kind of failure, which determines the exit code.
    pub category: ErrorCategory,
    /// A hint for the user, if there is one.
    pub hint: Option<String>,
}

impl Refusal {
    /// The call is wrong: exit code 2.
    pub fn wrong_use(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { text: text.into(), category: ErrorCategory::Use, hint: Some(hint.into()) }
    }

    /// Something that was tried did not work: exit code 3.
    pub fn trial(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { text: text.into(), category: ErrorCategory::Trial, hint: Some(hint.into()) }
    }

    /// This machine lacks something: exit code 4.
    pub fn machine(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { text: text.into(), category: ErrorCategory::Machine, hint: Some(hint.into()) }
    }

    /// The same, without a hint.
    pub fn of_machine(text: impl Into<String>) -> Self {
        Self { text: text.into(), category: ErrorCategory::Machine, hint: None }
    }

    fn of(error: &(impl Explained + fmt::Display)) -> Self {
        Self { text: error.to_string(), category: error.category(), hint: error.hint() }
    }
}

impl Explained for Refusal {
    fn category(&self) -> ErrorCategory {
        self.category
    }

    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}

impl From<LaneError> for Refusal {
    fn from(error: LaneError) -> Self {
        Self::of(&error)
    }
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        Self::of(&error)
    }
}

/// The files of a contender, compared after it was unmounted.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Verified {
    /// The result of the comparison.
    pub found: Verification,
    /// The unmount before the comparison; `None` if there was none, or if it is part of the work.
    pub unmounted: Option<Step>,
}

/// The file systems of a run. Contenders are numbered as in the plan.
pub trait Volumes {
    /// Creates a contender on a lane with a new file system, and mounts it.
    ///
    /// # Errors
    /// If mkfs or mount fails.
    fn make(&mut self, contender: usize, lane: Option<usize>, round: u32) -> Result<ContenderFacts>;

    /// The number of a baseline, whose place is created if it does not exist. The other methods accept this number like
    /// a contender's. `None` if `workload` cannot run there. The place is removed at the end of the run.
    ///
    /// # Errors
    /// If the place cannot be created.
    fn baseline(&mut self, kind: BaselineKind, workload: &Workload) -> Result<Option<usize>>;

    /// Remounts the contender, so that none of its files are cached; `false` if that takes dropping all caches of the
    /// machine. Does nothing for a baseline, which has nothing to forget.
    ///
    /// # Errors
    /// If it stays busy, or cannot be mounted again.
    fn remount(&mut self, contender: usize) -> Result<bool>;

    /// Syncs the contender's file system to its device; returns the duration.
    ///
    /// # Errors
    /// If the file system fails.
    fn sync(&mut self, contender: usize) -> Result<Nanos>;

    /// Brings the contender to rest by remounting it read-only and back; returns the duration. `None` if that is not
    /// possible.
    ///
    /// # Errors
    /// If a file is open for writing, or the contender cannot be made writable again.
    fn quiesce(&mut self, contender: usize) -> Result<Option<Nanos>>;

    /// Bytes in use on the contender's file system; `None` if unknown.
    fn used(&mut self, contender: usize) -> Option<Bytes>;

    /// Unmounts a contender and checks its file system; `None` if there is nothing to check.
    ///
    /// # Errors
    /// If it stays busy, or the checker cannot be started.
    fn finish(&mut self, contender: usize) -> Result<Option<CheckResult>>;
}

/// The workloads on the file systems of a run.
pub trait Workloads {
    /// The directory of this run on the contender; `None` if it is not mounted.
    fn directory(&mut self, contender: usize) -> Option<PathBuf>;

    /// Opens a workload in a new directory of the contender, and prepares it. The preparation ends soon after `stop` is
    /// set.
    ///
    /// # Errors
    /// If the file system fails.
    fn open(&mut self, contender: usize, workload: &Workload, seed: u64, stop: &AtomicBool) -> Result<Box<dyn Job>>;

    /// Unmounts the contender and compares its files with those that `job` expects after a whole run of `workload`;
    /// `None` if the job cannot verify. The contender remains usable afterwards. Ends soon after `stop` is set.
    ///
    /// # Errors
    /// If the contender cannot be mounted again, or cannot be read.
    fn verify(
        &mut self,
        contender: usize,
        workload: &Workload,
        job: &mut dyn Job,
        stop: &AtomicBool,
    ) -> Result<Option<Verified>>;

    /// Bytes of all files of the workload on the contender, as applications see them.
    fn logical(&mut self, contender: usize, workload: &Workload) -> Option<Bytes>;

    /// Removes the workload's directory with all its content.
    ///
    /// # Errors
    /// If the file system fails.
    fn clear(&mut self, contender: usize, workload: &Workload) -> Result<()>;
}

/// The work of a traced slice.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TracedWork {
    /// Operations done.
    pub operations: u64,
    /// Time inside the timer.
    pub elapsed: Nanos,
    /// The starts and ends of its timed parts, as [`RunStats::spans`](fsarena_engine::RunStats::spans).
    pub spans: Vec<(Nanos, Nanos)>,
}

/// The counters of a run.
pub trait Counters {
    /// Starts counting the contender's counters, until the next [`Counters::stop_counters`].
    fn start_counters(&mut self, contender: usize);

    /// The growth of the counters since [`Counters::start_counters`]; does not change the totals.
    fn read_counters(&mut self, contender: usize) -> Readings;

    /// Adds the growth of the counters since [`Counters::start_counters`] to the contender's totals.
    fn stop_counters(&mut self, contender: usize);

    /// The contender's totals since the last call, by probe name.
    fn totals(&mut self, contender: usize) -> Readings;

    /// Starts to trace where the time of the contender's work goes, until [`Counters::stop_trace`]. The calling thread does
    /// the work, or starts it, which takes about the time `lasts`. Whether the timed parts of the work are told from what
    /// is between them.
    ///
    /// # Errors
    /// Without the privilege, or if this testbed or its kernel cannot do it.
    fn start_trace(&mut self, contender: usize, lasts: Nanos) -> Result<bool>;

    /// Ends the trace of the contender's work, and finds out where its time went.
    ///
    /// # Errors
    /// If no trace runs, or what it recorded cannot be read.
    fn stop_trace(&mut self, contender: usize, work: &TracedWork) -> Result<Trace>;
}

/// The machine that the file systems share.
pub trait Host {
    /// Reads the machine's properties, and measures the cost of its lanes; called once, before the first round.
    ///
    /// # Errors
    /// If a lane fails.
    fn survey(&mut self) -> Result<Environment>;

    /// The present cost of a write and flush on the calibration device; `None` without lanes.
    ///
    /// # Errors
    /// If the lane fails.
    fn lane_cost(&mut self) -> Result<Option<LaneCost>>;

    /// Throttling and swapping of the machine since the last call, and processor frequencies.
    fn conditions(&mut self) -> Conditions;

    /// Clients that still work; `None` if the run has none.
    fn clients(&self) -> Option<u32>;

    /// Limits the memory of this process, including page cache that it fills from now on, to `limit`; `None` removes
    /// the limit.
    ///
    /// # Errors
    /// If this machine does not support such limits.
    fn limit_memory(&mut self, limit: Option<Bytes>) -> Result<()>;
}

/// The interface between a run and the outside world.
pub trait Testbed: Volumes + Workloads + Counters + Host {}

impl<T: Volumes + Workloads + Counters + Host> Testbed for T {}
