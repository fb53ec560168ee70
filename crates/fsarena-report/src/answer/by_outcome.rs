//! Sentences for real work, one for each outcome: for which work a contender is the fastest and by how much, where it
//! makes no difference, and what is not decided.

use fsarena_model::comparison::{PairVerdict, Reason, WorkloadRow};
use fsarena_model::{Comparison, Label, grouped};

use super::{Leader, lead, superlative};
use crate::group::ClassGroup;
use crate::number;
use crate::report::{Role, Sentence};
use crate::words::listed;
use crate::{pair, ranking};

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
    let outcomes = grouped(comparison.workloads.iter().map(|row| outcome(group, row)));
    let fastest = group.labels().map(|label| fastest(group, label));
    let titles = fastest.chain([EQUAL, SMALL, OPEN, INVALID].map(str::to_owned));
    let sentence = |title: String| {
        let (_, works) = outcomes.iter().find(|(outcome, _)| *outcome == title)?;
        Some(Sentence::new(Role::Strong, title).and(Role::Plain, format!("{}.", works.join("; "))))
    };
    titles.filter_map(sentence).collect()
}

fn fastest(group: &ClassGroup<'_>, label: &Label) -> String {
    format!("{label} is the {}:", superlative(group))
}

const EQUAL: &str = "Equally fast:";
/// The programs take almost all of the time.
const SMALL: &str = "No difference that matters:";
const OPEN: &str = "Not decided:";
const INVALID: &str = "Not comparable:";

/// The outcome of a workload as a title, and the work with the ratios in words.
fn outcome(group: &ClassGroup<'_>, row: &WorkloadRow) -> (String, String) {
    let best = ranking::best_group(group, &row.name);
    let pairs: Vec<&PairVerdict> = group.verdicts(&row.name).collect();
    let is_small = |pair: &&PairVerdict| pair::winner(pair).is_none() && pair.reasons.contains(&Reason::Programs);
    let all_small = !pairs.is_empty() && pairs.iter().all(is_small);
    let behind = || behind(group, &row.name, &best);
    let is_part = !best.is_empty() && best.len() < group.contenders.len();
    let (outcome, words) = match lead(&ranking::ranking(group, &row.name)) {
        Leader::Invalid => (INVALID.to_owned(), [None, None]),
        _ if all_small => (SMALL.to_owned(), [at_most(row), None]),
        Leader::One(label) => (fastest(group, label), [None, behind()]),
        Leader::Several => (EQUAL.to_owned(), [is_part.then(|| listed(&best)), behind()]),
        Leader::Open => (OPEN.to_owned(), [is_part.then(|| best.join(" or ")), behind()]),
    };
    let words: Vec<String> = words.into_iter().flatten().collect();
    // Cold and warm, it is the same work.
    let is_twice = group.comparison.workloads.iter().filter(|other| other.title == row.title).count() > 1;
    let title = if is_twice { &row.name } else { &row.title };
    (outcome, if words.is_empty() { title.clone() } else { format!("{title} ({})", words.join("; ")) })
}

/// `xfs 1.07×, btrfs 1.49× slower`: how far the contenders outside of the best group are behind one of it that is shown
/// to be better. Of several best it is named: `xfs 1.07×, btrfs 1.49× slower than ext4`.
fn behind(group: &ClassGroup<'_>, workload: &str, best: &[&str]) -> Option<String> {
    let is_best = |label: &&Label| best.contains(&label.0.as_str());
    let lost = group.labels().filter(|label| !is_best(label)).filter_map(|other| {
        let pair = ranking::behind(group, workload, other)?;
        Some((pair::winner(pair).filter(is_best)?, format!("{other} {}", pair::lead(pair)?.times())))
    });
    let words = |(winner, others): (&Label, Vec<String>)| match best.len() {
        1 => format!("{} slower", others.join(", ")),
        _ => format!("{} slower than {winner}", others.join(", ")),
    };
    let words: Vec<String> = grouped(lost).into_iter().map(words).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

/// `at most 4 % of the time depends on the file system`.
fn at_most(row: &WorkloadRow) -> Option<String> {
    let high = row.at_stake?.high?;
    let share = number::percent((1.0 - 1.0 / high).max(0.0));
    Some(format!("at most {share} of the time depends on the file system"))
}
