//! What would settle an undecided pair: how long the further rounds take.

use std::collections::BTreeSet;

use fsarena_model::event::RoundFacts;
use fsarena_model::{RunRecord, Workload};

/// About how many seconds `rounds` further rounds of the workload take; `None` if it was in no round that ended.
///
/// A round to come is most like the last one in which the workload ran. All workloads of a round are taken to share its
/// time, with making and checking the contenders, equally. Where more of them are decided meanwhile, the rounds become
/// shorter and the share of those that are left larger.
pub fn seconds(record: &RunRecord, workload: &Workload, rounds: u32) -> Option<f64> {
    let names = |round: u32| {
        let trials = record.trials.iter().filter(move |trial| trial.round == round);
        trials.map(|trial| &trial.workload).collect::<BTreeSet<_>>()
    };
    let share = |facts: &RoundFacts| {
        let names = names(facts.round);
        names.iter().any(|name| **name == workload.name).then(|| facts.seconds / names.len() as f64)
    };
    Some(record.rounds.iter().rev().find_map(share)? * f64::from(rounds))
}
