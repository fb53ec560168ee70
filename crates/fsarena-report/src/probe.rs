//! Titles, order, format and explanations of probes. A new probe is one line in [`PROBES`].

use std::collections::BTreeSet;

use fsarena_model::comparison::{Cell, WorkloadRow};
use fsarena_model::{Comparison, Label};

use crate::latency;
use crate::number::{self, DASH, bytes, hundredths, percent, seconds, three_digits};
use crate::report::{ColumnKind, Fold, Role, Section, Sentence, TableLook, TableOf};
use crate::words::Term;

/// A figure that explains the metric.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    name: &'static str,
    title: &'static str,
    print: fn(f64) -> String,
    explanation: &'static str,
}

const fn probe(name: &'static str, title: &'static str, print: fn(f64) -> String, explanation: &'static str) -> Probe {
    Probe { name, title, print, explanation }
}

/// Operations per second that an open loop should start.
pub const OFFERED: &str = "rate.offered";
/// Operations per second that ended.
pub const DONE: &str = "rate.done";

/// The known probes, in the order in which they are shown.
#[rustfmt::skip]
const PROBES: &[Probe] = &[
    probe(OFFERED, "Offered, operations/s", rate, "Operations that should have begun per second, whatever became of \
        the last ones."),
    probe(DONE, "Done, operations/s", rate, "Operations that ended, over the timed seconds. Less than was offered \
        means that a queue grew."),
    probe("device.read", "Device reads, bytes/op", bytes, "Bytes that the lane's device served. Zero for a cold read \
        means that it was none."),
    probe("device.written", "Device writes, bytes/op", bytes, "Bytes that reached the lane's device. More than the \
        data itself is journal, log, metadata, or copy on write."),
    probe("device.reads", "Read requests/op", three_digits, "Requests after merging."),
    probe("device.writes", "Write requests/op", three_digits, "Requests after merging. Many small ones cost more than \
        few large ones."),
    probe("device.merges", "Merged requests/op", three_digits, "Requests that the block layer joined to neighbours."),
    probe("device.read-merges", "Merged reads/op", three_digits, "Of these, reads."),
    probe("device.write-merges", "Merged writes/op", three_digits, "Of these, writes."),
    probe("device.reading", "Device reading/op", seconds, "Time that reads took in queue and device; those under way \
        at the same time count each."),
    probe("device.writing", "Device writing/op", seconds, "Time that writes took, likewise."),
    probe("device.flushes", "Flushes/op", three_digits, "Flushes of the device's cache. Durable work needs them; on \
        most devices they are the dearest part."),
    probe("device.preflushes", "Flushes asked for/op", three_digits, "Requests that asked the device to flush its \
        cache first, counted in the first round only."),
    probe("device.fua", "FUA writes/op", three_digits, "Writes that were to go past the device's cache, counted in the \
        first round only. A device that cannot do that flushes after each."),
    probe("device.flushing", "Device flushing/op", seconds, "Time that the device's flushes took."),
    probe("device.busy", "Device busy", percent, "Share of the time with at least one request in flight."),
    probe("device.queue", "Requests in flight", hundredths, "Mean over the timed part. Below 1, the device waited for \
        the file system."),
    probe("cpu.process", "CPU of the process/op", seconds, "User and system time of the process that did the work."),
    probe("cpu.system", "CPU of the process in the kernel/op", seconds,
        "The part of that time that was spent in the kernel."),
    probe("cpu.kernel", "CPU of kernel threads/op", seconds, "Time of the threads that worked for the contender: \
        journal, write-back, loop device."),
    probe("cpu.foreign", "Foreign CPU, cores", hundredths, "Cores that other programs kept busy meanwhile: noise, not \
        cost."),
    probe("cpu.steal", "Stolen CPU, cores", hundredths, "Cores' worth of time that the hypervisor gave to others: \
        noise, not cost."),
    probe("switches", "Context switches/op", three_digits, "How often the work waited or was interrupted."),
    probe("pages.dirtied", "Pages dirtied/op", three_digits, "Pages of this file system that were changed in memory. \
        Direct I/O should change none."),
    probe("machine.dirtied", "Pages dirtied by all/op", three_digits, "The same for the whole machine, other programs' \
        writes included."),
    probe("pages.cached", "Pages cached by all/op", three_digits,
        "Pages by which the whole machine's page cache grew."),
    probe("process.read", "Read for the process, bytes/op", bytes, "What storage read for this process, as the kernel \
        accounts it."),
    probe("process.written", "Written for the process, bytes/op", bytes, "What this process caused to be written, as \
        the kernel accounts it."),
    probe("sync", "Sync afterwards", seconds, "An untimed syncfs after the last slice: work that the figure left \
        to later."),
];

fn rate(value: f64) -> String {
    number::value(value, "ops/s")
}

/// The explanations of the known probes of `cells`, in their order.
pub fn terms(cells: &[Cell]) -> Vec<Term> {
    let is_present = |probe: &&Probe| cells.iter().any(|cell| cell.probes.contains_key(probe.name));
    PROBES.iter().filter(is_present).map(|probe| (probe.title, probe.explanation)).collect()
}

/// Prefixes of the names of probes that have tables of their own.
const ELSEWHERE: [&str; 5] = [latency::PREFIX, "clock.", "fio.", "iostat.", "space."];

/// The probes of a workload: the known ones in their order, then the others by name. Probes that have tables of their
/// own are left out.
pub fn part(comparison: &Comparison, workload: &WorkloadRow) -> Section {
    let cell = |label: &Label| comparison.cell(&workload.name, label);
    let cells: Vec<&Cell> = comparison.contenders.iter().filter_map(|row| cell(&row.label)).collect();
    let names = cells.iter().flat_map(|cell| cell.probes.keys().map(String::as_str));
    let present: BTreeSet<&str> = names.filter(|name| !is_elsewhere(name)).collect();
    let known = PROBES.iter().map(|probe| probe.name).filter(|name| present.contains(name));
    let unknown = present.iter().copied().filter(|name| find(name).is_none());
    let rows: Vec<&str> = known.chain(unknown).collect();
    let labels = comparison.contenders.iter().map(|row| (row.label.to_string(), cell(&row.label)));
    let table = TableOf::new(TableLook::Probes, &rows)
        .column(ColumnKind::Name, "what was counted meanwhile", |name| title(name, &cells))
        .columns(ColumnKind::Figure, labels, |name, cell| cell.and_then(|cell| printed(name, cell)).unwrap_or(dash()))
        .done();
    Section::titled("Behind the figures").folded(Fold::Closed).with(table)
}

fn find(name: &str) -> Option<&'static Probe> {
    PROBES.iter().find(|probe| probe.name == name)
}

fn dash() -> String {
    DASH.to_owned()
}

fn is_elsewhere(name: &str) -> bool {
    ELSEWHERE.iter().any(|beginning| name.starts_with(beginning))
}

/// The title of a probe; of an unknown one its name and unit.
fn title(name: &str, cells: &[&Cell]) -> Sentence {
    let unit = || cells.iter().find_map(|cell| cell.probes.get(name)).map_or("", |reading| &reading.unit);
    match find(name) {
        Some(probe) => Sentence::default().and_explained(Role::Plain, probe.title, probe.explanation),
        None => format!("{name}, {}", unit()).into(),
    }
}

fn printed(name: &str, cell: &Cell) -> Option<String> {
    let reading = cell.probes.get(name)?;
    let value = reading.value?;
    Some(find(name).map_or_else(|| number::value(value, &reading.unit), |probe| (probe.print)(value)))
}
