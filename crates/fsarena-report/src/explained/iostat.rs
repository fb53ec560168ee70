//! Figures of the lane's device over the timed seconds, as iostat(1) would print them, and processor time.

use fsarena_model::article::Quantity;
use fsarena_model::comparison::{Cell, WorkloadRow};
use fsarena_model::{Article, Comparison};

use super::{Figure, Line, Subject, lines, probe};
use crate::number::DASH;

pub const SUBJECT: Subject = Subject {
    title: "As iostat has it",
    meaning: "What iostat -x would have printed of the lane's device over the timed seconds, by sysstat's formulas and names: requests \
              and kilobytes (1024 bytes) per second, merged requests (rrqm/s, wrqm/s), milliseconds of a request in queue and device \
              (r_await, w_await, f_await), requests under way (aqu-sz), kilobytes of a request (rareq-sz, wareq-sz), and the share of the time \
              with any (%util). %CPU: processor time of the work's processes, and %system its part in the kernel, of the timed \
              seconds, or of fio what it says of each of its jobs; kernel threads' time is not in them.",
    lines: all,
    brief: in_brief,
    rest: |_| None,
    hint: |_, _| None,
};

macro_rules! column {
    ($name:literal, $meaning:literal) => {
        Figure {
            what: $name,
            meaning: $meaning,
            of: |_, cell| probe(cell, concat!("iostat.", $name)),
            print: hundredths,
        }
    };
}

const COLUMNS: [Figure; 16] = [
    column!("r/s", "Reads per second, after merging."),
    column!("rkB/s", "Kilobytes read per second."),
    column!("rrqm/s", "Reads merged with others per second."),
    column!("r_await", "Milliseconds that a read took, with its time in the queue."),
    column!("rareq-sz", "Kilobytes of a read."),
    column!("w/s", "Writes per second, after merging."),
    column!("wkB/s", "Kilobytes written per second."),
    column!("wrqm/s", "Writes merged with others per second."),
    column!("w_await", "Milliseconds that a write took, with its time in the queue."),
    column!("wareq-sz", "Kilobytes of a write."),
    column!("f/s", "Flushes per second."),
    column!("f_await", "Milliseconds that a flush took."),
    column!("aqu-sz", "Requests under way, the mean."),
    column!("%util", "Percent of the time with any request under way."),
    Figure {
        what: "%CPU",
        meaning: "Processor time of the work's processes, percent of the timed time.",
        of: |_, cell| of_fio(cell).map(|(user, system)| user + system).or(processor(cell, "cpu.process")),
        print: hundredths,
    },
    Figure {
        what: "%system",
        meaning: "Its part in the kernel.",
        of: |_, cell| of_fio(cell).map(|(_, system)| system).or(processor(cell, "cpu.system")),
        print: hundredths,
    },
];

/// The figures in the table of all workloads.
const BRIEF: [&str; 11] =
    ["r/s", "rkB/s", "r_await", "w/s", "wkB/s", "w_await", "f_await", "aqu-sz", "%util", "%CPU", "%system"];

/// Two decimals, as iostat prints.
fn hundredths(value: f64) -> String {
    format!("{value:.2}")
}

/// User and system time of each fio job in percent, as fio reports it.
fn of_fio(cell: &Cell) -> Option<(f64, f64)> {
    Some((probe(cell, "fio.usr")?, probe(cell, "fio.sys")?))
}

fn processor(cell: &Cell, name: &str) -> Option<f64> {
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
