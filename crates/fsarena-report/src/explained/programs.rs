//! Figures as other programs have them: iostat's columns of the lane's device over the timed seconds, processor time,
//! and what the program of a workload reports itself.

use std::collections::BTreeMap;

use fsarena_model::article::Quantity;
use fsarena_model::comparison::{Cell, WorkloadRow};
use fsarena_model::{Article, Comparison, Reading};

use super::{Figure, Line, Subject, computed, lines, probe, probed};
use crate::number::{DASH, hundredths, three_digits};

pub const IOSTAT: Subject = Subject {
    title: "As iostat has it",
    meaning: "What iostat -x would have printed of the lane's device over the timed seconds, by sysstat's formulas and \
        names: requests and kilobytes (1024 bytes) per second, merged requests (rrqm/s, wrqm/s), milliseconds of a \
        request in queue and device (r_await, w_await, f_await), requests under way (aqu-sz), kilobytes of a request \
        (rareq-sz, wareq-sz), and the share of the time with any (%util). %CPU: processor time of the work's \
        processes, and %system its part in the kernel, of the timed seconds, or of fio what it says of each of its \
        jobs; kernel threads' time is not in them.",
    lines: all,
    brief: in_brief,
    rest: |_| None,
    hint: |_, _| None,
};

#[rustfmt::skip]
const COLUMNS: [Figure; 16] = [
    probed("r/s", "iostat.r/s", hundredths, "Reads per second, after merging."),
    probed("rkB/s", "iostat.rkB/s", hundredths, "Kilobytes read per second."),
    probed("rrqm/s", "iostat.rrqm/s", hundredths, "Reads merged with others per second."),
    probed("r_await", "iostat.r_await", hundredths, "Milliseconds that a read took, with its time in the queue."),
    probed("rareq-sz", "iostat.rareq-sz", hundredths, "Kilobytes of a read."),
    probed("w/s", "iostat.w/s", hundredths, "Writes per second, after merging."),
    probed("wkB/s", "iostat.wkB/s", hundredths, "Kilobytes written per second."),
    probed("wrqm/s", "iostat.wrqm/s", hundredths, "Writes merged with others per second."),
    probed("w_await", "iostat.w_await", hundredths, "Milliseconds that a write took, with its time in the queue."),
    probed("wareq-sz", "iostat.wareq-sz", hundredths, "Kilobytes of a write."),
    probed("f/s", "iostat.f/s", hundredths, "Flushes per second."),
    probed("f_await", "iostat.f_await", hundredths, "Milliseconds that a flush took."),
    probed("aqu-sz", "iostat.aqu-sz", hundredths, "Requests under way, the mean."),
    probed("%util", "iostat.%util", hundredths, "Percent of the time with any request under way."),
    computed("%CPU", processor, hundredths, "Processor time of the work's processes, percent of the timed time."),
    computed("%system", system, hundredths, "Its part in the kernel."),
];

/// The figures in the table of all workloads.
const BRIEF: [&str; 11] =
    ["r/s", "rkB/s", "r_await", "w/s", "wkB/s", "w_await", "f_await", "aqu-sz", "%util", "%CPU", "%system"];

/// User and system time of each fio job in percent, as fio reports it.
fn of_fio(cell: &Cell) -> Option<(f64, f64)> {
    Some((probe(cell, "fio.usr")?, probe(cell, "fio.sys")?))
}

fn processor(_: &Comparison, cell: &Cell) -> Option<f64> {
    of_fio(cell).map(|(user, system)| user + system).or_else(|| of_timed(cell, "cpu.process"))
}

fn system(_: &Comparison, cell: &Cell) -> Option<f64> {
    of_fio(cell).map(|(_, system)| system).or_else(|| of_timed(cell, "cpu.system"))
}

fn of_timed(cell: &Cell, name: &str) -> Option<f64> {
    Some(probe(cell, name)? / cell.seconds_per_operation? * 100.0)
}

/// Every figure that is known; empty if the columns of iostat were not counted.
fn all(comparison: &Comparison, workload: &WorkloadRow) -> Vec<Line> {
    let is_counted = |cell: &Cell| cell.workload == workload.name && cell.probes.contains_key("iostat.%util");
    match comparison.cells.iter().any(is_counted) {
        true => lines(comparison, workload, &COLUMNS),
        false => Vec::new(),
    }
}

/// Only if the run reproduces an article with such figures, and without lines in which all values are 0.
fn in_brief(comparison: &Comparison, workload: &WorkloadRow) -> Vec<Line> {
    if !comparison.reproduction.as_ref().is_some_and(|reproduction| has_such_figures(&reproduction.article)) {
        return Vec::new();
    }
    let is_idle = |line: &Line| line.values.iter().all(|value| value == "0.00" || value == DASH);
    let lines = all(comparison, workload).into_iter();
    lines.filter(|line| BRIEF.contains(&&*line.what) && !is_idle(line)).collect()
}

/// Whether an article has processor time or the device's utilisation among its metrics.
fn has_such_figures(article: &Article) -> bool {
    let mut metrics = article.tests.iter().flat_map(|test| &test.metrics);
    metrics
        .any(|metric| matches!(metric.quantity, Some(Quantity::Processor | Quantity::System | Quantity::Utilisation)))
}

pub const SAID: Subject = Subject {
    title: "In the program's own words",
    meaning: "What the programs that do the work say of it themselves, in their own units; the median over rounds.",
    lines: said,
    brief: |_, _| Vec::new(),
    rest: |_| None,
    hint: |_, _| None,
};

/// Transactions that were acknowledged as durable, and the connections that may share a flush.
const COMMITS: [(&str, &str); 2] = [
    ("commits", "Transactions that were acknowledged as durable: each needs a flush, which connections may share."),
    ("connections", "Connections that may commit at the same time."),
];

/// The readings whose names begin with the workload's engine, and the transactions.
fn said(comparison: &Comparison, workload: &WorkloadRow) -> Vec<Line> {
    let group = format!("{}.", workload.engine);
    let known = comparison.contenders.iter().map(|row| comparison.cell(&workload.name, &row.label));
    let probes: Vec<Option<&BTreeMap<String, Reading>>> = known.map(|cell| cell.map(|cell| &cell.probes)).collect();
    let named = |name: &str| probes.iter().flatten().any(|probes| probes.contains_key(name));
    let commits = COMMITS.into_iter().filter(|(name, _)| named(name));
    let commits = commits.map(|(name, meaning)| (name.to_owned(), name.to_owned(), meaning));
    let mut own: Vec<&String> = probes.iter().flatten().flat_map(|probes| probes.keys()).collect();
    own.retain(|name| name.starts_with(&group));
    own.sort();
    own.dedup();
    let own = own.into_iter().map(|name| (name.clone(), name[group.len()..].to_owned(), "As the program says."));
    let line = |(name, what, meaning): (String, String, &'static str)| Line {
        what: what.into(),
        meaning,
        values: probes.iter().map(|probes| printed(probes.and_then(|probes| probes.get(&name)))).collect(),
        baselines: String::new(),
    };
    own.chain(commits).map(line).collect()
}

fn printed(reading: Option<&Reading>) -> String {
    let value = reading.and_then(|reading| Some((reading.value?, &reading.unit)));
    value.map_or_else(
        || DASH.to_owned(),
        |(value, unit)| format!("{} {unit}", three_digits(value)).trim_end().to_owned(),
    )
}
