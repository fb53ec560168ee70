//! A comparison from plan to verdict: what runs when, what is kept of it, and what that says.
//!
//! [`run`] drives a [`Stage`] through rounds and tells [`Listener`]s what happens; [`assess`] makes a comparison of
//! the record that they keep. Neither knows where the record is stored, or how a report looks.

mod assess;
mod calibration;
mod controls;
mod course;
mod disturbance;
mod error;
mod evidence;
mod ladder;
mod machine;
mod pace;
mod price;
mod probes;
mod rate;
mod round;
mod run;
mod schedule;
mod stability;
mod stage;
mod standings;
mod validity;
mod verdicts;

pub use assess::assess;
pub use calibration::{Calibration, Row, Sees, calibration};
pub use controls::{TIME_FOR_CONTROLS, controls};
pub use error::SessionError;
pub use ladder::{Agreement, Finding, LadderPair, Rung, finding, ladder, rungs};
pub use machine::Machine;
pub use pace::{estimated_round, estimated_setup, required_space, unaligned};
pub use run::{Listener, run};
pub use schedule::{Assignment, lane_rounds, slice_order, workload_order};
pub use stability::{CarryOver, carry_over};
pub use stage::{Stage, Trouble};
