//! Workloads of a round that share files: laid out once, read by all workloads that only read, and changed by the last.

use fsarena_model::Plan;
use fsarena_model::traits::SharedFiles;

use crate::round::Shares;

/// The workloads in `order` (indices in the plan), with those adjacent that share files, and which files each shares.
pub fn in_groups(plan: &Plan, order: Vec<usize>) -> Vec<(usize, Shares)> {
    let all: Vec<(usize, Option<SharedFiles>)> = order.into_iter().map(|index| (index, files(plan, index))).collect();
    let grouped = grouped(all);
    let leaves = |place: usize| {
        let (Some((_, Some(one))), Some((_, Some(next)))) = (grouped.get(place), grouped.get(place + 1)) else {
            return false;
        };
        one.unchanged && one.description == next.description
    };
    let shares = |place: usize| Shares { adopts: place > 0 && leaves(place - 1), leaves: leaves(place) };
    grouped.iter().enumerate().map(|(place, (index, _))| (*index, shares(place))).collect()
}

/// Moves the workloads of a group to the place of its first member; those that leave the files unchanged come first.
fn grouped(all: Vec<(usize, Option<SharedFiles>)>) -> Vec<(usize, Option<SharedFiles>)> {
    // A workload that shares no files is a group of its own.
    let key = |index, files: &Option<SharedFiles>| files.as_ref().map(|files| files.description.clone()).ok_or(index);
    let groups = fsarena_model::grouped(all.into_iter().map(|(index, files)| (key(index, &files), (index, files))));
    let sorted = groups.into_iter().flat_map(|(_, mut group)| {
        // A stable sort: the order within both parts is kept.
        group.sort_by_key(|(_, files)| !files.as_ref().is_some_and(|files| files.unchanged));
        group
    });
    sorted.collect()
}

/// The files of a workload. `None` if a contender does not take part, because it would then lack these files.
fn files(plan: &Plan, index: usize) -> Option<SharedFiles> {
    let workload = &plan.workloads[index];
    let by_all = plan.contenders.iter().all(|contender| plan.takes_part(&contender.label, &workload.name));
    workload.traits.files.clone().filter(|_| by_all)
}

#[cfg(test)]
mod tests {
    use fsarena_engine::{ENGINES, Engines};

    use super::*;

    static NATIVE: Engines = Engines(&[ENGINES]);

    fn shares(names: &[&str]) -> Vec<(String, bool, bool)> {
        let workloads = names.iter().map(|name| fsarena_catalog::workload(name).expect("in the catalogue"));
        let workloads = workloads.map(|workload| NATIVE.resolved(workload).expect("sound")).collect();
        let plan = Plan { workloads, ..Plan::of(Vec::new()) };
        let grouped = in_groups(&plan, (0..names.len()).collect());
        let words = |(index, Shares { adopts, leaves }): (usize, Shares)| (names[index].to_owned(), adopts, leaves);
        grouped.into_iter().map(words).collect()
    }

    #[test]
    fn files_are_read_by_all_before_they_are_changed() {
        let order = ["randwrite-4k", "append-fsync", "randread-4k", "create-fsync", "seqread-cold"];
        let found = shares(&order);
        let expected = [
            ("randread-4k", false, true),
            ("seqread-cold", true, true),
            ("randwrite-4k", true, false),
            ("append-fsync", false, false),
            ("create-fsync", false, false),
        ];
        assert_eq!(found, expected.map(|(name, adopts, leaves)| (name.to_owned(), adopts, leaves)));
    }

    #[test]
    fn a_workload_that_changes_files_shares_them_with_none() {
        let found = shares(&["randwrite-4k", "randwrite-4k", "append-fsync"]);
        assert!(found.iter().all(|(_, adopts, leaves)| !adopts && !leaves), "{found:?}");
    }
}
