//! The three clocks and space: when calls had returned, when it was durable, when the lane was at rest, and how much of
//! the device all that took.

use fsarena_model::Comparison;
use fsarena_model::comparison::{Cell, WorkloadRow};

use super::{Figure, Line, Subject, lines, probe, values};
use crate::number::{bytes, percent, seconds, share, three_digits};
use crate::remark::counted;

pub const SUBJECT: Subject = Subject {
    title: "three clocks and space",
    meaning: "For each operation, from its beginning: when the calls had returned, when all was durable, and when the lane \
              was at rest (remounted read-only and back: checkpoint, log and deferred work done). Later: between the calls' \
              return and rest. Space: bytes used for a byte of the files.",
    lines: all,
    brief: worth_a_line,
    rest: silent,
    hint: leaves_most,
};

/// The share from which on what was left for later is worth a line.
const MUCH: f64 = 0.05;

const WHEN: [Figure; 3] = [
    Figure {
        what: "returned",
        meaning: "The calls came back.",
        of: |_, cell| probe(cell, "clock.returned"),
        print: seconds,
    },
    Figure {
        what: "durable",
        meaning: "All of it was synced.",
        of: |_, cell| probe(cell, "clock.durable"),
        print: seconds,
    },
    Figure {
        what: "at rest",
        meaning: "The lane had been remounted read-only, with all deferred work done.",
        of: |_, cell| probe(cell, "clock.rest"),
        print: seconds,
    },
];

const LATER: [Figure; 3] = [
    Figure {
        what: "later, of the time",
        meaning: "The share of the time until rest that came after the calls had returned.",
        of: |_, cell| later_time(cell),
        print: share,
    },
    Figure {
        what: "later, of the writes",
        meaning: "The share of all bytes written until rest that came after the timed part.",
        of: |_, cell| later_share(cell),
        print: share,
    },
    Figure {
        what: "written later/op",
        meaning: "Bytes written after the calls had returned, until rest.",
        of: |_, cell| later_bytes(cell),
        print: bytes,
    },
];

const PARTS: [Figure; 3] = [
    Figure {
        what: "until durable/op",
        meaning: "Bytes written after the calls had returned, until all was durable.",
        of: |_, cell| probe(cell, "clock.durable.written"),
        print: bytes,
    },
    Figure {
        what: "from then until rest/op",
        meaning: "Bytes written after all was durable, until rest.",
        of: |_, cell| probe(cell, "clock.rest.written"),
        print: bytes,
    },
    Figure {
        what: "flushes until rest/op",
        meaning: "Flushes sent after all was durable, until rest.",
        of: |_, cell| probe(cell, "clock.rest.flushes"),
        print: three_digits,
    },
];

const SPACE: [Figure; 2] = [
    Figure {
        what: "space used",
        meaning: "Bytes used for a byte of the files, right after the work.",
        of: |_, cell| probe(cell, "space.used"),
        print: three_digits,
    },
    Figure {
        what: "space at rest",
        meaning: "Bytes used for a byte of the files, once the lane was at rest.",
        of: |_, cell| probe(cell, "space.rest"),
        print: three_digits,
    },
];

fn later_time(cell: &Cell) -> Option<f64> {
    let (returned, rest) = (probe(cell, "clock.returned")?, probe(cell, "clock.rest")?);
    (rest > 0.0).then(|| ((rest - returned) / rest).max(0.0))
}

fn later_bytes(cell: &Cell) -> Option<f64> {
    Some(probe(cell, "clock.durable.written")? + probe(cell, "clock.rest.written")?)
}

fn later_share(cell: &Cell) -> Option<f64> {
    let later = later_bytes(cell)?;
    let all = later + probe(cell, "device.written")?;
    (all > 0.0).then(|| later / all)
}

fn all(comparison: &Comparison, workload: &WorkloadRow) -> Vec<Line> {
    let figures = [WHEN, LATER, PARTS].concat();
    lines(comparison, workload, &figures).into_iter().chain(lines(comparison, workload, &SPACE)).collect()
}

/// The clocks where much is left for later; space where it was measured, at rest only where that is something else.
fn worth_a_line(comparison: &Comparison, workload: &WorkloadRow) -> Vec<Line> {
    let later = if leaves_much(comparison, workload) { lines(comparison, workload, &LATER) } else { Vec::new() };
    let mut space = lines(comparison, workload, &SPACE);
    space.dedup_by(|rest, used| rest.values == used.values);
    later.into_iter().chain(space).collect()
}

fn leaves_much(comparison: &Comparison, workload: &WorkloadRow) -> bool {
    let shares = LATER[..2].iter().flat_map(|figure| values(comparison, workload, figure.of));
    shares.flatten().any(|share| share >= MUCH)
}

/// `xfs leaves 12 % for later`, of the time or of the writes, whichever is more; nothing where that is little.
fn leaves_most(comparison: &Comparison, workload: &WorkloadRow) -> Option<String> {
    let of = |figure: &Figure| values(comparison, workload, figure.of);
    let labels = || comparison.contenders.iter().map(|row| &row.label);
    let shares = LATER[..2].iter().flat_map(|figure| labels().zip(of(figure)));
    let known = shares.filter_map(|(label, share)| Some((label, share.filter(|share| *share >= MUCH)?)));
    let (label, most) = known.max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some(format!("{label} leaves {} for later", share(most)))
}

fn silent(comparison: &Comparison) -> Option<String> {
    let is_known = |row: &&WorkloadRow| !lines(comparison, row, &WHEN[2..]).is_empty();
    let little = comparison.workloads.iter().filter(is_known).filter(|row| !leaves_much(comparison, row)).count();
    let which = counted(little, "workload");
    (little > 0).then(|| format!("In {which} less than {} is left for later by each contender.", percent(MUCH)))
}
