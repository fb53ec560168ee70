//! Findings that follow from comparing: copies of runs, pairs of other work, and what the clock hides of pairs.

use std::collections::{BTreeMap, BTreeSet};

use super::{FindingClass, JudgedFinding, some_of};
use crate::copies::Copy;
use crate::judgement::{Compared, JudgedReason};
use crate::measured::Measured;

/// Runs that were given more than once.
pub fn copies(copies: &[Copy]) -> Vec<JudgedFinding> {
    let (renamed, again): (Vec<&Copy>, Vec<&Copy>) = copies.iter().partition(|copy| copy.contenders.is_some());
    let renamed = renamed.iter().filter_map(|copy| {
        let [original, own] = copy.contenders.as_ref()?;
        Some(format!("{} and {} are one run, called {original} and {own}", copy.original, copy.run))
    });
    let first = again.first().map(|copy| {
        let more = if again.len() > 1 { format!(", and {} more", again.len() - 1) } else { String::new() };
        let same = if copy.is_part { "a part of" } else { "the same run as" };
        format!("{} is {same} {}{more}: it counts once", copy.run, copy.original)
    });
    FindingClass::Identity.findings(renamed).chain(FindingClass::Copy.findings(first)).collect()
}

/// Contenders with the same figures.
pub fn renamed(pairs: &[[&str; 2]]) -> impl Iterator<Item = JudgedFinding> {
    let text = |[a, b]: &[&str; 2]| {
        format!("the figures of {a} and {b} are the same throughout: they are one set of results under two names")
    };
    FindingClass::Identity.findings(pairs.iter().map(text))
}

/// Findings that follow from comparing pairs.
pub fn of_pairs(rows: &[Measured], pairs: &[Compared]) -> Vec<JudgedFinding> {
    let work = other_work(pairs).into_iter().chain(nothing_shared(rows, pairs));
    let found = [
        (FindingClass::Work, Vec::from_iter(work)),
        (FindingClass::Confounded, in_blocks(pairs)),
        (FindingClass::OneRun, repeated_elsewhere(pairs)),
    ];
    let found = found.into_iter().flat_map(|(class, texts)| class.findings(texts));
    found.chain(FindingClass::Clock.findings(flat(pairs))).collect()
}

/// Pairs whose work differs, by what differs.
fn other_work(pairs: &[Compared]) -> Vec<String> {
    let mut mismatches: BTreeMap<(&str, &str, &str), BTreeSet<&str>> = BTreeMap::new();
    for pair in pairs {
        if let Some(how) = &pair.mismatch {
            mismatches.entry((&pair.judged.a, &pair.judged.b, how)).or_default().insert(&pair.judged.workload);
        }
    }
    let text = |((a, b, how), workloads): ((&str, &str, &str), BTreeSet<&str>)| {
        format!("{}: {a} and {b} did not do the same work: {how} differ", some_of(&workloads))
    };
    mismatches.into_iter().map(text).collect()
}

/// Pairs of contenders without a common workload.
fn nothing_shared(rows: &[Measured], pairs: &[Compared]) -> Vec<String> {
    let mut shared: BTreeMap<(&str, &str), bool> = BTreeMap::new();
    for pair in pairs.iter().map(|pair| &pair.judged) {
        *shared.entry((&pair.a, &pair.b)).or_default() |= pair.reason != JudgedReason::Missing;
    }
    let mut own: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    rows.iter().for_each(|row| own.entry(&row.contender).or_default().extend([row.workload.as_str()]));
    let of = |name: &str| own.get(name).map(some_of).unwrap_or_default();
    let none = shared.into_iter().filter(|(_, shared)| !shared);
    none.map(|((a, b), _)| format!("{a} and {b} have no workload in common: {a} has {}, {b} has {}", of(a), of(b)))
        .collect()
}

/// Pairs that took turns in blocks of runs.
fn in_blocks(pairs: &[Compared]) -> Vec<String> {
    let mut blocks: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for pair in pairs {
        if let Some(longest) = pair.difference.as_ref().and_then(|difference| difference.longest_block) {
            let known = blocks.entry((&pair.judged.a, &pair.judged.b)).or_default();
            *known = longest.max(*known);
        }
    }
    let text = |((a, b), longest): ((&str, &str), usize)| {
        format!(
            "{a} and {b} took turns in blocks of up to {longest} runs: a block counts as one repetition, since its runs \
             share what the machine did meanwhile; one run of each in turn makes every run a repetition"
        )
    };
    blocks.into_iter().map(text).collect()
}

/// Pairs that were repeated, but not both of them on a host, and in a wave, that both share.
fn repeated_elsewhere(pairs: &[Compared]) -> Vec<String> {
    let is_it = |pair: &&Compared| {
        let difference = pair.difference.as_ref().filter(|it| it.longest_block.is_none());
        difference.is_some_and(|it| it.is_repeated_somewhere && !it.is_repeated)
    };
    let names: BTreeSet<_> = pairs.iter().filter(is_it).map(|pair| (&pair.judged.a, &pair.judged.b)).collect();
    let text =
        |(a, b)| format!("{a} or {b} has one run where both can be compared: its others have other hosts or times");
    names.into_iter().map(text).collect()
}

/// Workloads whose repetitions have the same figure.
fn flat(pairs: &[Compared]) -> Option<String> {
    let names: BTreeSet<&str> =
        pairs.iter().filter(|pair| pair.is_flat()).map(|pair| pair.judged.workload.as_str()).collect();
    let what = "all repetitions have the same figure, so the clock or the rounding hides how much they vary";
    (!names.is_empty()).then(|| format!("{}: {what}", some_of(&names)))
}
