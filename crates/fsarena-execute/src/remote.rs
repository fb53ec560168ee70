//! Testbeds of other machines: the calls of a [`Testbed`](crate::Testbed) and of its jobs as messages.
//!
//! [`Served`] answers calls with this machine's testbed. [`Machines`] is a testbed whose contenders are on machines that
//! answer calls: guests that each have some of them, or clients that all have all. The work itself runs and is timed
//! where the file system is, so a call costs no figure anything.

mod clocks;
mod group;
mod job;
mod machines;
mod merged;
mod served;
mod servers;
mod spanning;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{RunStats, Upkeep};
use fsarena_model::{Bytes, Nanos, Workload};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Refusal, Result, TracedWork};

pub use machines::Machines;
pub use served::Served;
pub use servers::Server;

/// A call of a testbed, or of the job that works on a contender. Contenders have the numbers of the machine that
/// answers. A call without a comment is the method of that name of [`Testbed`](crate::Testbed).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the methods say what the calls do")]
pub enum Call {
    /// What the machine is called, which answers [`MachineName`](fsarena_model::MachineName) once it is prepared.
    Introduce,
    /// The machine's clocks, which answers [`Clocks`].
    Clocks,
    /// Whether the machine sees this path.
    Sees(PathBuf),
    Directory(usize),
    Make {
        contender: usize,
        lane: Option<usize>,
        round: u32,
    },
    Remount(usize),
    Sync(usize),
    Quiesce(usize),
    Used(usize),
    Finish(usize),
    /// Answers whether the job verifies.
    Open {
        contender: usize,
        workload: Box<Workload>,
        seed: u64,
    },
    Verify(usize, Box<Workload>),
    Logical(usize, Box<Workload>),
    Clear(usize, Box<Workload>),
    StartCounters(usize),
    ReadCounters(usize),
    StopCounters(usize),
    Totals(usize),
    StartTrace(usize, Nanos),
    StopTrace(usize, TracedWork),
    Survey,
    LaneCost,
    Conditions,
    LimitMemory(Option<Bytes>),
    /// Untimed work of a job.
    Upkeep(usize, Upkeep),
    /// [`Job::run`](fsarena_engine::Job::run), which answers [`Ran`].
    Run {
        contender: usize,
        /// When to begin, by the machine's monotonic clock; `None`: at once.
        at: Option<Nanos>,
        /// Maximum time inside the timer.
        time: Option<Nanos>,
        /// Whether the statistics begin with this run.
        is_first: bool,
        /// Whether the contender's counters are started just before the run and stopped just after it.
        is_counted: bool,
    },
    /// The job is dropped.
    Close(usize),
}

/// What a run has done.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ran {
    /// The statistics since the run that was the first.
    pub stats: RunStats,
    /// [`NextRun::reads_on`](fsarena_engine::NextRun::reads_on) after the run.
    pub reads_on: bool,
    /// When it began, by the machine's monotonic clock.
    pub began: Nanos,
}

/// A machine's clocks at one moment.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Clocks {
    /// `CLOCK_MONOTONIC`.
    pub monotonic: Nanos,
    /// Time since 1970, UTC.
    pub time_of_day: Nanos,
}

/// A machine that answers calls, one after the other.
pub trait Remote {
    /// Sends a call, when the one before it is answered.
    ///
    /// # Errors
    /// If the connection is lost.
    fn send(&self, call: &Call) -> Result<()>;

    /// Waits for the answer to the call. It ends early once `stop` is set.
    ///
    /// # Errors
    /// Those of the call, and if the connection is lost.
    fn receive(&self, stop: &AtomicBool) -> Result<Value>;

    /// Whether the connection is lost.
    fn is_lost(&self) -> bool;
}

/// Reads the answer to a call.
fn answer<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value).map_err(|error| Refusal::of_machine(format!("read an answer: {error}")))
}
