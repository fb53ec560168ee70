//! How often the rule would be wrong: whole runs played with known truth, decided by the very same code.
//!
//! Everything follows from the seed. `examples/calibrate.rs` prints the cells that the project's calibration judges.

mod noise;
mod scenario;
mod tally;
mod uncorrected;
mod world;

pub use scenario::{Lanes, Method, Scenario};
pub use tally::{Share, Tally};

use crate::decide::{WorkloadDecision, decide_unpriced};
use crate::error::StatsError;
use crate::look::Rule;
use crate::observation::WorkloadData;
use crate::verdicts::Verdicts;
use noise::Noise;

/// Plays `runs` runs of the scenario and counts what came out.
///
/// # Errors
/// [`StatsError`] where the rule or the scenario is out of range.
pub fn simulate(rule: &Rule, scenario: &Scenario, method: Method, runs: u32, seed: u64) -> Result<Tally, StatsError> {
    rule.check()?;
    scenario.check()?;
    let mut noise = Noise::new(seed);
    let mut tally = Tally::default();
    for _ in 0..runs {
        let world = world::world(scenario, &mut noise);
        let run = play(rule, scenario, method, &world)?;
        tally.count(scenario, rule, &run);
    }
    Ok(tally)
}

/// One run that was played.
pub(crate) struct Run {
    /// Its verdicts.
    verdicts: Verdicts,
    /// Whether every decision interval of every look held the truth.
    is_family_covered: bool,
}

/// Looks after each round; a workload drops out once all its pairs are decided.
fn play(rule: &Rule, scenario: &Scenario, method: Method, world: &[WorkloadData]) -> Result<Run, StatsError> {
    let mut known: Vec<WorkloadData> = world.iter().map(|data| data.until(0)).collect();
    let mut run = Run { verdicts: Verdicts::new(rule), is_family_covered: true };
    run.verdicts.update(&decide_unpriced(rule, &known)?);
    for round in 1..=scenario.rounds {
        for workload in run.verdicts.open() {
            known[workload] = world[workload].until(round);
        }
        if round < rule.first_look {
            continue;
        }
        let look = method.look(rule, &known)?;
        run.is_family_covered &= covers_all(scenario, &look);
        run.verdicts.update(&look);
    }
    Ok(run)
}

fn covers_all(scenario: &Scenario, look: &[WorkloadDecision]) -> bool {
    let mut pairs = look.iter().flat_map(|workload| &workload.pairs);
    pairs.all(|pair| pair.decision.is_none_or(|interval| interval.contains(scenario.truth(pair.a, pair.b))))
}

impl Method {
    fn look(self, rule: &Rule, known: &[WorkloadData]) -> Result<Vec<WorkloadDecision>, StatsError> {
        match self {
            Self::Recipe => decide_unpriced(rule, known),
            Self::RepeatedTTest => uncorrected::decide(rule, known),
        }
    }
}
