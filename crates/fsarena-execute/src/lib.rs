//! From a plan to events: rounds, sweeps, the schedule, and when to stop.
//!
//! [`run`] drives a [`Testbed`] through rounds, and [`resume`] through further rounds. Both send events to a
//! [`Listener`]. None of them knows where the record is stored or what a report looks like.

mod aim;
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
mod testbed;

pub use error::RunError;
pub use libraries::{left_out, require_libraries};
pub use machine::Machine;
pub use pace::{
    FILL, budget_for, estimated_round, estimated_setup, largest, left_files, reserved, rounds_within, unaligned,
};
pub use remaining::{Remaining, Wish};
pub use run::{Listener, Resumption, on_one_file_system, resume, run};
pub use schedule::{Assignment, lane_rounds, slice_order, workload_order};
pub use testbed::{Counters, Host, Testbed, TestbedError, Verified, Volumes, Workloads};
