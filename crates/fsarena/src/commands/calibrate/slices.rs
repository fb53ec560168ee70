//! The ladder: the same work in slices of 10, 50 and 200 ms and whole, on lanes of several sizes.

use anyhow::Result;
use comfy_table::{Table, presets};
use fsarena_lane::Wait;
use fsarena_model::{Bytes, Plan, Status, Workload};
use fsarena_session::{Agreement, Finding, LadderPair, Rung, finding, ladder, rungs};

use super::comparison;
use crate::cli::{Calibrate, Compare, Global};
use crate::commands::print;
use crate::exit::{Ended, Refusal};
use crate::perform::{Task, perform, stop_flag};
use crate::plan;

/// Contenders, if none are given.
const CONTENDERS: [&str; 3] = ["ext4", "xfs", "btrfs"];
/// Sizes of lanes, if none are given, in GiB; those for which there is no room are left out.
const SIZES: [u64; 3] = [2, 8, 32];

/// Climbs the ladder on lanes of each size, prints what was seen, and what follows from all of it.
pub fn run(global: &Global, options: &Calibrate) -> Result<Ended> {
    let stop = stop_flag()?;
    let mut all: Vec<LadderPair> = Vec::new();
    let mut workloads = Vec::new();
    for size in sizes(options) {
        let (plan, named) = climb(options, size)?;
        if options.lane_size.is_empty() && plan::require_space(&plan).is_err() {
            eprintln!("lanes of {size} are left out: there is no room for {} of them", plan.contenders.len() + 1);
            continue;
        }
        eprintln!("lanes of {size}: {} rounds", options.rounds);
        let task = Task { plan, notes: vec!["the ladder of `fsarena calibrate --slices`".to_owned()], wait: Wait::Yes };
        match perform(global, task, &stop)? {
            Some((record, Status::Complete)) => {
                let pairs = ladder(&record, &named);
                print(&format!("lanes of {size}, run {}\n\n{}\n", record.run, table(&pairs)))?;
                all.extend(pairs);
                workloads = named;
            }
            _ => return Ok(Ended::Interrupted),
        }
    }
    print(&findings(&all, &workloads))?;
    Ok(Ended::Well)
}

fn sizes(options: &Calibrate) -> Vec<Bytes> {
    match options.lane_size.is_empty() {
        true => SIZES.map(Bytes::gib).to_vec(),
        false => options.lane_size.clone(),
    }
}

/// The plan with all rungs, and the workloads as they were named.
fn climb(options: &Calibrate, size: Bytes) -> Result<(Plan, Vec<Workload>)> {
    let contenders = match options.contenders.is_empty() {
        true => CONTENDERS.map(str::to_owned).to_vec(),
        false => options.contenders.clone(),
    };
    if contenders.len() < 2 {
        let hint = "fsarena calibrate --slices ext4 xfs";
        return Err(Refusal::wrong_use("a ladder is about ratios, and takes two contenders or more", hint).into());
    }
    let compare = Compare { rounds: Some(options.rounds), ..comparison(options, contenders, size) };
    let (mut plan, _) = plan::plan(&compare)?;
    if let Some(workload) = plan.workloads.iter().find(|workload| is_foreign(workload)) {
        let text = format!("`{}` is done by another program, which has no short slices", workload.name);
        return Err(Refusal::wrong_use(text, "use workloads of native engines: `fsarena list workloads`").into());
    }
    let named = std::mem::take(&mut plan.workloads);
    (plan.workloads, plan.suite) = (rungs(&named), None);
    Ok((plan, named))
}

fn is_foreign(workload: &Workload) -> bool {
    fsarena_engine::engine(&workload.engine).is_some_and(|engine| engine.program().is_some())
}

fn table(pairs: &[LadderPair]) -> String {
    let mut table = Table::new();
    let lengths = pairs.first().map_or(Vec::new(), |pair| pair.rungs.iter().map(length).collect());
    let header = ["workload".to_owned(), "pair".to_owned()].into_iter().chain(lengths);
    table.load_style(presets::NOTHING).set_header(header);
    for pair in pairs {
        let name = format!("{} / {}", pair.a, pair.b);
        table.add_row([pair.workload.clone(), name].into_iter().chain(pair.rungs.iter().map(rung)));
    }
    format!(
        "{}\n\nHow many times better the first is, with its 95 % interval; = the same as the whole runs within the margin, \
         ! not the same.\n",
        table.trim_fmt()
    )
}

fn length(rung: &Rung) -> String {
    rung.slice_ms.map_or("whole".to_owned(), |length| format!("{length} ms"))
}

fn rung(rung: &Rung) -> String {
    let mark = match rung.agreement {
        _ if rung.slice_ms.is_none() => "",
        Agreement::Agrees => " =",
        Agreement::Differs => " !",
        Agreement::Open => "",
    };
    let ratio = rung.ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.3}"));
    let interval = rung.interval.map_or(String::new(), |(low, high)| format!(" [{low:.3}, {high:.3}]"));
    format!("{ratio}{interval}{mark}")
}

fn findings(pairs: &[LadderPair], workloads: &[Workload]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["workload", "slices tell what whole runs tell", "in the catalogue"]);
    for workload in workloads {
        let (found, line) = match finding(pairs, &workload.name) {
            Finding::Whole => ("not even those of 200 ms".to_owned(), "mode = \"whole\"".to_owned()),
            Finding::SlicedFrom { slice_ms, is_shown } => {
                let surety = if is_shown { "shown" } else { "not contradicted" };
                (format!("from {slice_ms} ms on, {surety}"), format!("agrees-from-ms = {slice_ms}"))
            }
        };
        table.add_row([workload.name.clone(), found, line]);
    }
    format!("{}\n", table.trim_fmt())
}
