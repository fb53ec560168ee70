//! From the record of a run to its comparison: pure functions that use neither the machine nor a clock, and no engine.
//! The same record always gives the same comparison.

mod assess;
mod baselines;
mod calibration;
mod command;
mod course;
mod durability;
mod evidence;
mod guarantees;
mod iostat;
mod ladder;
mod looks;
mod noise;
mod per_operation;
mod price;
mod probes;
mod quantities;
mod rate;
mod recommendation;
mod reproduction;
mod stability;
mod standings;
mod steps;
mod validity;
mod verdicts;

pub use assess::{assess, verdicts_so_far};
pub use baselines::counts as baseline_counts;
pub use calibration::{Calibration, Row, calibration};
pub use ladder::{Agreement, Finding, LadderPair, Rung, climbed, finding, ladder, rungs};
pub use looks::{Standing, standing};
pub use noise::{before as busy_before, rounds as rounds_of_workload};
pub use probes::foreign_seconds;
pub use quantities::quantity;
pub use rate::readings as rate_readings;
pub use recommendation::{not_here, unknown_names};
pub use stability::{CarryOver, carry_over};
pub use verdicts::in_words;
