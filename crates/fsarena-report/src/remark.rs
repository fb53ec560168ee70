//! Sentences about a run: its plan, the contenders' guarantees, what was found.

use std::collections::BTreeSet;

use fsarena_model::event::Check;
use fsarena_model::{Comparison, Guarantee, Label, Severity};

use crate::group::{Group, labels};
use crate::pair;
use crate::words::{self, listed};

/// `Run 12: suite quick; ext4, xfs; 6 rounds; seed 7351; complete`.
pub fn head(comparison: &Comparison) -> String {
    let suite = comparison.suite.as_ref().map_or("single workloads".to_owned(), |suite| format!("suite {suite}"));
    format!(
        "Run {}: {suite}; {}; {}; seed {}; {}",
        comparison.run,
        labels(&comparison.contenders.iter().collect::<Vec<_>>()).join(", "),
        words::rounds(comparison.rounds),
        comparison.seed,
        words::status(comparison.status),
    )
}

/// What the contenders of a group guarantee, and which of them guarantee more.
pub fn guarantees(group: &Group<'_>) -> Option<String> {
    let sets: Vec<BTreeSet<Guarantee>> =
        group.contenders.iter().map(|row| row.guarantees.iter().copied().collect()).collect();
    let common = sets.iter().cloned().reduce(|left, right| &left & &right)?;
    let more = more_promised(group, &sets, &common);
    let all = match group.contenders.as_slice() {
        [one] => format!("{} guarantees", one.label),
        many => format!("{} guarantee", listed(labels(many))),
    };
    match (common.is_empty(), more.is_empty()) {
        (true, true) => None,
        (true, false) => Some(format!("{}.", more.join("; "))),
        (false, true) => Some(format!("{all} {}.", listed(&common))),
        (false, false) => Some(format!("{all} {}; {}.", listed(&common), more.join("; "))),
    }
}

/// The contenders that guarantee more than `common`. Contenders with the same guarantees are named together.
fn more_promised(group: &Group<'_>, sets: &[BTreeSet<Guarantee>], common: &BTreeSet<Guarantee>) -> Vec<String> {
    let mut more: Vec<(BTreeSet<Guarantee>, Vec<&Label>)> = Vec::new();
    for (row, set) in group.contenders.iter().zip(sets).filter(|(_, set)| set.len() > common.len()) {
        let extra = set - common;
        match more.iter_mut().find(|(known, _)| *known == extra) {
            Some((_, labels)) => labels.push(&row.label),
            None => more.push((extra, vec![&row.label])),
        }
    }
    let verb = |labels: &[&Label]| if labels.len() == 1 { "also guarantees" } else { "also guarantee" };
    more.iter().map(|(extra, labels)| format!("{} {} {}", listed(labels), verb(labels), listed(extra))).collect()
}

/// Guarantees that only one contender of a pair makes, once for all pairs with the same text: `Verdicts of ext4 / btrfs
/// and xfs / btrfs: btrfs also has data checksums.`
pub fn pair_guarantees(comparison: &Comparison) -> Vec<String> {
    let mut found: Vec<(&str, Vec<String>)> = Vec::new();
    for pair in comparison.verdicts.iter().filter(|pair| !pair.guarantees.is_empty()) {
        let name = pair::name(pair);
        match found.iter_mut().find(|(guarantees, _)| *guarantees == pair.guarantees) {
            Some((_, pairs)) if pairs.contains(&name) => {}
            Some((_, pairs)) => pairs.push(name),
            None => found.push((&pair.guarantees, vec![name])),
        }
    }
    found.into_iter().map(|(guarantees, pairs)| format!("Verdicts of {}: {guarantees}.", listed(pairs))).collect()
}

/// Why a group of weaker durability is shown separately.
pub fn apart(group: &Group<'_>) -> Option<String> {
    let class = group.durability?;
    Some(format!("Apart, durability {class}: {}. Never ranked with the others.", words::durability(class)))
}

/// What a checker found.
pub fn damage(check: &Check) -> String {
    let output = check.output.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let output = if output.is_empty() { "the checker gave no details".to_owned() } else { output.join("; ") };
    format!("damage: round {}, {}: {output}", check.round, check.contender)
}

/// Notes, the most severe first.
pub fn notes(comparison: &Comparison) -> Vec<(Severity, &str)> {
    let of = |severity| comparison.notes.iter().filter(move |note| note.severity == severity);
    let severities = [Severity::Failure, Severity::Warning, Severity::Info];
    severities.into_iter().flat_map(|severity| of(severity).map(move |note| (severity, &*note.text))).collect()
}
