//! The calibration of slice lengths: the same work in slices of 10, 50 and 200 ms and as a whole run, on lanes of
//! several sizes.

use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use fsarena_analyse::{
    Agreement, FreshPair, SliceFinding, SliceLength, SliceLengthPair, calibrated, finding, fresh_pairs, lengths,
    several_runs, slice_lengths,
};
use fsarena_execute::Assignment;
use fsarena_model::{Bytes, Estimate, Mode, Plan, RunRecord, Workload};
use fsarena_place::{End, Place, Refusal, note, require_space};
use serde_json::{Value, json};

use super::{Calibrate, comparison};
use crate::cli::{Compare, DataFormat, Global};
use crate::commands::{print, print_json, sides, table};
use crate::exit::Ended;
use crate::perform::perform;
use crate::plan;
use crate::signals::stop_flag;

const CONTENDERS: [&str; 3] = ["ext4", "xfs", "btrfs"];
/// Default lane sizes in GiB; sizes for which there is no room are left out.
const SIZES: [u64; 3] = [2, 8, 32];

pub fn run(global: &Global, options: &Calibrate) -> Result<Ended> {
    let mut seen = LengthResults { format: options.format, ..LengthResults::default() };
    if options.of.is_none() {
        let stop = stop_flag()?;
        for size in sizes(options) {
            for plan in plans(options, size)? {
                if options.lane_size.is_empty() && require_space(&plan).is_err() {
                    let lanes = plan.contenders.len() + 1;
                    note!("lanes of {size} are left out: there is no room for {lanes} of them");
                    continue;
                }
                let Some(record) = measure(global, options, plan, &stop)? else { return Ok(Ended::Interrupted) };
                seen.take(&record)?;
            }
        }
    }
    if let Some(runs) = &options.of {
        sides::runs(global, runs)?.iter().try_for_each(|run| seen.take(&run.record))?;
    }
    match options.format {
        DataFormat::Text if seen.workloads.is_empty() => {}
        DataFormat::Text => print(&findings(&seen))?,
        DataFormat::Json => print_json(json(&seen))?,
    }
    Ok(Ended::Well)
}

/// The results for all lengths.
#[derive(Default)]
struct LengthResults {
    format: DataFormat,
    pairs: Vec<SliceLengthPair>,
    workloads: Vec<String>,
    fresh: Vec<FreshPair>,
}

impl LengthResults {
    /// Stores the results of a calibration, and prints them as text.
    fn take(&mut self, record: &RunRecord) -> Result<()> {
        let fresh = fresh_pairs(record);
        if !fresh.is_empty() {
            if self.format == DataFormat::Text {
                print(&format!("{}\n", fresh_table(&fresh, record)))?;
            }
            self.fresh.extend(fresh);
            return Ok(());
        }
        let Some(names) = calibrated(&record.plan.workloads) else {
            let text = format!("run {} is no calibration of slice lengths", record.run);
            bail!(Refusal::wrong_use(text, "fsarena runs"));
        };
        let pairs = slice_lengths(record, &names);
        if self.format == DataFormat::Text {
            print(&format!("{}\n\n{}\n", head(record), lengths_table(&pairs)))?;
        }
        self.pairs.extend(pairs);
        let new: Vec<String> = names.into_iter().filter(|name| !self.workloads.contains(name)).collect();
        self.workloads.extend(new);
        Ok(())
    }
}

fn measure(global: &Global, options: &Calibrate, plan: Plan, stop: &AtomicBool) -> Result<Option<RunRecord>> {
    let names: Vec<&str> = plan.workloads.iter().map(Workload::base).collect();
    let what = if names.len() == 1 { format!("{}: ", names[0]) } else { String::new() };
    note!("{what}lanes of {}: {} rounds", plan.lanes.size, options.rounds);
    let notes = vec!["the calibration of slice lengths by `fsarena calibrate --slices`".to_owned()];
    let (wait, erase) = (!options.conditions.no_wait, options.conditions.erase.clone());
    let assignment = Assignment { wait, erase, ..Assignment::new(plan, notes) };
    let done = perform(global, assignment, &Place::Here, stop)?;
    Ok(done.filter(|(_, end)| *end == End::Complete).map(|(record, _)| record))
}

fn sizes(options: &Calibrate) -> Vec<Bytes> {
    match options.lane_size.is_empty() {
        true => SIZES.map(Bytes::gib).to_vec(),
        false => options.lane_size.clone(),
    }
}

/// A plan with all lengths of the workloads that this program does itself, and one for each other program: its first
/// run is alone on a file system that was just made.
fn plans(options: &Calibrate, size: Bytes) -> Result<Vec<Plan>> {
    let contenders = match options.contenders.is_empty() {
        true => CONTENDERS.map(str::to_owned).to_vec(),
        false => options.contenders.clone(),
    };
    if contenders.len() < 2 {
        let text = "a calibration of slice lengths is about ratios, and takes two contenders or more";
        bail!(Refusal::wrong_use(text, "fsarena calibrate --slices ext4 xfs"));
    }
    let compare = Compare { rounds: Some(options.rounds), ..comparison(options, contenders, size)? };
    let (mut plan, _) = plan::plan(&compare)?;
    plan.suite.name = None;
    let (programs, own): (Vec<Workload>, Vec<Workload>) =
        plan.workloads.iter().cloned().partition(|workload| workload.traits.program.is_some());
    if let Some(workload) = programs.iter().find(|workload| workload.mode == Mode::Whole) {
        let text = format!("`{}` always runs alone on a file system that was just made", workload.name);
        bail!(Refusal::wrong_use(text, "leave it out"));
    }
    let of = |workloads: Vec<Workload>| Plan { workloads, ..plan.clone() };
    let own = (!own.is_empty()).then(|| of(lengths(&own)));
    Ok(own.into_iter().chain(programs.iter().map(|workload| of(vec![several_runs(workload)]))).collect())
}

fn json(seen: &LengthResults) -> Value {
    let workload = |workload: &String| {
        let (agrees_from_ms, finding, _) = found(seen, workload);
        json!({ "workload": workload, "agrees_from_ms": agrees_from_ms, "finding": finding })
    };
    json!({
        "first_runs": seen.fresh,
        "pairs": seen.pairs,
        "workloads": seen.workloads.iter().map(workload).collect::<Vec<_>>(),
    })
}

/// From which length on slices of a workload agree with whole runs, in milliseconds, and how sure that is: in JSON, and
/// in words.
fn found(seen: &LengthResults, workload: &str) -> (Option<u64>, &'static str, String) {
    match finding(&seen.pairs, workload) {
        None => (None, "unmeasured", "no pair was measured on all lengths".to_owned()),
        Some(SliceFinding::Whole) => (None, "whole", "not even those of 200 ms".to_owned()),
        Some(SliceFinding::SlicedFrom { surety: Agreement::Doubtful, .. }) => {
            (None, "doubtful", "doubtful, even at 200 ms".to_owned())
        }
        Some(SliceFinding::SlicedFrom { slice_ms, surety }) => {
            let surety = if surety == Agreement::Agrees { "shown" } else { "not-contradicted" };
            (Some(slice_ms), surety, format!("from {slice_ms} ms on, {}", surety.replace('-', " ")))
        }
    }
}

fn head(record: &RunRecord) -> String {
    format!("lanes of {}, run {}, {} rounds", record.plan.lanes.size, record.run, record.rounds.len())
}

fn fresh_table(pairs: &[FreshPair], record: &RunRecord) -> String {
    let row = |pair: &FreshPair| {
        let agree = match pair.agreement {
            Agreement::Agrees => "yes, within the margin",
            Agreement::Open => "not contradicted",
            Agreement::Doubtful => "probably not",
            Agreement::Differs => "no",
            Agreement::Unmeasured => "not measured",
        };
        let name = format!("{} / {}", pair.a, pair.b);
        let [first, later] = [&pair.first, &pair.later].map(ratio);
        [pair.workload.clone(), name, first, later, agree.to_owned()]
    };
    let header = ["workload", "pair", "first run after mkfs", "later runs", "agree"];
    format!("{}\n\n{}", head(record), table(header, pairs.iter().map(row)))
}

fn lengths_table(pairs: &[SliceLengthPair]) -> String {
    let lengths = pairs.first().map_or(Vec::new(), |pair| pair.lengths.iter().map(length).collect());
    let header = ["workload".to_owned(), "pair".to_owned()].into_iter().chain(lengths);
    let rows = pairs.iter().map(|pair| {
        let name = format!("{} / {}", pair.a, pair.b);
        [pair.workload.clone(), name].into_iter().chain(pair.lengths.iter().map(figure)).collect::<Vec<_>>()
    });
    format!(
        "{}\nHow many times better the first is, with its 95 % interval; = the same as the whole runs within the margin, \
         ! not the same, ? probably not.\n",
        table(header, rows)
    )
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
    format!("{}{mark}", ratio(&length.estimate))
}

fn ratio(estimate: &Estimate) -> String {
    let ratio = estimate.ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.3}"));
    let interval =
        estimate.low.zip(estimate.high).map_or(String::new(), |(low, high)| format!(" [{low:.3}, {high:.3}]"));
    format!("{ratio}{interval}")
}

fn findings(seen: &LengthResults) -> String {
    let row = |workload: &String| {
        let (agrees_from_ms, finding, words) = found(seen, workload);
        let line = match (agrees_from_ms, finding) {
            (Some(length), _) => format!("agrees-from-ms = {length}"),
            (None, "unmeasured") => "–".to_owned(),
            (None, _) => "mode = \"whole\"".to_owned(),
        };
        [workload.clone(), words, line]
    };
    table(["workload", "slices tell what whole runs tell", "in the catalogue"], seen.workloads.iter().map(row))
}
