//! What would settle an undecided pair: how long the further rounds take, and whether any number of them would do.

use std::collections::BTreeSet;

use fsarena_model::{RunRecord, Workload};
use fsarena_stats::{Decision, PRICE_LIMIT};

use crate::evidence::Pair;

/// About how many seconds `rounds` further rounds of the workload take; `None` if it was in no round that ended.
///
/// A round to come is most like the last one in which the workload ran, and all workloads of that one are taken to share
/// its time, with making and checking the contenders, equally. Where more of them are decided meanwhile, the rounds become
/// shorter and the share of those that are left larger.
pub fn seconds(record: &RunRecord, workload: &Workload, rounds: u32) -> Option<f64> {
    let names = |round: u32| {
        let trials = record.trials.iter().filter(move |trial| trial.round == round);
        trials.map(|trial| trial.workload.as_str()).collect::<BTreeSet<&str>>()
    };
    let share = |seconds: f64, names: BTreeSet<&str>| {
        names.contains(workload.name.as_str()).then(|| seconds / names.len() as f64)
    };
    let each = record.rounds.iter().rev().find_map(|facts| share(facts.seconds, names(facts.round)))?;
    Some(each * f64::from(rounds))
}

/// The sentence on a pair that no number of rounds is likely to settle, as it stands. Where nothing is known about
/// noise there is no price either, and nothing is said.
pub fn beyond_price(pair: &Pair) -> String {
    let latest = &pair.standing.latest;
    let is_open = pair.standing.verdict() == Decision::Undecided;
    let is_dear = is_open && latest.precision.is_some() && latest.needs_rounds.is_none();
    if is_dear { format!("no number of rounds up to {PRICE_LIMIT} would probably settle it") } else { String::new() }
}
