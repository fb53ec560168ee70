//! A comparison from plan to verdict: what runs when, what is kept of it, and what that says.
//!
//! [`run`] drives a [`Stage`] through rounds, [`resume`] through further ones, and both tell a [`Listener`] what
//! happens; [`assess`] makes a comparison of the record that it keeps. None of them knows where that is
//! stored, or how a report looks.

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
pub use pace::{data, estimated_round, estimated_setup, required_space, unaligned};
pub use quantities::quantity;
pub use recommendation::{not_here, unknown_names};
pub use rest::{Rest, Wish};
pub use run::{Listener, Resumption, resume, run};
pub use schedule::{Assignment, lane_rounds, slice_order, workload_order};
pub use stability::{CarryOver, carry_over};
pub use stage::{Stage, Trouble, Verified};
