//! Testbeds of other machines: the calls of a [`Testbed`](crate::Testbed) and of its jobs as messages.
//!
//! [`Served`] answers calls with this machine's testbed. [`Machines`] is a testbed whose contenders are spread over
//! machines that answer calls. The work itself runs and is timed where the file system is, so a call costs no figure
//! anything.

mod clients;
mod job;
mod machines;
mod served;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{RunStats, Upkeep};
use fsarena_model::{BaselineKind, Bytes, Nanos, Workload};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{TestbedError, TracedWork};

pub use clients::{ClientMachines, Server};
pub use machines::Machines;
pub use served::Served;

/// A call of a testbed, or of the job that works on a contender. Contenders and baselines have the numbers of the
/// machine that answers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Call {
    /// Whether the machine is prepared.
    Ready,
    /// What the machine is called, which answers [`MachineName`](fsarena_model::MachineName).
    Introduce,
    /// The machine's clocks, which answers [`Clocks`].
    Clocks,
    /// [`Volumes::directory`](crate::Volumes::directory).
    Directory(usize),
    /// Whether the machine sees this path.
    Sees(PathBuf),
    /// [`Volumes::make`](crate::Volumes::make).
    Make {
        /// The contender.
        contender: usize,
        /// Its lane, if it needs one.
        lane: Option<usize>,
        /// The number of the round.
        round: u32,
    },
    /// [`Volumes::baseline`](crate::Volumes::baseline).
    Baseline(BaselineKind, Box<Workload>),
    /// [`Volumes::remount`](crate::Volumes::remount).
    Remount(usize),
    /// [`Volumes::sync`](crate::Volumes::sync).
    Sync(usize),
    /// [`Volumes::quiesce`](crate::Volumes::quiesce).
    Quiesce(usize),
    /// [`Volumes::used`](crate::Volumes::used).
    Used(usize),
    /// [`Volumes::finish`](crate::Volumes::finish).
    Finish(usize),
    /// [`Workloads::open`](crate::Workloads::open), which answers whether the job verifies.
    Open {
        /// The contender, or a baseline.
        contender: usize,
        /// What is done there.
        workload: Box<Workload>,
        /// Every random choice follows from it.
        seed: u64,
    },
    /// [`Workloads::verify`](crate::Workloads::verify).
    Verify(usize, Box<Workload>),
    /// [`Workloads::logical`](crate::Workloads::logical).
    Logical(usize, Box<Workload>),
    /// [`Workloads::clear`](crate::Workloads::clear).
    Clear(usize, Box<Workload>),
    /// [`Counters::start_counters`](crate::Counters::start_counters).
    StartCounters(usize),
    /// [`Counters::read_counters`](crate::Counters::read_counters).
    ReadCounters(usize),
    /// [`Counters::stop_counters`](crate::Counters::stop_counters).
    StopCounters(usize),
    /// [`Counters::totals`](crate::Counters::totals).
    Totals(usize),
    /// [`Counters::start_trace`](crate::Counters::start_trace).
    StartTrace(usize, Nanos),
    /// [`Counters::stop_trace`](crate::Counters::stop_trace).
    StopTrace(usize, TracedWork),
    /// [`Host::survey`](crate::Host::survey).
    Survey,
    /// [`Host::lane_cost`](crate::Host::lane_cost).
    LaneCost,
    /// [`Host::conditions`](crate::Host::conditions).
    Conditions,
    /// [`Host::limit_memory`](crate::Host::limit_memory).
    LimitMemory(Bytes),
    /// [`Host::lift_memory_limit`](crate::Host::lift_memory_limit).
    LiftMemoryLimit,
    /// Untimed work of a job.
    Upkeep(usize, Upkeep),
    /// [`Job::run`](fsarena_engine::Job::run), which answers [`Ran`].
    Run {
        /// The contender, or a baseline.
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
    /// Sends a call. The answers come in the order of the calls.
    ///
    /// # Errors
    /// If the connection is lost.
    fn send(&self, call: &Call) -> Result<(), TestbedError>;

    /// Waits for the answer to the oldest call without one. The call ends early once `stop` is set.
    ///
    /// # Errors
    /// Those of the call, and if the connection is lost.
    fn receive(&self, stop: &AtomicBool) -> Result<Value, TestbedError>;

    /// Whether the connection is lost.
    fn is_lost(&self) -> bool;

    /// Sends a call and waits for its answer.
    ///
    /// # Errors
    /// Those of [`Remote::send`] and [`Remote::receive`].
    fn call(&self, call: &Call, stop: &AtomicBool) -> Result<Value, TestbedError> {
        self.send(call)?;
        self.receive(stop)
    }
}

/// Reads the answer to a call.
fn answer<T: DeserializeOwned>(value: Value) -> Result<T, TestbedError> {
    serde_json::from_value(value).map_err(|error| TestbedError::machine(format!("read an answer: {error}")))
}
