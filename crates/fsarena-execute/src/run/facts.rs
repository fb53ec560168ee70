//! Facts of a round and notes about a run, in addition to its trials.

use std::collections::BTreeSet;

use fsarena_analyse::{counted_seconds, foreign_seconds};
use fsarena_model::event::RoundFacts;
use fsarena_model::plan::Slowdown;
use fsarena_model::{Conditions, ContenderFacts, Label, LaneCost, Plan, Trial, probe};

use crate::libraries;

/// Notes about contenders that are treated differently, and about known weaknesses of their kinds.
pub fn notes(plan: &Plan) -> impl Iterator<Item = String> {
    let slowdowns = plan.measuring.slowdowns.iter().map(|Slowdown { label, share }| {
        format!("`{label}` is slowed down on purpose: each of its operations takes {share} longer")
    });
    let uncounted =
        plan.measuring.uncounted.iter().map(|label| format!("around the slices of `{label}` no counters are read"));
    let in_turn = (!plan.lanes.shared.is_own()).then(|| {
        "all contenders take the same lane in turn, each with all workloads of a round, so that minutes lie between two \
         contenders' runs of one workload"
            .to_owned()
    });
    slowdowns.chain(uncounted).chain(in_turn).chain(libraries::cautions(plan))
}

/// One note for each file system on which several contenders are directories, at least one of them a new one.
pub fn shared_storage(known: &[ContenderFacts], new: &[ContenderFacts]) -> Vec<String> {
    let places: BTreeSet<&String> = new.iter().filter_map(|facts| facts.file_system.as_ref()).collect();
    let on = |place| known.iter().chain(new).filter(move |facts| facts.file_system.as_ref() == Some(place));
    let groups = places.into_iter().map(|place| (place, on(place).map(|facts| &facts.label).collect()));
    let groups = groups.filter(|(_, labels): &(_, Vec<&Label>)| labels.len() > 1);
    groups.map(|(place, labels)| on_one_file_system(place, &labels)).collect()
}

/// The warning that these directories are on the same file system, `place`.
pub fn on_one_file_system(place: &str, labels: &[&Label]) -> String {
    let labels: Vec<String> = labels.iter().map(|label| format!("`{label}`")).collect();
    format!("{} are directories on the same file system ({place}), not on different ones", labels.join(", "))
}

pub fn of_round(
    round: u32,
    seconds: f64,
    trials: &[Trial],
    (lane_cost, conditions): (Option<LaneCost>, Conditions),
) -> RoundFacts {
    let trials: Vec<&Trial> = trials.iter().filter(|trial| !trial.slices.is_empty()).collect();
    let counted: f64 = trials.iter().copied().map(counted_seconds).sum();
    let cores = |of: fn(&Trial) -> Option<f64>| {
        let total: Option<f64> = trials.iter().copied().map(of).sum();
        total.filter(|_| counted > 0.0).map(|total| total / counted)
    };
    let (foreign_cores, steal_cores) = (cores(foreign_seconds), cores(|trial| trial.probe(probe::CPU_STEAL)));
    RoundFacts { round, seconds, foreign_cores, steal_cores, lane_cost, conditions }
}

#[cfg(test)]
mod tests {
    use fsarena_model::Durability;

    use super::*;

    #[test]
    fn only_directories_that_share_a_file_system_are_named_and_each_group_once() {
        let facts = |label: &str, place: Option<&str>| ContenderFacts {
            file_system: place.map(str::to_owned),
            ..ContenderFacts::new(Label::from(label), Durability::Flushed)
        };
        let (a, b) = (facts("a", Some("nfs4 host:/x")), facts("b", Some("nfs4 host:/x")));
        let others = [facts("c", Some("nfs4 host:/y")), facts("ext4", None), facts("xfs", None)];
        assert!(shared_storage(&[], &others).is_empty());
        let text = "`a`, `b` are directories on the same file system (nfs4 host:/x), not on different ones";
        assert_eq!(shared_storage(&[], &[a.clone(), b.clone()]), [text]);
        assert_eq!(shared_storage(std::slice::from_ref(&a), std::slice::from_ref(&b)), [text]);
        assert!(shared_storage(&[a, b], &others).is_empty(), "this was noted when they were made");
    }
}
