//! A comparison from plan to verdict: the schedule, the record and its analysis.
//!
//! [`run`] drives a [`Stage`] through rounds, and [`resume`] through further rounds. Both send events to a
//! [`Listener`]. [`assess`] derives a comparison from the record that the listener keeps. None of them knows where the
//! record is stored or what a report looks like.

mod aim;
mod assess;
mod calibration;
mod command;
mod course;
mod disturbance;
mod durability;
mod error;
mod evidence;
mod iostat;
mod ladder;
mod libraries;
mod likeness;
mod looks;
mod machine;
mod pace;
mod per_operation;
mod precondition;
mod price;
mod probes;
mod promises;
mod quantities;
mod rate;
mod recommendation;
mod references;
mod reproduction;
mod rest;
mod round;
mod run;
mod schedule;
mod stability;
mod stage;
mod standings;
mod steps;
mod surroundings;
mod validity;
mod verdicts;

pub use assess::assess;
pub use calibration::{Calibration, Row, calibration};
pub use disturbance::before as busy_before;
pub use error::SessionError;
pub use ladder::{Agreement, Finding, LadderPair, Rung, climbed, finding, ladder, rungs};
pub use libraries::{left_out, require_libraries};
pub use machine::Machine;
pub use pace::{estimated_round, estimated_setup, largest, unaligned};
pub use quantities::quantity;
pub use recommendation::{not_here, unknown_names};
pub use rest::{Rest, Wish};
pub use run::{Listener, Resumption, resume, run};
pub use schedule::{Assignment, lane_rounds, slice_order, workload_order};
pub use stability::{CarryOver, carry_over};
pub use stage::{Stage, Trouble, Verified};
