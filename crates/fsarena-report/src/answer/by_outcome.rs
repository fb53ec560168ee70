//! Sentences for real work, one for each outcome: for which work a contender is the fastest and by how much, where it
//! makes no difference, and what is not decided.

use fsarena_model::comparison::{PairVerdict, Reason, WorkloadRow};
use fsarena_model::{Comparison, Label, Verdict};

use super::{Leader, lead, superlative};
use crate::group::ClassGroup;
use crate::number;
use crate::ranking::{best_group, ranking};
use crate::report::{Role, Sentence};
use crate::words::listed;
use crate::{pair, standing};

/// Whether the workloads say what a person does, so that outcomes can be told in these words.
pub fn is_of_real_work(comparison: &Comparison) -> bool {
    !comparison.workloads.is_empty() && comparison.workloads.iter().all(|row| !row.title.is_empty())
}

/// The sentences on a group of contenders; none without verdicts.
pub fn sentences(group: &ClassGroup<'_>) -> Vec<Sentence> {
    let comparison = group.comparison;
    if comparison.judged.verdicts.is_empty() {
        return Vec::new();
    }
    let outcomes: Vec<(Outcome<'_>, String)> = comparison.workloads.iter().map(|row| outcome(group, row)).collect();
    let fastest =
        group.labels().map(|label| (Outcome::Fastest(label), format!("{label} is the {}:", superlative(group))));
    let others = [
        (Outcome::Equal, "Equally fast:"),
        (Outcome::Small, "No difference that matters:"),
        (Outcome::Open, "Not decided:"),
        (Outcome::Invalid, "Not comparable:"),
    ];
    let others = others.map(|(outcome, title)| (outcome, title.to_owned()));
    fastest.chain(others).filter_map(|(wanted, title)| sentence(&outcomes, &wanted, title)).collect()
}

/// What came out of a workload.
#[derive(Debug, PartialEq)]
enum Outcome<'a> {
    Fastest(&'a Label),
    Equal,
    /// The programs take almost all of the time.
    Small,
    Open,
    Invalid,
}

fn sentence(outcomes: &[(Outcome<'_>, String)], wanted: &Outcome<'_>, title: String) -> Option<Sentence> {
    let of: Vec<&str> =
        outcomes.iter().filter(|(outcome, _)| outcome == wanted).map(|(_, words)| words.as_str()).collect();
    (!of.is_empty()).then(|| Sentence::new(Role::Strong, title).and(Role::Plain, format!("{}.", of.join("; "))))
}

/// The outcome of a workload, and the work with the ratios in words.
fn outcome<'a>(group: &ClassGroup<'a>, row: &WorkloadRow) -> (Outcome<'a>, String) {
    let best = best_group(group, &row.name);
    let pairs: Vec<&PairVerdict> = group.verdicts(&row.name).collect();
    let is_small = |pair: &&PairVerdict| pair::winner(pair).is_none() && pair.reasons.contains(&Reason::Programs);
    let all_small = !pairs.is_empty() && pairs.iter().all(is_small);
    let behind = behind(group, &row.name, &best);
    let (outcome, words) = match lead(&ranking(group, &row.name)) {
        Leader::Invalid => (Outcome::Invalid, None),
        _ if all_small => (Outcome::Small, at_most(row)),
        Leader::One(label) => (Outcome::Fastest(label), None),
        Leader::Several => (Outcome::Equal, (best.len() < group.contenders.len()).then(|| listed(&best))),
        Leader::Open => (Outcome::Open, (best.len() < group.contenders.len()).then(|| best.join(" or "))),
    };
    let behind = if matches!(outcome, Outcome::Invalid | Outcome::Small) { None } else { behind };
    let words: Vec<String> = words.into_iter().chain(behind).collect();
    // Cold and warm, it is the same work.
    let is_twice = group.comparison.workloads.iter().filter(|other| other.title == row.title).count() > 1;
    let title = if is_twice { &row.name } else { &row.title };
    (outcome, if words.is_empty() { title.clone() } else { format!("{title} ({})", words.join("; ")) })
}

/// `xfs 1.07×, btrfs 1.49× slower`: how far the contenders outside of the best group are behind the nearest of it, among
/// those that are shown to be better. Which one that is stands there if it is not each of the group: `ext4 1.13× slower
/// than btrfs`.
fn behind(group: &ClassGroup<'_>, workload: &str, best: &[&str]) -> Option<String> {
    let is_best = |label: &&Label| best.contains(&label.0.as_str());
    let (mut than_all, mut than_some) = (Vec::new(), Vec::new());
    for other in group.labels().filter(|label| !is_best(label)) {
        let nearest = standing::behind(group, workload, other)
            .and_then(|pair| Some((pair::winner(pair).filter(is_best)?, pair::lead(pair)?.times())));
        let Some((nearest, times)) = nearest else { continue };
        let is_behind = |label: &Label| group.verdict(workload, other, label) == Verdict::Slower;
        if group.labels().filter(is_best).all(is_behind) {
            than_all.push(format!("{other} {times}"));
        } else {
            than_some.push(format!("{other} {times} slower than {nearest}"));
        }
    }
    let than_all = (!than_all.is_empty()).then(|| format!("{} slower", than_all.join(", ")));
    let words: Vec<String> = than_all.into_iter().chain(than_some).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// `at most 4 % of the time depends on the file system`.
fn at_most(row: &WorkloadRow) -> Option<String> {
    let high = row.at_stake?.high?;
    let share = number::percent((1.0 - 1.0 / high).max(0.0));
    Some(format!("at most {share} of the time depends on the file system"))
}
