//! Ranks and best groups in words.

use fsarena_model::comparison::{ContenderRow, StandingRow};
use fsarena_model::{Comparison, Label};

use crate::group::Group;
use crate::number::DASH;

/// Minimum number of contenders for a best group. For two, the verdict says the same.
const SEVERAL: usize = 3;

/// `1`, or `1–2` if the verdicts leave it open; a dash for contenders without a rank.
pub fn rank(comparison: &Comparison, workload: &str, contender: &Label) -> String {
    let mut rows = comparison.standings.iter().filter(|row| row.workload == workload);
    let row = rows.find(|row| row.contender == *contender);
    match row.and_then(|row| row.rank_best.zip(row.rank_worst)) {
        Some((best, worst)) if best < worst => format!("{best}–{worst}"),
        Some((best, _)) => best.to_string(),
        None => DASH.to_owned(),
    }
}

/// The best group of a workload, for three contenders or more; a dash if no contender has a rank.
pub fn best(comparison: &Comparison, group: &Group<'_>, workload: &str) -> Option<String> {
    let best: Vec<&str> = ranked(comparison, group, workload).filter(|row| row.in_best_group).map(label).collect();
    let best = if best.is_empty() { DASH.to_owned() } else { best.join(", ") };
    (group.contenders.len() >= SEVERAL).then_some(best)
}

/// Each best group with its workloads, `ext4, xfs: stat-tree, randread-4k`, the smallest first. Empty if no contender
/// is proved worse than another in any workload.
pub fn best_groups(comparison: &Comparison, group: &Group<'_>) -> Vec<String> {
    let is_worse = |row: &StandingRow| !row.in_best_group;
    let tells = |name: &str| ranked(comparison, group, name).any(is_worse);
    if group.contenders.len() < SEVERAL || !comparison.workloads.iter().any(|row| tells(&row.name)) {
        return Vec::new();
    }
    let mut found: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    for workload in &comparison.workloads {
        let best = ranked(comparison, group, &workload.name).filter(|row| row.in_best_group).map(label).collect();
        match found.iter_mut().find(|(members, _)| *members == best) {
            Some((_, workloads)) => workloads.push(&workload.name),
            None => found.push((best, vec![&workload.name])),
        }
    }
    found.retain(|(members, _)| !members.is_empty());
    found.sort_by_key(|(members, _)| members.len());
    found.iter().map(|(members, workloads)| format!("{}: {}", members.join(", "), workloads.join(", "))).collect()
}

/// The rows of a group's contenders that have a rank in a workload.
fn ranked<'a>(
    comparison: &'a Comparison,
    group: &Group<'a>,
    workload: &'a str,
) -> impl Iterator<Item = &'a StandingRow> {
    let members: Vec<&'a ContenderRow> = group.contenders.clone();
    let is_among = move |row: &&StandingRow| members.iter().any(|member| member.label == row.contender);
    comparison.standings.iter().filter(move |row| row.workload == workload && row.rank_best.is_some()).filter(is_among)
}

fn label(row: &StandingRow) -> &str {
    &row.contender.0
}
