//! Facts of a round and notes about a run, in addition to its trials.

use fsarena_analyse::foreign_seconds;
use fsarena_model::event::RoundFacts;
use fsarena_model::plan::Slowdown;
use fsarena_model::{Conditions, Environment, LaneCost, Plan, Trial, probe};

use crate::{environment, libraries};

/// The share by which each contender's operations are slowed down on purpose.
pub fn slowdowns(plan: &Plan) -> Vec<f64> {
    plan.contenders.iter().map(|contender| plan.slowdown(&contender.label)).collect()
}

/// Notes about contenders that are treated differently, and about known weaknesses of their kinds.
pub fn notes(plan: &Plan) -> impl Iterator<Item = String> {
    let slowdowns = plan.slowdowns.iter().map(|Slowdown { label, share }| {
        format!("`{label}` is slowed down on purpose: each of its operations takes {share} longer")
    });
    let uncounted = plan.uncounted.iter().map(|label| format!("around the slices of `{label}` no counters are read"));
    let in_turn = (!plan.lanes.is_own()).then(|| {
        "all contenders take the same lane in turn, each with all workloads of a round, so that minutes lie between two contenders' \
         runs of one workload"
            .to_owned()
    });
    slowdowns.chain(uncounted).chain(in_turn).chain(libraries::cautions(plan))
}

/// The note that flushes do nothing in memory, so that durable work is faster there than on a disk.
pub fn free_flushes(environment: &Environment) -> Option<String> {
    let cost = environment.lane_cost.as_ref()?;
    environment::lies_in_memory(environment).then(|| {
        format!(
            "these lanes lie in memory, where a flush does nothing (a write and flush takes {}): what the workloads with \
             fsync and syncfs show here does not carry over to a disk",
            cost.back_to_back
        )
    })
}

/// The facts of a round.
pub fn of_round(
    round: u32,
    seconds: f64,
    trials: &[Trial],
    (lane_cost, conditions): (Option<LaneCost>, Conditions),
) -> RoundFacts {
    let trials: Vec<&Trial> = trials.iter().filter(|trial| !trial.slices.is_empty()).collect();
    let timed: f64 = trials.iter().copied().map(Trial::seconds).sum();
    let cores = |of: fn(&Trial) -> Option<f64>| {
        let total: Option<f64> = trials.iter().copied().map(of).sum();
        total.filter(|_| timed > 0.0).map(|total| total / timed)
    };
    let (foreign_cores, steal_cores) = (cores(foreign_seconds), cores(|trial| trial.probe(probe::CPU_STEAL)));
    RoundFacts { round, seconds, foreign_cores, steal_cores, lane_cost, conditions }
}
