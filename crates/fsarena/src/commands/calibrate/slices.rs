//! The calibration of slice lengths: the same work in slices of 10, 50 and 200 ms and as a whole run, on lanes of
//! several sizes.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use comfy_table::{Table, presets};
use fsarena_analyse::{
    Agreement, CarryOver, Finding, SliceLength, SliceLengthPair, calibrated, carry_over, finding, lengths,
    slice_lengths,
};
use fsarena_model::{Bytes, Mode, Plan, RunRecord, Status};
use serde_json::{Value, json};

use super::comparison;
use crate::agent::Order;
use crate::cli::{Calibrate, Compare, DataFormat, Global};
use crate::commands::{FORMAT, print, print_json};
use crate::exit::{Ended, Refusal};
use crate::note::note;
use crate::perform::{Place, Task, perform};
use crate::signals::stop_flag;
use crate::{places, plan};

/// Default contenders.
const CONTENDERS: [&str; 3] = ["ext4", "xfs", "btrfs"];
/// Default lane sizes in GiB; sizes for which there is no room are left out.
const SIZES: [u64; 3] = [2, 8, 32];

/// Runs the calibration on lanes of each size, and prints the results and the conclusion.
pub fn run(global: &Global, options: &Calibrate) -> Result<Ended> {
    let mut seen = Seen { format: options.format, ..Seen::default() };
    if options.of.is_empty() {
        let stop = stop_flag()?;
        for size in sizes(options) {
            match measure(global, options, size, &stop)? {
                Measured::Done(record) => seen.take(&record)?,
                Measured::NoRoom => {}
                Measured::Stopped => return Ok(Ended::Interrupted),
            }
        }
    }
    for run in &options.of {
        seen.take(&places::store_to_read(global)?.load(*run)?)?;
    }
    match options.format {
        DataFormat::Text => print(&findings(&seen))?,
        DataFormat::Json => print_json(&json(&seen))?,
    }
    Ok(Ended::Well)
}

/// The results for all lengths.
#[derive(Default)]
struct Seen {
    format: DataFormat,
    pairs: Vec<SliceLengthPair>,
    workloads: Vec<String>,
}

impl Seen {
    /// Stores the results of a calibration, and prints them as text.
    fn take(&mut self, record: &RunRecord) -> Result<()> {
        let Some(names) = calibrated(&record.plan.workloads) else {
            let text = format!("run {} is no calibration of slice lengths", record.run);
            return Err(Refusal::wrong_use(text, "fsarena runs").into());
        };
        let pairs = slice_lengths(record, &names);
        if self.format == DataFormat::Text {
            let (size, rounds) = (record.plan.lanes.size, record.rounds.len());
            let head = format!("lanes of {size}, run {}, {rounds} rounds", record.run);
            print(&format!("{head}\n\n{}\n{}\n", table(&pairs), carried(record)))?;
        }
        self.pairs.extend(pairs);
        let new: Vec<String> = names.into_iter().filter(|name| !self.workloads.contains(name)).collect();
        self.workloads.extend(new);
        Ok(())
    }
}

/// The result of a calibration.
enum Measured {
    Done(Box<RunRecord>),
    NoRoom,
    Stopped,
}

fn measure(global: &Global, options: &Calibrate, size: Bytes, stop: &AtomicBool) -> Result<Measured> {
    let plan = plan_of(options, size)?;
    if options.lane_size.is_empty() && plan::require_space(&plan).is_err() {
        note!("lanes of {size} are left out: there is no room for {} of them", plan.contenders.len() + 1);
        return Ok(Measured::NoRoom);
    }
    note!("lanes of {size}: {} rounds", options.rounds);
    let notes = vec!["the calibration of slice lengths by `fsarena calibrate --slices`".to_owned()];
    let order = Order { plan, notes, wait: true, erase: options.erase.clone() };
    Ok(match perform(global, &Task { order, place: Place::Here }, stop)? {
        Some((record, Status::Complete)) => Measured::Done(Box::new(record)),
        _ => Measured::Stopped,
    })
}

fn sizes(options: &Calibrate) -> Vec<Bytes> {
    match options.lane_size.is_empty() {
        true => SIZES.map(Bytes::gib).to_vec(),
        false => options.lane_size.clone(),
    }
}

/// The plan with all lengths.
fn plan_of(options: &Calibrate, size: Bytes) -> Result<Plan> {
    let contenders = match options.contenders.is_empty() {
        true => CONTENDERS.map(str::to_owned).to_vec(),
        false => options.contenders.clone(),
    };
    if contenders.len() < 2 {
        let hint = "fsarena calibrate --slices ext4 xfs";
        return Err(Refusal::wrong_use(
            "a calibration of slice lengths is about ratios, and takes two contenders or more",
            hint,
        )
        .into());
    }
    let compare = Compare { rounds: Some(options.rounds), ..comparison(options, contenders, size)? };
    let (mut plan, _) = plan::plan(&compare)?;
    if let Some(workload) = plan.workloads.iter().find(|workload| workload.traits.program.is_some()) {
        let text = format!("`{}` is done by another program, which has no short slices", workload.name);
        return Err(Refusal::wrong_use(text, "use workloads of native engines: `fsarena list workloads`").into());
    }
    (plan.workloads, plan.suite.name) = (lengths(&plan.workloads), None);
    Ok(plan)
}

fn json(seen: &Seen) -> Value {
    let length = |length: &SliceLength| {
        json!({
            "slice_ms": length.slice_ms, "ratio": length.ratio, "low": length.interval.map(|it| it.0),
            "high": length.interval.map(|it| it.1),
        })
    };
    let pair = |pair: &SliceLengthPair| {
        let lengths: Vec<Value> = pair.lengths.iter().map(length).collect();
        json!({ "workload": pair.workload, "a": pair.a, "b": pair.b, "lengths": lengths })
    };
    let workload = |workload: &String| {
        let (agrees_from_ms, surety) = match finding(&seen.pairs, workload) {
            None => (None, "unmeasured"),
            Some(Finding::Whole) => (None, "whole"),
            Some(Finding::SlicedFrom { slice_ms, surety: Agreement::Agrees }) => (Some(slice_ms), "shown"),
            Some(Finding::SlicedFrom { surety: Agreement::Doubtful, .. }) => (None, "doubtful"),
            Some(Finding::SlicedFrom { slice_ms, .. }) => (Some(slice_ms), "not-contradicted"),
        };
        json!({ "workload": workload, "agrees_from_ms": agrees_from_ms, "finding": surety })
    };
    json!({
        "format": FORMAT,
        "pairs": seen.pairs.iter().map(pair).collect::<Vec<_>>(),
        "workloads": seen.workloads.iter().map(workload).collect::<Vec<_>>(),
    })
}

fn table(pairs: &[SliceLengthPair]) -> String {
    let mut table = Table::new();
    let lengths = pairs.first().map_or(Vec::new(), |pair| pair.lengths.iter().map(length).collect());
    let header = ["workload".to_owned(), "pair".to_owned()].into_iter().chain(lengths);
    table.load_style(presets::NOTHING).set_header(header);
    for pair in pairs {
        let name = format!("{} / {}", pair.a, pair.b);
        table.add_row([pair.workload.clone(), name].into_iter().chain(pair.lengths.iter().map(figure)));
    }
    format!(
        "{}\n\nHow many times better the first is, with its 95 % interval; = the same as the whole runs within the margin, \
         ! not the same, ? probably not.\n",
        table.trim_fmt()
    )
}

/// The cells whose slices depend on the contender of the preceding slice, as far as that is proved.
fn carried(record: &RunRecord) -> String {
    let sliced = record.plan.workloads.iter().filter(|workload| workload.mode == Mode::Sliced);
    let cells: Vec<CarryOver> = sliced.flat_map(|workload| carry_over(record, workload)).collect();
    let measured = cells.iter().filter_map(|cell| Some((cell, cell.change?)));
    let shown = measured.clone().filter(|(_, change)| change.low > 1.0 || change.high < 1.0);
    let lines: Vec<String> = shown
        .map(|(cell, change)| {
            let (after, low, high) = (change.ratio, change.low, change.high);
            let (workload, contender) = (&cell.workload, &cell.contender);
            format!("  {contender} in {workload}: {after:.3} times as good after itself as after another [{low:.3}, {high:.3}]")
        })
        .collect();
    match lines.is_empty() {
        true => format!("Carry-over from one slice to the next: none shown in any of {} cells.\n", measured.count()),
        false => {
            format!("Carry-over from one slice to the next, of {} cells:\n{}\n", measured.count(), lines.join("\n"))
        }
    }
}

fn length(length: &SliceLength) -> String {
    length.slice_ms.map_or("whole".to_owned(), |length| format!("{length} ms"))
}

fn figure(length: &SliceLength) -> String {
    let mark = match length.agreement {
        _ if length.slice_ms.is_none() => "",
        Agreement::Agrees => " =",
        Agreement::Differs => " !",
        Agreement::Doubtful => " ?",
        Agreement::Open | Agreement::Unmeasured => "",
    };
    let ratio = length.ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.3}"));
    let interval = length.interval.map_or(String::new(), |(low, high)| format!(" [{low:.3}, {high:.3}]"));
    format!("{ratio}{interval}{mark}")
}

fn findings(seen: &Seen) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["workload", "slices tell what whole runs tell", "in the catalogue"]);
    for workload in &seen.workloads {
        let (found, line) = match finding(&seen.pairs, workload) {
            None => ("no pair was measured on all lengths".to_owned(), "–".to_owned()),
            Some(Finding::Whole) => ("not even those of 200 ms".to_owned(), "mode = \"whole\"".to_owned()),
            Some(Finding::SlicedFrom { surety: Agreement::Doubtful, .. }) => {
                ("doubtful, even at 200 ms".to_owned(), "mode = \"whole\"".to_owned())
            }
            Some(Finding::SlicedFrom { slice_ms, surety }) => {
                let surety = if surety == Agreement::Agrees { "shown" } else { "not contradicted" };
                (format!("from {slice_ms} ms on, {surety}"), format!("agrees-from-ms = {slice_ms}"))
            }
        };
        table.add_row([workload.clone(), found, line]);
    }
    format!("{}\n", table.trim_fmt())
}
