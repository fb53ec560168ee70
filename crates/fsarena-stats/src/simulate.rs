//! How often the rule would be wrong: whole runs played with known truth, decided by the very same code.
//!
//! Everything follows from the seed and the number of a run, so that runs may be played in any order and on any number
//! of threads. `examples/calibrate.rs` prints the cells that the project's calibration judges.

mod cell;
mod cells;
mod field;
mod noise;
mod play;
mod scenario;
mod share;
mod tally;
mod world;

use std::ops::Range;

pub use crate::part::Part;
pub use cell::{Cell, Goal, Met, Section};
pub use cells::cells;
pub use field::FieldRule;
pub use scenario::{Lanes, Method, Scenario, Shape};
pub use share::{Histogram, Share};
pub use tally::Tally;

use crate::error::StatsError;
use crate::look::Rule;
use noise::Noise;

/// Plays the runs with these numbers and counts what came out; tallies of other numbers can be added.
///
/// # Errors
/// [`StatsError`] where the rule or the scenario is out of range.
pub fn simulate(
    rule: &Rule,
    scenario: &Scenario,
    method: Method,
    runs: Range<u32>,
    seed: u64,
) -> Result<Tally, StatsError> {
    rule.check()?;
    scenario.check()?;
    let mut tally = Tally::default();
    for run in runs {
        let world = world::world(scenario, &mut Noise::new(seed, run));
        tally.count(scenario, rule, &play::play(rule, scenario, method, &world)?);
    }
    Ok(tally)
}
