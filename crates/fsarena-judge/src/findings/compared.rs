//! Findings that follow from comparing: copies of runs, pairs of other work, and what the clock hides of pairs.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_report::number::Ratio;

use super::{FindingClass, JudgedFinding, one, some_of};
use crate::copies::Copy;
use crate::judgement::{Bound, Compared, JudgedReason};
use crate::measured::Measured;

/// Runs that were given more than once.
pub fn copies(copies: &[Copy]) -> Vec<JudgedFinding> {
    let (renamed, again): (Vec<&Copy>, Vec<&Copy>) = copies.iter().partition(|copy| copy.contenders.is_some());
    let renamed = renamed.iter().filter_map(|copy| {
        let [original, own] = copy.contenders.as_ref()?;
        let text = format!("{} and {} are one run, called {original} and {own}", copy.original, copy.run);
        Some(JudgedFinding { class: FindingClass::Identity, text })
    });
    let first = again.first().map(|copy| {
        let more = if again.len() > 1 { format!(", and {} more", again.len() - 1) } else { String::new() };
        let text = format!("{} is the same run as {}{more}: it counts once", copy.run, copy.original);
        JudgedFinding { class: FindingClass::Copy, text }
    });
    renamed.chain(first).collect()
}

/// Pairs whose work differs, by what differs.
pub fn other_work(pairs: &[Compared]) -> Vec<JudgedFinding> {
    let mut mismatches: BTreeMap<(&str, &str, &str), BTreeSet<&str>> = BTreeMap::new();
    for pair in pairs {
        if let Some(how) = &pair.mismatch {
            mismatches.entry((&pair.judged.a, &pair.judged.b, how)).or_default().insert(&pair.judged.workload);
        }
    }
    let finding = |((a, b, how), workloads): ((&str, &str, &str), BTreeSet<&str>)| JudgedFinding {
        class: FindingClass::Work,
        text: format!("{}: {a} and {b} did not do the same work: {how} differ", some_of(&workloads)),
    };
    mismatches.into_iter().map(finding).collect()
}

/// Pairs of contenders without a common workload.
pub fn nothing_shared(rows: &[Measured], pairs: &[Compared]) -> Vec<JudgedFinding> {
    let mut shared: BTreeMap<(&str, &str), bool> = BTreeMap::new();
    for pair in pairs.iter().map(|pair| &pair.judged) {
        *shared.entry((&pair.a, &pair.b)).or_default() |= pair.reason != JudgedReason::Missing;
    }
    let mut own: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    rows.iter().for_each(|row| own.entry(&row.contender).or_default().extend([row.workload.as_str()]));
    let of = |name: &str| own.get(name).map(some_of).unwrap_or_default();
    let none = shared.into_iter().filter(|(_, shared)| !shared);
    let finding = |((a, b), _): ((&str, &str), bool)| JudgedFinding {
        class: FindingClass::Work,
        text: format!("{a} and {b} have no workload in common: {a} has {}, {b} has {}", of(a), of(b)),
    };
    none.map(finding).collect()
}

/// What is known of work that was too fast for the program's clock.
pub fn too_fast(pairs: &[Compared]) -> Vec<JudgedFinding> {
    let mut bounds: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    for pair in pairs.iter().map(|pair| &pair.judged) {
        let Some(ratio) = pair.estimate.ratio else { continue };
        let (better, worse, ratio) = match pair.bound {
            Bound::AtLeast if ratio > 1.0 => (&pair.a, &pair.b, ratio),
            Bound::AtMost if ratio < 1.0 => (&pair.b, &pair.a, 1.0 / ratio),
            _ => continue,
        };
        let text = format!("at least {} in {}", Ratio::alone(ratio).times(), pair.workload);
        bounds.entry((better, worse)).or_default().insert(text);
    }
    let finding = |((better, worse), texts): ((&str, &str), BTreeSet<String>)| JudgedFinding {
        class: FindingClass::Clock,
        text: format!(
            "{better} was too fast to time, so it was better than {worse} {}",
            some_of(&texts.iter().map(String::as_str).collect())
        ),
    };
    bounds.into_iter().map(finding).collect()
}

/// Workloads whose repetitions have the same figure.
pub fn flat(pairs: &[Compared]) -> Vec<JudgedFinding> {
    let names: BTreeSet<&str> =
        pairs.iter().filter(|pair| pair.is_flat).map(|pair| pair.judged.workload.as_str()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let text = format!(
        "{}: all repetitions have the same figure, so the clock or the rounding hides how much they vary",
        some_of(&names)
    );
    one(FindingClass::Clock, text)
}
