//! What was counted meanwhile: titles, order, format and explanations of probes. A new probe is one line in [`PROBES`].

use std::collections::BTreeMap;

use fsarena_model::comparison::WorkloadRow;
use fsarena_model::probe::Role as ProbeRole;
use fsarena_model::{Comparison, ProbeId, Reading, probe};

use super::{CellFigure, ExplainedLine, FigureSource, lines, probed, readings_of};
use crate::group::cells;
use crate::number::{self, bytes, hundredths, percent, seconds, three_digits};
use crate::report::{ColumnKind, Fold, Section, TableLook, TableOf};
use crate::words::Term;

/// The known probes, in the order in which they are shown.
#[rustfmt::skip]
const PROBES: &[CellFigure] = &[
    probed("Offered, operations/s", probe::RATE_OFFERED, rate,
        "Operations that should have begun per second, whatever became of the last ones."),
    probed("Done, operations/s", probe::RATE_DONE, rate,
        "Operations that ended, over the timed seconds. Less than was offered means that a queue grew."),
    probed("Device reads, bytes/op", probe::DEVICE_READ, bytes,
        "Bytes that the lane's device served. Zero for a cold read means that it was none."),
    probed("Device writes, bytes/op", probe::DEVICE_WRITTEN, bytes,
        "Bytes that reached the lane's device. More than the data itself is journal, log, metadata, or copy on write."),
    probed("Read requests/op", probe::DEVICE_READS, three_digits, "Requests after merging."),
    probed("Write requests/op", probe::DEVICE_WRITES, three_digits,
        "Requests after merging. Many small ones cost more than few large ones."),
    probed("Merged requests/op", probe::DEVICE_MERGES, three_digits,
        "Requests that the block layer joined to neighbours."),
    probed("Merged reads/op", probe::DEVICE_READ_MERGES, three_digits, "Of these, reads."),
    probed("Merged writes/op", probe::DEVICE_WRITE_MERGES, three_digits, "Of these, writes."),
    probed("Device reading/op", probe::DEVICE_READING, seconds,
        "Time that reads took in queue and device; those under way at the same time count each."),
    probed("Device writing/op", probe::DEVICE_WRITING, seconds, "Time that writes took, likewise."),
    probed("Flushes/op", probe::DEVICE_FLUSHES, three_digits,
        "Flushes of the device's cache. Durable work needs them; on most devices they are the dearest part."),
    probed("Flushes asked for/op", probe::DEVICE_PREFLUSHES, three_digits,
        "Requests that asked the device to flush its cache first, counted in the first round only."),
    probed("FUA writes/op", probe::DEVICE_FUA, three_digits,
        "Writes that were to go past the device's cache, counted in the first round only. A device that cannot do that \
         flushes after each."),
    probed("Device flushing/op", probe::DEVICE_FLUSHING, seconds, "Time that the device's flushes took."),
    probed("Device busy", probe::DEVICE_BUSY, percent, "Share of the time with at least one request in flight."),
    probed("Requests in flight", probe::DEVICE_QUEUE, hundredths,
        "Mean over the timed part. Below 1, the device waited for the file system."),
    probed("CPU of the process/op", probe::CPU_PROCESS, seconds,
        "User and system time of this program and of all programs that it started for the work."),
    probed("CPU of the process in the kernel/op", probe::CPU_SYSTEM, seconds,
        "The part of that time that was spent in the kernel."),
    probed("CPU of kernel threads/op", probe::CPU_KERNEL, seconds,
        "Time of the threads that worked for the contender: journal, write-back, loop device."),
    probed("Foreign CPU, cores", probe::CPU_FOREIGN, hundredths,
        "Cores that other programs kept busy meanwhile: noise, not cost."),
    probed("Stolen CPU, cores", probe::CPU_STEAL, hundredths,
        "Cores' worth of time that the hypervisor gave to others: noise, not cost."),
    probed("Context switches/op", probe::SWITCHES, three_digits, "How often the work waited or was interrupted."),
    probed("Pages dirtied/op", probe::PAGES_DIRTIED, three_digits,
        "Pages of this file system that were changed in memory. Direct I/O should change none."),
    probed("Pages dirtied by all/op", probe::MACHINE_DIRTIED, three_digits,
        "The same for the whole machine, other programs' writes included."),
    probed("Pages cached by all/op", probe::PAGES_CACHED, three_digits,
        "Pages by which the whole machine's page cache grew."),
    probed("Read for the process, bytes/op", probe::PROCESS_READ, bytes,
        "What storage read for this process, as the kernel accounts it."),
    probed("Written for the process, bytes/op", probe::PROCESS_WRITTEN, bytes,
        "What this process caused to be written, as the kernel accounts it."),
    probed("Received, bytes/op", probe::NETWORK_RECEIVED, bytes, "What came over the clients' network links meanwhile."),
    probed("Sent, bytes/op", probe::NETWORK_SENT, bytes, "What the clients sent over them meanwhile."),
    probed("Sync afterwards", probe::SYNC, seconds,
        "An untimed syncfs after the last slice: work that the figure left to later."),
];

fn rate(value: f64) -> String {
    number::value(value, "ops/s")
}

/// The explanations of the known probes that cells have, in their order.
pub fn terms(comparison: &Comparison) -> Vec<Term> {
    let is_present = |known: &&CellFigure| comparison.cells.iter().any(|cell| known.of(comparison, cell).is_some());
    PROBES.iter().filter(is_present).map(|known| (known.what, known.meaning)).collect()
}

/// The probes that a workload has readings of: the known ones in their order, then the others by name. Probes that have
/// tables of their own are left out.
pub fn part(comparison: &Comparison, workload: &WorkloadRow) -> Section {
    let cells = cells(comparison, workload);
    let readings = cells.iter().flat_map(|cell| &cell.probes).filter(|(_, reading)| reading.value.is_some());
    let others: BTreeMap<&ProbeId, &Reading> = readings.filter(|(id, _)| !is_elsewhere(id)).collect();
    let other = |(id, reading): (&ProbeId, &Reading)| ExplainedLine {
        what: format!("{id}, {}", reading.unit).into(),
        meaning: "",
        values: readings_of(comparison, workload, id, number::value),
        baselines: String::new(),
    };
    let known = lines(comparison, workload, PROBES);
    let rows: Vec<ExplainedLine> = known.into_iter().chain(others.into_iter().map(other)).collect();
    let labels = comparison.contenders.iter().enumerate().map(|(index, row)| (row.label.to_string(), index));
    let table = TableOf::new(TableLook::Probes, &rows)
        .column(ColumnKind::Name, "what was counted meanwhile", |row| row.what.as_ref())
        .columns(ColumnKind::Figure, labels, |row, index| &row.values[*index]);
    Section::titled("Behind the figures").folded(Fold::Closed).with(table)
}

/// Whether a probe is a known one, or has a table of its own.
fn is_elsewhere(id: &ProbeId) -> bool {
    let is_known = |known: &CellFigure| matches!(known.source, FigureSource::Probe(probe) if *id == probe.id);
    let is_of_table = id.probe().is_some_and(|probe| probe.role != ProbeRole::Explanation);
    id.operation().is_some() || is_of_table || PROBES.iter().any(is_known)
}
