//! The time that further rounds would take to decide a pair.

use std::collections::BTreeSet;

use fsarena_model::event::RoundFacts;
use fsarena_model::{RunRecord, Workload};

/// Estimated seconds for `rounds` further rounds of the workload; `None` if no finished round contains it.
///
/// The estimate uses the last round in which the workload ran, and divides that round's duration, with making and
/// checking the contenders, equally among its workloads. When further workloads are decided, rounds become shorter, and
/// the share of each remaining workload becomes larger.
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
