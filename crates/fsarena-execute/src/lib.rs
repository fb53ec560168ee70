//! From a plan to events: rounds, sweeps, the schedule, and when to stop.
//!
//! [`run`] drives a [`Testbed`] through the rounds that remain of an [`Assignment`], a new run or a stored one, and sends
//! events to a [`Listener`]. It does not know where the record is stored or what a report looks like.

mod assignment;
mod environment;
mod error;
mod libraries;
mod machine;
mod pace;
mod precondition;
mod remaining;
pub mod remote;
mod resume_check;
mod round;
mod run;
mod schedule;
mod scope;
mod testbed;

pub use assignment::Assignment;
pub use error::RunError;
pub use libraries::{left_out, require_libraries};
pub use machine::Machine;
pub use pace::{
    FILL, budget_for, estimated_round, estimated_setup, largest, left_files, planned_rounds, require_time, reserved,
    unaligned,
};
pub use remaining::{Remaining, Wish};
pub use run::{Listener, on_one_file_system, run};
pub use scope::{Extent, Scope};
pub use testbed::{Counters, Host, Refusal, Result, Testbed, TracedWork, Verified, Volumes, Workloads};
