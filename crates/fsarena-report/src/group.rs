//! Groups of contenders that may be ranked together, which are those of the same class: their guarantees, and the cells
//! and verdicts of their workloads. Groups of workloads: those of the suite, or else workloads that ask the same of a
//! file system.

use std::collections::BTreeSet;

use fsarena_model::comparison::{Cell, ContenderRow, PairVerdict, WorkloadRow};
use fsarena_model::{CacheState, Class, Comparison, DurablePoint, Guarantee, Label, Verdict, grouped};

use crate::words::{self, listed};

/// The contenders of one class, in command-line order.
#[derive(Debug, Clone)]
pub struct ClassGroup<'a> {
    pub comparison: &'a Comparison,
    /// Their class; `None` if no contender of the run was ever mounted.
    pub class: Option<Class>,
    pub contenders: Vec<&'a ContenderRow>,
    /// Why the group is shown separately; empty for the first one.
    pub apart: String,
}

/// All groups, the strongest durability first. Contenders that were never mounted have no figures and belong to the
/// first group.
pub fn groups(comparison: &Comparison) -> Vec<ClassGroup<'_>> {
    let class = |row: &ContenderRow| class(comparison, row);
    let mut classes: Vec<Class> = comparison.contenders.iter().filter_map(class).collect();
    classes.sort();
    classes.dedup();
    let Some(first) = classes.first().copied() else {
        let contenders = comparison.contenders.iter().collect();
        return vec![ClassGroup { comparison, class: None, contenders, apart: String::new() }];
    };
    let group = |own: Class| ClassGroup {
        comparison,
        class: Some(own),
        contenders: comparison.contenders.iter().filter(|row| class(row).unwrap_or(first) == own).collect(),
        apart: match own == first {
            true => String::new(),
            false => {
                format!("Apart, {}: {}. Never ranked with the others.", words::class(own), words::guaranteed(own))
            }
        },
    };
    classes.into_iter().map(group).collect()
}

/// The groups in which contenders are compared.
pub fn compared(comparison: &Comparison) -> Vec<ClassGroup<'_>> {
    groups(comparison).into_iter().filter(|group| group.contenders.len() > 1).collect()
}

/// On a single machine there are no other clients whose changes could be seen.
fn class(comparison: &Comparison, row: &ContenderRow) -> Option<Class> {
    let is_on_clients = !comparison.environment.clients.is_empty();
    let coherence = row.sharing.as_ref().filter(|_| is_on_clients).and_then(|sharing| sharing.coherence);
    Some(Class { durability: row.durability?, coherence })
}

impl<'a> ClassGroup<'a> {
    pub fn labels(&self) -> impl Iterator<Item = &'a Label> {
        self.contenders.iter().map(|row| &row.label)
    }

    pub fn has(&self, label: &Label) -> bool {
        self.labels().any(|own| own == label)
    }

    /// The verdicts between its contenders in `workload`, in the comparison's order.
    pub fn verdicts(&self, workload: &str) -> impl Iterator<Item = &'a PairVerdict> {
        let all = self.comparison.judged.verdicts.iter();
        all.filter(move |pair| pair.workload == workload && self.has(&pair.a) && self.has(&pair.b))
    }

    /// The verdicts between its contenders, by workload.
    pub fn pairs(&self) -> Vec<&'a PairVerdict> {
        self.comparison.workloads.iter().flat_map(|row| self.verdicts(&row.name)).collect()
    }

    /// The verdict on `a` against `b`, in whichever order the pair is stored. A missing pair is undecided.
    pub fn verdict(&self, workload: &str, a: &Label, b: &Label) -> Verdict {
        match self.pair(workload, a, b) {
            None => Verdict::Undecided,
            Some(pair) if pair.a == *a => pair.verdict,
            Some(pair) => pair.verdict.reversed(),
        }
    }

    /// Whether an undecided pair leans to `a`.
    pub fn leans(&self, workload: &str, a: &Label, b: &Label) -> bool {
        let pair = self.pair(workload, a, b).filter(|pair| pair.verdict == Verdict::Undecided);
        let leaning = pair.and_then(|pair| Some((pair.leaning? == Verdict::Faster, pair.a == *a)));
        leaning.is_some_and(|(to_first, is_first)| to_first == is_first)
    }

    fn pair(&self, workload: &str, a: &Label, b: &Label) -> Option<&'a PairVerdict> {
        let both = [a, b];
        self.verdicts(workload).find(|pair| both == [&pair.a, &pair.b] || both == [&pair.b, &pair.a])
    }
}

/// The position of a contender, from which its colour follows.
pub fn index_of(comparison: &Comparison, label: &Label) -> usize {
    comparison.contenders.iter().position(|row| row.label == *label).unwrap_or_default()
}

/// What the contenders of a group guarantee, and which of them guarantee more.
pub fn guarantees(group: &ClassGroup<'_>) -> Option<String> {
    let sets: Vec<BTreeSet<Guarantee>> =
        group.contenders.iter().map(|row| row.guarantees.iter().copied().collect()).collect();
    let common = sets.iter().cloned().reduce(|left, right| &left & &right)?;
    let more = more_guaranteed(group, &sets, &common);
    let all = match group.contenders.as_slice() {
        [one] => format!("{} guarantees", one.label),
        _ => format!("{} guarantee", listed(group.labels())),
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
    let more = group.labels().zip(sets).filter(|(_, set)| set.len() > common.len());
    let more = grouped(more.map(|(label, set)| (set - common, label)));
    let also = if common.is_empty() { "" } else { "also " };
    let verb = |labels: &[&Label]| if labels.len() == 1 { "guarantees" } else { "guarantee" };
    more.iter().map(|(extra, labels)| format!("{} {also}{} {}", listed(labels), verb(labels), listed(extra))).collect()
}

/// Workloads that belong together.
#[derive(Debug)]
pub struct WorkGroup<'a> {
    /// What they have in common: `Made durable`.
    pub title: String,
    pub workloads: Vec<&'a WorkloadRow>,
}

/// All groups, in the order of their first workloads.
pub fn works(comparison: &Comparison) -> Vec<WorkGroup<'_>> {
    let works = grouped(comparison.workloads.iter().map(|workload| (title(workload), workload)));
    works.into_iter().map(|(title, workloads)| WorkGroup { title, workloads }).collect()
}

/// The cells of a workload, by contender.
pub fn cells<'a>(comparison: &'a Comparison, workload: &WorkloadRow) -> Vec<&'a Cell> {
    comparison.contenders.iter().filter_map(|row| comparison.cell(&workload.name, &row.label)).collect()
}

fn title(workload: &WorkloadRow) -> String {
    let own = match (workload.durable, workload.cache) {
        (DurablePoint::None, CacheState::Warm) => "In the page cache",
        (DurablePoint::None, CacheState::Cold) => "With a cold cache",
        (DurablePoint::None, CacheState::Direct) => "Direct I/O",
        _ => "Made durable",
    };
    workload.group.as_ref().map_or(own.to_owned(), |group| group.to_string())
}
