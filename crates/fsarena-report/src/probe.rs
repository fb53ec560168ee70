//! Titles, order, format and explanations of probes. A new probe is one line in [`PROBES`].

use std::collections::BTreeSet;

use fsarena_model::comparison::{Cell, WorkloadRow};
use fsarena_model::probe::Role as ProbeRole;
use fsarena_model::{Comparison, Label, Probe, ProbeId, probe};

use crate::number::{self, bytes, hundredths, or_dash, percent, seconds, three_digits};
use crate::report::{ColumnKind, Fold, Section, Sentence, TableLook, TableOf};
use crate::words::Term;
use crate::work::cells;

/// A figure that explains the metric.
#[derive(Debug, Clone, Copy)]
struct Described {
    probe: Probe,
    title: &'static str,
    print: fn(f64) -> String,
    explanation: &'static str,
}

const fn probe(probe: Probe, title: &'static str, print: fn(f64) -> String, explanation: &'static str) -> Described {
    Described { probe, title, print, explanation }
}

/// The known probes, in the order in which they are shown.
#[rustfmt::skip]
const PROBES: &[Described] = &[
    probe(probe::RATE_OFFERED, "Offered, operations/s", rate,
        "Operations that should have begun per second, whatever became of the last ones."),
    probe(probe::RATE_DONE, "Done, operations/s", rate,
        "Operations that ended, over the timed seconds. Less than was offered means that a queue grew."),
    probe(probe::DEVICE_READ, "Device reads, bytes/op", bytes,
        "Bytes that the lane's device served. Zero for a cold read means that it was none."),
    probe(probe::DEVICE_WRITTEN, "Device writes, bytes/op", bytes,
        "Bytes that reached the lane's device. More than the data itself is journal, log, metadata, or copy on write."),
    probe(probe::DEVICE_READS, "Read requests/op", three_digits, "Requests after merging."),
    probe(probe::DEVICE_WRITES, "Write requests/op", three_digits,
        "Requests after merging. Many small ones cost more than few large ones."),
    probe(probe::DEVICE_MERGES, "Merged requests/op", three_digits,
        "Requests that the block layer joined to neighbours."),
    probe(probe::DEVICE_READ_MERGES, "Merged reads/op", three_digits, "Of these, reads."),
    probe(probe::DEVICE_WRITE_MERGES, "Merged writes/op", three_digits, "Of these, writes."),
    probe(probe::DEVICE_READING, "Device reading/op", seconds,
        "Time that reads took in queue and device; those under way at the same time count each."),
    probe(probe::DEVICE_WRITING, "Device writing/op", seconds, "Time that writes took, likewise."),
    probe(probe::DEVICE_FLUSHES, "Flushes/op", three_digits,
        "Flushes of the device's cache. Durable work needs them; on most devices they are the dearest part."),
    probe(probe::DEVICE_PREFLUSHES, "Flushes asked for/op", three_digits,
        "Requests that asked the device to flush its cache first, counted in the first round only."),
    probe(probe::DEVICE_FUA, "FUA writes/op", three_digits,
        "Writes that were to go past the device's cache, counted in the first round only. A device that cannot do that \
         flushes after each."),
    probe(probe::DEVICE_FLUSHING, "Device flushing/op", seconds, "Time that the device's flushes took."),
    probe(probe::DEVICE_BUSY, "Device busy", percent, "Share of the time with at least one request in flight."),
    probe(probe::DEVICE_QUEUE, "Requests in flight", hundredths,
        "Mean over the timed part. Below 1, the device waited for the file system."),
    probe(probe::CPU_PROCESS, "CPU of the process/op", seconds,
        "User and system time of this program and of all programs that it started for the work."),
    probe(probe::CPU_SYSTEM, "CPU of the process in the kernel/op", seconds,
        "The part of that time that was spent in the kernel."),
    probe(probe::CPU_KERNEL, "CPU of kernel threads/op", seconds,
        "Time of the threads that worked for the contender: journal, write-back, loop device."),
    probe(probe::CPU_FOREIGN, "Foreign CPU, cores", hundredths,
        "Cores that other programs kept busy meanwhile: noise, not cost."),
    probe(probe::CPU_STEAL, "Stolen CPU, cores", hundredths,
        "Cores' worth of time that the hypervisor gave to others: noise, not cost."),
    probe(probe::SWITCHES, "Context switches/op", three_digits, "How often the work waited or was interrupted."),
    probe(probe::PAGES_DIRTIED, "Pages dirtied/op", three_digits,
        "Pages of this file system that were changed in memory. Direct I/O should change none."),
    probe(probe::MACHINE_DIRTIED, "Pages dirtied by all/op", three_digits,
        "The same for the whole machine, other programs' writes included."),
    probe(probe::PAGES_CACHED, "Pages cached by all/op", three_digits,
        "Pages by which the whole machine's page cache grew."),
    probe(probe::PROCESS_READ, "Read for the process, bytes/op", bytes,
        "What storage read for this process, as the kernel accounts it."),
    probe(probe::PROCESS_WRITTEN, "Written for the process, bytes/op", bytes,
        "What this process caused to be written, as the kernel accounts it."),
    probe(probe::NETWORK_RECEIVED, "Received, bytes/op", bytes, "What came over the clients' network links meanwhile."),
    probe(probe::NETWORK_SENT, "Sent, bytes/op", bytes, "What the clients sent over them meanwhile."),
    probe(probe::SYNC, "Sync afterwards", seconds,
        "An untimed syncfs after the last slice: work that the figure left to later."),
];

fn rate(value: f64) -> String {
    number::value(value, "ops/s")
}

/// The explanations of the known probes of `cells`, in their order.
pub fn terms(cells: &[Cell]) -> Vec<Term> {
    let is_read = |cell: &Cell, id: &ProbeId| cell.probes.get(id).is_some_and(|reading| reading.value.is_some());
    let is_present = |known: &&Described| cells.iter().any(|cell| is_read(cell, &known.probe.key()));
    PROBES.iter().filter(is_present).map(|known| (known.title, known.explanation)).collect()
}

/// The probes that a workload has readings of: the known ones in their order, then the others by name. Probes that have
/// tables of their own are left out.
pub fn part(comparison: &Comparison, workload: &WorkloadRow) -> Section {
    let cell = |label: &Label| comparison.cell(&workload.name, label);
    let cells = cells(comparison, workload);
    let readings = cells.iter().flat_map(|cell| &cell.probes).filter(|(_, reading)| reading.value.is_some());
    let present: BTreeSet<&ProbeId> = readings.map(|(id, _)| id).filter(|id| !is_elsewhere(id)).collect();
    let known = PROBES.iter().map(|known| known.probe.key()).filter(|id| present.contains(id));
    let unknown = present.iter().copied().filter(|id| find(id).is_none()).cloned();
    let rows: Vec<ProbeId> = known.chain(unknown).collect();
    let labels = comparison.contenders.iter().map(|row| (row.label.to_string(), cell(&row.label)));
    let table = TableOf::new(TableLook::Probes, &rows)
        .column(ColumnKind::Name, "what was counted meanwhile", |id| title(id, &cells))
        .columns(ColumnKind::Figure, labels, |id, cell| or_dash(cell.and_then(|cell| printed(id, cell))));
    Section::titled("Behind the figures").folded(Fold::Closed).with(table)
}

fn find(id: &ProbeId) -> Option<&'static Described> {
    PROBES.iter().find(|known| *id == known.probe.id)
}

/// Whether a probe has a table of its own.
fn is_elsewhere(id: &ProbeId) -> bool {
    id.operation().is_some() || id.probe().is_some_and(|probe| probe.role != ProbeRole::Explanation)
}

/// The title of a probe, which the page's terms explain; of an unknown one its name and unit.
fn title(id: &ProbeId, cells: &[&Cell]) -> Sentence {
    let unit = || cells.iter().find_map(|cell| cell.probes.get(id)).map_or("", |reading| &reading.unit);
    match find(id) {
        Some(known) => known.title.into(),
        None => format!("{id}, {}", unit()).into(),
    }
}

fn printed(id: &ProbeId, cell: &Cell) -> Option<String> {
    let reading = cell.probes.get(id)?;
    let value = reading.value?;
    Some(find(id).map_or_else(|| number::value(value, &reading.unit), |known| (known.print)(value)))
}
