//! A comparison from plan to verdict: what runs when, what is kept of it, and what that says.
//!
//! [`run`] drives a [`Stage`] through rounds, [`resume`] through further ones, and both tell a [`Listener`] what
//! happens; [`assess`] makes a comparison of the record that it keeps. None of them knows where that is
//! stored, or how a report looks.

mod aim;
mod assess;
mod calibration;
mod course;
mod error;
mod evidence;
mod likeness;
mod machine;
mod pace;
mod probes;
mod rate;
mod rest;
mod round;
mod run;
mod schedule;
mod stage;
mod validity;

pub use assess::assess;
pub use calibration::{Calibration, Row, Sees, calibration};
pub use error::SessionError;
pub use machine::Machine;
pub use pace::{estimated_round, estimated_setup, required_space, unaligned};
pub use rest::{Rest, Wish};
pub use run::{Listener, Resumption, resume, run};
pub use schedule::{Assignment, lane_rounds, slice_order, workload_order};
pub use stage::{Stage, Trouble};
