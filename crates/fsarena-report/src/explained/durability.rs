//! What is durable, and when. The three clocks: when calls had returned, when everything was durable, when the lane was
//! at rest; and how much space the work took on the device. The flushes per sync: how many flushes reach the device for
//! a sync, and how long a flush takes.

use fsarena_model::comparison::{Cell, Clock, WorkloadRow};
use fsarena_model::{Comparison, DurablePoint, Probe, probe};

use super::{CellFigure, ExplainedLine, Subject, computed, lines, probed, values};
use crate::number::{DASH, bytes, count, percent, seconds, share, three_digits};
use crate::words::counted;

pub const CLOCKS: Subject = Subject {
    title: "Three clocks and space",
    meaning: "For each operation, from its beginning until its calls had returned, all was durable, and the lane was \
        at rest (remounted read-only and back: checkpoint, log and deferred work done), less the time of an idle \
        remount. Later: after the clock of the workload's figure, until rest. Space: bytes more in use than before, \
        for a byte of the files.",
    lines: clocks,
    brief: worth_a_line,
    rest: silent,
    hint: leaves_most,
};

/// Share of the work left for later from which a line is shown.
const MUCH: f64 = 0.05;

/// Number of bytes per operation that count as nothing.
const LITTLE: f64 = 64.0;

const WHEN: [CellFigure; 3] = [
    probed("returned", probe::CLOCK_RETURNED, seconds, "The calls came back."),
    probed("durable", probe::CLOCK_DURABLE, seconds, "All of it was synced."),
    probed(
        "at rest",
        probe::CLOCK_QUIESCENT,
        seconds,
        "The lane had been remounted read-only, with all deferred work done.",
    ),
];

#[rustfmt::skip]
const LATER: [CellFigure; 3] = [
    computed("later, of the time", later_time, share,
        "The share of the time until rest that came after what the figure counts."),
    computed("later, of the writes", later_share, share,
        "The share of all bytes written until rest that came after what the figure counts."),
    computed("written later/op", later_bytes, bytes, "Bytes written after what the figure counts, until rest."),
];

#[rustfmt::skip]
const PARTS: [CellFigure; 4] = [
    probed("until durable/op", probe::CLOCK_DURABLE_WRITTEN, bytes,
        "Bytes written after the calls had returned, until all was durable."),
    probed("from then until rest/op", probe::CLOCK_QUIESCENT_WRITTEN, bytes, "Bytes written after all was durable, until rest."),
    probed("flushes until durable/op", probe::CLOCK_DURABLE_FLUSHES, count,
        "Flushes sent after the calls had returned, until all was durable."),
    probed("flushes until rest/op", probe::CLOCK_QUIESCENT_FLUSHES, count, "Flushes sent after all was durable, until rest."),
];

#[rustfmt::skip]
const SPACE: [CellFigure; 2] = [
    probed("space used", probe::SPACE_USED, three_digits,
        "Bytes more in use than before for a byte of the files, right after the work."),
    probed("space at rest", probe::SPACE_QUIESCENT, three_digits, "The same once the lane was at rest."),
];

/// The clock that a cell's figure counts.
fn own_clock(comparison: &Comparison, cell: &Cell) -> Option<Clock> {
    Some(comparison.workloads.iter().find(|row| row.name == cell.workload)?.clock)
}

fn later_time(comparison: &Comparison, cell: &Cell) -> Option<f64> {
    let own = match own_clock(comparison, cell)? {
        Clock::Returned => cell.probe(probe::CLOCK_RETURNED)?,
        Clock::Durable => cell.probe(probe::CLOCK_DURABLE)?,
    };
    let rest = cell.probe(probe::CLOCK_QUIESCENT)?;
    (rest > 0.0).then(|| ((rest - own) / rest).max(0.0))
}

fn later_bytes(comparison: &Comparison, cell: &Cell) -> Option<f64> {
    let until_durable = match own_clock(comparison, cell)? {
        Clock::Returned => cell.probe(probe::CLOCK_DURABLE_WRITTEN)?,
        Clock::Durable => 0.0,
    };
    Some(until_durable + cell.probe(probe::CLOCK_QUIESCENT_WRITTEN)?)
}

/// The figure counts the bytes that the device wrote during the timed part.
fn later_share(comparison: &Comparison, cell: &Cell) -> Option<f64> {
    let later = later_bytes(comparison, cell)?;
    let all = later + cell.probe(probe::DEVICE_WRITTEN)?;
    (all > 0.0).then(|| later / all)
}

/// All figures. The name of the clock that the workload's figure counts says so.
fn clocks(comparison: &Comparison, workload: &WorkloadRow) -> Vec<ExplainedLine> {
    let [returned, durable, _] = WHEN.map(|figure| figure.what);
    let named = |line: ExplainedLine| match (&*line.what, workload.clock) {
        (what, Clock::Returned) if what == returned => ExplainedLine { what: "returned (the figure)".into(), ..line },
        (what, Clock::Durable) if what == durable => ExplainedLine { what: "durable (the figure)".into(), ..line },
        _ => line,
    };
    let figures = [&WHEN[..], &LATER, &PARTS, &SPACE].concat();
    lines(comparison, workload, &figures).into_iter().map(named).collect()
}

/// The clocks if much is left for later. Space if it was measured; space at rest only if it differs.
fn worth_a_line(comparison: &Comparison, workload: &WorkloadRow) -> Vec<ExplainedLine> {
    let later = if leaves_much(comparison, workload) { lines(comparison, workload, &LATER) } else { Vec::new() };
    let mut space = lines(comparison, workload, &SPACE);
    space.dedup_by(|rest, used| rest.values == used.values);
    later.into_iter().chain(space).collect()
}

/// The share that a contender leaves for later: of the writes if they are known, because the time of a remount varies.
/// A few bytes, such as access times, count as 0 even if nothing else was written.
fn left(comparison: &Comparison, cell: &Cell) -> Option<f64> {
    let is_little = later_bytes(comparison, cell).is_some_and(|bytes| bytes < LITTLE);
    let share = if is_little { Some(0.0) } else { later_share(comparison, cell) };
    share.or_else(|| later_time(comparison, cell))
}

fn leaves_much(comparison: &Comparison, workload: &WorkloadRow) -> bool {
    values(comparison, workload, left).into_iter().flatten().any(|share| share >= MUCH)
}

/// `xfs leaves 12 % for later`; `None` if no contender leaves much.
fn leaves_most(comparison: &Comparison, workload: &WorkloadRow) -> Option<String> {
    let labels = comparison.contenders.iter().map(|row| &row.label);
    let known = labels.zip(values(comparison, workload, left));
    let much = known.filter_map(|(label, share)| Some((label, share.filter(|share| *share >= MUCH)?)));
    let (label, most) = much.max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some(format!("{label} leaves {} for later", share(most)))
}

fn silent(comparison: &Comparison) -> Option<String> {
    let is_known = |row: &&WorkloadRow| values(comparison, row, left).iter().any(Option::is_some);
    let little = comparison.workloads.iter().filter(is_known).filter(|row| !leaves_much(comparison, row)).count();
    let which = counted(little, "workload");
    (little > 0).then(|| format!("In {which} less than {} is left for later by each contender.", percent(MUCH)))
}

pub const FLUSHES: Subject = Subject {
    title: "Flushes per sync",
    meaning: "What reaches the lane's device for one fsync, fdatasync or syncfs (for one write with O_SYNC): flushes \
        as the device counts them, requests that ask for a flush before them (preflush), and writes past the device's \
        cache (FUA); of a loop device, which has no FUA, each of these is one more flush. The last two are counted in \
        the first round only. Calls at the same time may share a flush.",
    lines: flush_lines,
    brief: flush_lines_in_brief,
    rest: |_| None,
    hint: |_, _| None,
};

#[rustfmt::skip]
const PER_SYNC: [CellFigure; 4] = [
    computed("flushes per sync", |all, cell| per_sync(all, cell, probe::DEVICE_FLUSHES), count,
        "Flushes of the device's cache, as its own statistics count them."),
    computed("preflushes per sync", |all, cell| per_sync(all, cell, probe::DEVICE_PREFLUSHES), count,
        "Requests that ask for a flush before they are done."),
    computed("FUA writes per sync", |all, cell| per_sync(all, cell, probe::DEVICE_FUA), count,
        "Writes that are to reach the medium past the device's cache."),
    computed("time of a flush", flush_time, seconds, "The mean, as the device's statistics have it; absent where all flushes of a round took less than 10 ms."),
];

const SYNCS: CellFigure =
    computed("syncs per operation", syncs, count, "Calls of fsync, fdatasync and syncfs, or writes with O_SYNC.");

/// Probes of these figures. A run without them is from an older version.
const COUNTED: [Probe; 3] = [probe::DEVICE_PREFLUSHES, probe::DEVICE_FUA, probe::DEVICE_FLUSHING];

/// All figures of a workload that syncs; empty if the run has no such probes.
fn flush_lines(comparison: &Comparison, workload: &WorkloadRow) -> Vec<ExplainedLine> {
    let per_sync = per_sync_lines(comparison, workload);
    let syncs = if per_sync.is_empty() { Vec::new() } else { lines(comparison, workload, &[SYNCS]) };
    per_sync.into_iter().chain(syncs).collect()
}

fn per_sync_lines(comparison: &Comparison, workload: &WorkloadRow) -> Vec<ExplainedLine> {
    let is_counted = |cell: &Cell| COUNTED.iter().any(|probe| cell.probes.contains_key(&probe.key()));
    match comparison.cells.iter().any(is_counted) {
        true => lines(comparison, workload, &PER_SYNC),
        false => Vec::new(),
    }
}

/// The figures without syncs per operation, and with preflushes and FUA writes in one line: `1.00 + 1.00`.
fn flush_lines_in_brief(comparison: &Comparison, workload: &WorkloadRow) -> Vec<ExplainedLine> {
    let all = per_sync_lines(comparison, workload);
    let [flushes, preflushes, fua, time] = PER_SYNC.map(|figure| all.iter().find(|line| line.what == figure.what));
    let asked = match (preflushes, fua) {
        (Some(preflushes), Some(fua)) => Some(ExplainedLine {
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
fn sums(one: &ExplainedLine, other: &ExplainedLine) -> Vec<String> {
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
        DurablePoint::OSync | DurablePoint::ODsync => cell.per_operation.syncs.unwrap_or(1.0),
        _ => cell.per_operation.syncs?,
    };
    (syncs > 0.0).then_some(syncs)
}

fn per_sync(comparison: &Comparison, cell: &Cell, probe: Probe) -> Option<f64> {
    Some(cell.probe(probe)? / syncs(comparison, cell)?)
}

fn flush_time(comparison: &Comparison, cell: &Cell) -> Option<f64> {
    syncs(comparison, cell)?;
    let flushes = cell.probe(probe::DEVICE_FLUSHES).filter(|flushes| *flushes > 0.0)?;
    Some(cell.probe(probe::DEVICE_FLUSHING)? / flushes)
}
