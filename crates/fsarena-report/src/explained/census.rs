//! The flush census: how many flushes reach the device for a sync, and how long a flush takes.

use fsarena_model::comparison::{Cell, WorkloadRow};
use fsarena_model::{Comparison, DurablePoint};

use super::{Figure, Line, Subject, computed, lines, probe};
use crate::number::{DASH, count, seconds};

pub const SUBJECT: Subject = Subject {
    title: "Flush census",
    meaning: "What reaches the lane's device for one fsync, fdatasync or syncfs (for one write with O_SYNC): flushes \
        as the device counts them, requests that ask for a flush before them (preflush), and writes past the device's \
        cache (FUA); of a loop device, which has no FUA, each of these is one more flush. The last two are counted in \
        the first round only. Calls at the same time may share a flush.",
    lines: all,
    brief: in_brief,
    rest: |_| None,
    hint: |_, _| None,
};

const PER_SYNC: [Figure; 4] = [
    computed("flushes per sync", flushes, count, "Flushes of the device's cache, as its own statistics count them."),
    computed("preflushes per sync", preflushes, count, "Requests that ask for a flush before they are done."),
    computed("FUA writes per sync", fua, count, "Writes that are to reach the medium past the device's cache."),
    computed("time of a flush", flush_time, seconds, "The mean, as the device's statistics have it."),
];

const SYNCS: Figure =
    computed("syncs per operation", syncs, count, "Calls of fsync, fdatasync and syncfs, or writes with O_SYNC.");

/// Probes of the census. A run without them is from an older version.
const COUNTED: [&str; 3] = ["device.preflushes", "device.fua", "device.flushing"];

/// All figures of a workload that syncs; empty if the run has no census.
fn all(comparison: &Comparison, workload: &WorkloadRow) -> Vec<Line> {
    let per_sync = per_sync_lines(comparison, workload);
    let syncs = if per_sync.is_empty() { Vec::new() } else { lines(comparison, workload, &[SYNCS]) };
    per_sync.into_iter().chain(syncs).collect()
}

fn per_sync_lines(comparison: &Comparison, workload: &WorkloadRow) -> Vec<Line> {
    let is_counted = |cell: &Cell| COUNTED.iter().any(|name| cell.probes.contains_key(*name));
    match comparison.cells.iter().any(is_counted) {
        true => lines(comparison, workload, &PER_SYNC),
        false => Vec::new(),
    }
}

/// The figures without syncs per operation, and with preflushes and FUA writes in one line: `1.00 + 1.00`.
fn in_brief(comparison: &Comparison, workload: &WorkloadRow) -> Vec<Line> {
    let all = per_sync_lines(comparison, workload);
    let [flushes, preflushes, fua, time] = PER_SYNC.map(|figure| all.iter().find(|line| line.what == figure.what));
    let asked = match (preflushes, fua) {
        (Some(preflushes), Some(fua)) => Some(Line {
            what: "preflush + FUA".into(),
            meaning: "For each sync: requests that ask for a flush, and writes past the device's cache.",
            values: sums(preflushes, fua),
            ..preflushes.clone()
        }),
        (one, other) => one.or(other).cloned(),
    };
    flushes.cloned().into_iter().chain(asked).chain(time.cloned()).collect()
}

/// The values of both lines for each contender; a dash if one of them is missing.
fn sums(one: &Line, other: &Line) -> Vec<String> {
    let sum = |(one, other): (&String, &String)| match one == DASH || other == DASH {
        true => DASH.to_owned(),
        false => format!("{one} + {other}"),
    };
    one.values.iter().zip(&other.values).map(sum).collect()
}

/// Syncs per operation; `None` if there are none. With O_SYNC or O_DSYNC it is 1, unless the cell has another number.
fn syncs(comparison: &Comparison, cell: &Cell) -> Option<f64> {
    let row = comparison.workloads.iter().find(|row| row.name == cell.workload)?;
    let syncs = match row.durable {
        DurablePoint::OSync | DurablePoint::ODsync => cell.syncs_per_operation.unwrap_or(1.0),
        _ => cell.syncs_per_operation?,
    };
    (syncs > 0.0).then_some(syncs)
}

fn flushes(comparison: &Comparison, cell: &Cell) -> Option<f64> {
    per_sync(comparison, cell, "device.flushes")
}

fn preflushes(comparison: &Comparison, cell: &Cell) -> Option<f64> {
    per_sync(comparison, cell, "device.preflushes")
}

fn fua(comparison: &Comparison, cell: &Cell) -> Option<f64> {
    per_sync(comparison, cell, "device.fua")
}

fn per_sync(comparison: &Comparison, cell: &Cell, name: &str) -> Option<f64> {
    Some(probe(cell, name)? / syncs(comparison, cell)?)
}

fn flush_time(comparison: &Comparison, cell: &Cell) -> Option<f64> {
    syncs(comparison, cell)?;
    let flushes = probe(cell, "device.flushes").filter(|flushes| *flushes > 0.0)?;
    Some(probe(cell, "device.flushing")? / flushes)
}
