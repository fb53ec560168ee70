//! What would settle an undecided pair: how long the further rounds take.

use std::collections::BTreeSet;

use fsarena_model::event::RoundFacts;
use fsarena_model::{RunRecord, Workload};
/// About how many seconds `rounds` further rounds of the workload take; `None` if it was in no round that ended.
///
/// A round to come is most like the last one in which the workload ran, in a plan with controls like the last two, of which one
/// has them. All workloads of a round are taken to share its time, with making and checking the contenders, equally; a control
/// counts as its workload. Where more of them are decided meanwhile, the rounds become shorter and the share of
/// those that are left larger.
pub fn seconds(record: &RunRecord, workload: &Workload, rounds: u32) -> Option<f64> {
    let base = |name: &str| {
        let control = record.plan.workloads.iter().find(|other| other.name == name)?.control_of.clone();
        Some(control.map_or_else(|| name.to_owned(), String::from))
    };
    let names = |round: u32| {
        let trials = record.trials.iter().filter(move |trial| trial.round == round);
        trials.filter_map(|trial| base(&trial.workload)).collect::<BTreeSet<String>>()
    };
    let own = base(&workload.name)?;
    let share = |facts: &RoundFacts| {
        let names = names(facts.round);
        names.contains(&own).then(|| facts.seconds / names.len() as f64)
    };
    let shares: Vec<f64> =
        record.rounds.iter().rev().filter_map(share).take(1 + usize::from(record.plan.has_controls())).collect();
    let each = shares.iter().sum::<f64>() / shares.len() as f64;
    (!shares.is_empty()).then(|| each * f64::from(rounds))
}
