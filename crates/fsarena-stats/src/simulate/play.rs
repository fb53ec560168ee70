//! One run, from the first round to the last look.

use super::field;
use super::scenario::{Method, Scenario};
use crate::decide::{PairDecision, Pricing, WorkloadDecision};
use crate::error::StatsError;
use crate::interval::Interval;
use crate::look::Rule;
use crate::looks::Looks;
use crate::observation::WorkloadData;
use crate::part::Part;
use crate::verdicts::{StandingPair, Steadiness, Verdicts};

/// What was said of one pair in one workload when all was over.
pub(crate) struct Call {
    /// The look at which its verdict fell, or else the last one.
    pub(crate) look: PairDecision,
    /// The last look, which is what a report prints.
    pub(crate) latest: PairDecision,
    /// Whether a later look contradicted it.
    pub(crate) is_unsteady: bool,
}

/// One run that was played.
pub(crate) struct Run {
    /// All pairs of all workloads.
    pub(crate) calls: Vec<Call>,
    /// Whether every decision interval of every look held the truth.
    pub(crate) was_always_covered: bool,
}

/// Plays one run by one method.
pub(crate) fn play(
    rule: &Rule,
    scenario: &Scenario,
    method: Method,
    world: &[WorkloadData],
) -> Result<Run, StatsError> {
    match method {
        Method::Recipe => by_recipe(rule, scenario, world, None),
        Method::Without(Part::LaneTerm) => by_recipe(rule, scenario, &without_lanes(world), None),
        Method::Without(part) => by_recipe(rule, scenario, world, Some(part)),
        Method::Field(name) => field::play(name, rule, scenario, world),
    }
}

fn without_lanes(world: &[WorkloadData]) -> Vec<WorkloadData> {
    let mut world = world.to_vec();
    world.iter_mut().flat_map(|data| &mut data.observations).for_each(|seen| seen.lane = None);
    world
}

/// Looks after each round that has a look; a workload drops out once all its pairs are decided.
fn by_recipe(
    rule: &Rule,
    scenario: &Scenario,
    world: &[WorkloadData],
    without: Option<Part>,
) -> Result<Run, StatsError> {
    let mut looks = Looks::new(rule, world, without)?;
    let mut verdicts = Verdicts::new(rule);
    verdicts.update(&looks.all(Pricing::Unpriced));
    let mut was_always_covered = true;
    for round in scenario.looks().filter(|round| *round >= rule.first_look) {
        let open: Vec<usize> = verdicts.open().collect();
        looks.advance(round, &open);
        for workload in open {
            let decision = looks.view(workload).decision(Pricing::Unpriced);
            was_always_covered &= covers(scenario, &decision);
            verdicts.update_workload(workload, &decision);
        }
    }
    let pairs = verdicts.workloads().iter().flat_map(|workload| &workload.pairs);
    Ok(Run { calls: pairs.map(call).collect(), was_always_covered })
}

fn call(pair: &StandingPair) -> Call {
    let look = pair.decided.unwrap_or(pair.latest);
    Call { look, latest: pair.latest, is_unsteady: pair.steadiness == Steadiness::Unsteady }
}

fn covers(scenario: &Scenario, look: &WorkloadDecision) -> bool {
    let holds = |interval: Interval, a, b| interval.contains(scenario.truth(a, b));
    look.pairs.iter().all(|pair| pair.decision.is_none_or(|interval| holds(interval, pair.a, pair.b)))
}
