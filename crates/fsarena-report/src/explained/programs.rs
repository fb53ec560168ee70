//! Figures as other programs have them: iostat's columns of the lane's device over the timed seconds, processor time,
//! and what the program of a workload reports itself.

use std::collections::BTreeSet;

use fsarena_model::comparison::{Cell, WorkloadRow};
use fsarena_model::{Comparison, Probe, ProbeId, probe};

use super::{CellFigure, ExplainedLine, ExplainedWorkload, computed, lines, probed, readings_of};
use crate::group::cells;
use crate::number::{hundredths, three_digits};

pub const IOSTAT: ExplainedWorkload = ExplainedWorkload {
    title: "As iostat has it",
    meaning: "What iostat -x would have printed of the lane's device over the timed seconds, by sysstat's formulas and \
        names: requests and kilobytes (1024 bytes) per second, merged requests (rrqm/s, wrqm/s), milliseconds of a \
        request in queue and device (r_await, w_await, f_await), requests under way (aqu-sz), kilobytes of a request \
        (rareq-sz, wareq-sz), and the share of the time with any (%util). %CPU: processor time of the work's \
        processes, and %system its part in the kernel, of the timed seconds, or of fio what it says of each of its \
        jobs; kernel threads' time is not in them.",
    lines: all,
    brief: all,
};

#[rustfmt::skip]
const COLUMNS: [CellFigure; 16] = [
    probed("r/s", probe::IOSTAT_READS, hundredths, "Reads per second, after merging."),
    probed("rkB/s", probe::IOSTAT_READ, hundredths, "Kilobytes read per second."),
    probed("rrqm/s", probe::IOSTAT_READ_MERGES, hundredths, "Reads merged with others per second."),
    probed("r_await", probe::IOSTAT_READ_WAIT, hundredths, "Milliseconds that a read took, with its time in the queue."),
    probed("rareq-sz", probe::IOSTAT_READ_SIZE, hundredths, "Kilobytes of a read."),
    probed("w/s", probe::IOSTAT_WRITES, hundredths, "Writes per second, after merging."),
    probed("wkB/s", probe::IOSTAT_WRITTEN, hundredths, "Kilobytes written per second."),
    probed("wrqm/s", probe::IOSTAT_WRITE_MERGES, hundredths, "Writes merged with others per second."),
    probed("w_await", probe::IOSTAT_WRITE_WAIT, hundredths, "Milliseconds that a write took, with its time in the queue."),
    probed("wareq-sz", probe::IOSTAT_WRITE_SIZE, hundredths, "Kilobytes of a write."),
    probed("f/s", probe::IOSTAT_FLUSHES, hundredths, "Flushes per second."),
    probed("f_await", probe::IOSTAT_FLUSH_WAIT, hundredths, "Milliseconds that a flush took."),
    probed("aqu-sz", probe::IOSTAT_QUEUE, hundredths, "Requests under way, the mean."),
    probed("%util", probe::IOSTAT_BUSY, hundredths, "Percent of the time with any request under way."),
    computed("%CPU", processor, hundredths, "Processor time of the work's processes, percent of the timed time."),
    computed("%system", system, hundredths, "Its part in the kernel."),
];

/// User and system time of each fio job in percent, as fio reports it.
fn of_fio(cell: &Cell) -> Option<(f64, f64)> {
    Some((cell.probe(probe::FIO_USR)?, cell.probe(probe::FIO_SYS)?))
}

fn processor(_: &Comparison, cell: &Cell) -> Option<f64> {
    of_fio(cell).map(|(user, system)| user + system).or_else(|| of_timed(cell, probe::CPU_PROCESS))
}

fn system(_: &Comparison, cell: &Cell) -> Option<f64> {
    of_fio(cell).map(|(_, system)| system).or_else(|| of_timed(cell, probe::CPU_SYSTEM))
}

fn of_timed(cell: &Cell, probe: Probe) -> Option<f64> {
    Some(cell.probe(probe)? / cell.per_operation.seconds? * 100.0)
}

/// Every figure that is known; empty if the columns of iostat were not counted.
fn all(comparison: &Comparison, workload: &WorkloadRow) -> Vec<ExplainedLine> {
    let is_counted = |cell: &&Cell| cell.probes.contains_key(&probe::IOSTAT_BUSY.key());
    match cells(comparison, workload).iter().any(is_counted) {
        true => lines(comparison, workload, &COLUMNS),
        false => Vec::new(),
    }
}

pub const SAID: ExplainedWorkload = ExplainedWorkload {
    title: "In the program's own words",
    meaning: "What the programs that do the work say of it themselves, in their own units; the median over rounds.",
    lines: said,
    brief: |_, _| Vec::new(),
};

/// Transactions that were acknowledged as durable, and the connections that may share a flush.
const COMMITS: [(Probe, &str); 2] = [
    (
        probe::COMMITS,
        "Transactions that were acknowledged as durable: each needs a flush, which connections may share.",
    ),
    (probe::CONNECTIONS, "Connections that may commit at the same time."),
];

/// The readings whose names begin with the workload's engine, and the transactions.
fn said(comparison: &Comparison, workload: &WorkloadRow) -> Vec<ExplainedLine> {
    let all: BTreeSet<&ProbeId> = cells(comparison, workload).iter().flat_map(|cell| cell.probes.keys()).collect();
    let commits = COMMITS.into_iter().map(|(probe, meaning)| (probe.key(), meaning));
    let commits = commits.filter(|(id, _)| all.contains(id)).map(|(id, meaning)| (id.to_string(), id, meaning));
    let own = all.iter().filter_map(|id| {
        let name = id.reported_by(&workload.engine)?;
        Some((name.to_owned(), (*id).clone(), "As the program says."))
    });
    let line = |(what, id, meaning): (String, ProbeId, &'static str)| ExplainedLine {
        what: what.into(),
        meaning,
        values: readings_of(comparison, workload, &id, with_unit),
        baselines: String::new(),
    };
    own.chain(commits).map(line).collect()
}

fn with_unit(value: f64, unit: &str) -> String {
    format!("{} {unit}", three_digits(value)).trim_end().to_owned()
}
