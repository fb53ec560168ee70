//! Groups of contenders that may be ranked together, which are those of the same class: their guarantees, and the cells
//! and verdicts of their workloads.

use std::collections::BTreeSet;

use fsarena_model::comparison::{ContenderRow, PairVerdict};
use fsarena_model::{Class, Comparison, Guarantee, Label, Verdict};

use crate::words::{self, listed};

/// The contenders of one class, in command-line order.
#[derive(Debug, Clone)]
pub struct ClassGroup<'a> {
    /// Their class; `None` if no contender of the run was ever mounted.
    pub class: Option<Class>,
    /// The contenders of the class.
    pub contenders: Vec<&'a ContenderRow>,
}

/// All groups, the strongest durability first. Contenders that were never mounted have no figures and belong to the
/// first group.
pub fn groups(comparison: &Comparison) -> Vec<ClassGroup<'_>> {
    let class = |row: &ContenderRow| class(comparison, row);
    let mut classes: Vec<Class> = comparison.contenders.iter().filter_map(class).collect();
    classes.sort();
    classes.dedup();
    let Some(first) = classes.first().copied() else {
        return vec![ClassGroup { class: None, contenders: comparison.contenders.iter().collect() }];
    };
    let members = |wanted| {
        let belongs = move |row: &&ContenderRow| class(row).unwrap_or(first) == wanted;
        comparison.contenders.iter().filter(belongs).collect()
    };
    classes.into_iter().map(|class| ClassGroup { class: Some(class), contenders: members(class) }).collect()
}

/// On a single machine there are no other clients whose changes could be seen.
fn class(comparison: &Comparison, row: &ContenderRow) -> Option<Class> {
    let is_on_clients = !comparison.environment.clients.is_empty();
    let coherence = row.sharing.as_ref().filter(|_| is_on_clients).and_then(|sharing| sharing.coherence);
    Some(Class { durability: row.durability?, coherence })
}

/// The labels of some contenders.
pub fn labels(contenders: &[&ContenderRow]) -> Vec<String> {
    contenders.iter().map(|row| row.label.to_string()).collect()
}

/// The verdicts of `workload` between two of `contenders`, in the comparison's order.
pub fn verdicts<'a>(
    comparison: &'a Comparison,
    workload: &str,
    contenders: &[&ContenderRow],
) -> impl Iterator<Item = &'a PairVerdict> {
    let is_among = |label: &Label| contenders.iter().any(|row| row.label == *label);
    comparison
        .judged
        .verdicts
        .iter()
        .filter(move |pair| pair.workload == workload && is_among(&pair.a) && is_among(&pair.b))
}

/// The verdict on `a` against `b`, in whichever order the pair is stored. A missing pair is undecided.
pub fn verdict(comparison: &Comparison, workload: &str, a: &Label, b: &Label) -> Verdict {
    let of_workload = || comparison.judged.verdicts.iter().filter(|pair| pair.workload == workload);
    let forth = of_workload().find(|pair| pair.a == *a && pair.b == *b).map(|pair| pair.verdict);
    let back = || of_workload().find(|pair| pair.a == *b && pair.b == *a).map(|pair| pair.verdict.reversed());
    forth.or_else(back).unwrap_or(Verdict::Undecided)
}

/// Whether an undecided pair leans to `a`.
pub fn leans(comparison: &Comparison, workload: &str, a: &Label, b: &Label) -> bool {
    let undecided = comparison
        .judged
        .verdicts
        .iter()
        .filter(|pair| pair.workload == workload && pair.verdict == Verdict::Undecided);
    let mut towards = undecided.filter_map(|pair| match pair.leaning? {
        Verdict::Faster => Some((&pair.a, &pair.b)),
        _ => Some((&pair.b, &pair.a)),
    });
    towards.any(|(first, second)| first == a && second == b)
}

/// What the contenders of a group guarantee, and which of them guarantee more.
pub fn guarantees(group: &ClassGroup<'_>) -> Option<String> {
    let sets: Vec<BTreeSet<Guarantee>> =
        group.contenders.iter().map(|row| row.guarantees.iter().copied().collect()).collect();
    let common = sets.iter().cloned().reduce(|left, right| &left & &right)?;
    let more = more_guaranteed(group, &sets, &common);
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
fn more_guaranteed(group: &ClassGroup<'_>, sets: &[BTreeSet<Guarantee>], common: &BTreeSet<Guarantee>) -> Vec<String> {
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

/// Why a group that is not the first is shown separately.
pub fn apart(group: &ClassGroup<'_>) -> Option<String> {
    let class = group.class?;
    Some(format!("Apart, {}: {}. Never ranked with the others.", words::class(class), words::guaranteed(class)))
}
