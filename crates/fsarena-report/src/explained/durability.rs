//! What is durable, and when. The three clocks: when calls had returned, when everything was durable, when the lane was
//! at rest; and how much space the work took on the device. The flushes per sync: how many flushes reach the device for
//! a sync, and how long a flush takes.

use fsarena_model::comparison::{Cell, Clock, WorkloadRow};
use fsarena_model::{Comparison, DurablePoint, Probe, probe};

use super::{CellFigure, ExplainedLine, ExplainedWorkload, computed, lines, probed, values};
use crate::number::{bytes, count, seconds, share, three_digits};

pub const CLOCKS: ExplainedWorkload = ExplainedWorkload {
    title: "Three clocks and space",
    meaning: "For each operation, from its beginning until its calls had returned, all was durable, and the lane was \
        at rest (remounted read-only and back: checkpoint, log and deferred work done), less the time of an idle \
        remount. Later: after the clock of the workload's figure, until rest; among all workloads where a contender \
        leaves 5 % or more. Space: bytes more in use than before, for a byte of the files.",
    lines: clocks,
    brief: worth_a_line,
};

/// Share of the work left for later from which lines are among those of all workloads.
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
    let figures = [&WHEN[..], &LATER, &SPACE].concat();
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

pub const FLUSHES: ExplainedWorkload = ExplainedWorkload {
    title: "Flushes per sync",
    meaning: "Flushes of the lane's device, as it counts them, for one fsync, fdatasync or syncfs (for one write with \
        O_SYNC). Calls at the same time may share a flush.",
    lines: |comparison, workload| lines(comparison, workload, &[&FLUSHED[..], &ASKED].concat()),
    brief: |comparison, workload| lines(comparison, workload, &FLUSHED),
};

#[rustfmt::skip]
const FLUSHED: [CellFigure; 2] = [
    computed("flushes per sync", |all, cell| per_sync(all, cell, probe::DEVICE_FLUSHES), count,
        "Flushes of the device's cache, as its own statistics count them."),
    computed("time of a flush", flush_time, seconds, "The mean, as the device's statistics have it; absent where all flushes of a round took less than 10 ms."),
];

#[rustfmt::skip]
const ASKED: [CellFigure; 3] = [
    computed("preflushes per sync", |all, cell| per_sync(all, cell, probe::DEVICE_PREFLUSHES), count,
        "Requests that ask for a flush before they are done, of the first round."),
    computed("FUA writes per sync", |all, cell| per_sync(all, cell, probe::DEVICE_FUA), count,
        "Writes that are to reach the medium past the device's cache, of the first round. A loop device has none, but flushes once more for each."),
    computed("syncs per operation", syncs, count, "Calls of fsync, fdatasync and syncfs, or writes with O_SYNC."),
];

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
