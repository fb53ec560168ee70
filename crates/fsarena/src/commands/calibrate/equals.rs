//! Runs of identical contenders, then runs with a slowdown: how often a winner is found, and which differences are
//! detected.

use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use fsarena_analyse::{Calibration, calibration};
use fsarena_model::plan::Slowdown;
use fsarena_model::{Bytes, Label, RunRecord, Share};
use fsarena_place::{Refusal, note};
use serde_json::{Value, json};

use super::{comparison, measured};
use crate::cli::{Calibrate, Compare, DataFormat, Global};
use crate::commands::{print, print_json, table};
use crate::exit::Ended;
use crate::signals::stop_flag;
use crate::{places, plan};

/// Runs identical contenders, then runs with a slowdown, and prints the calibration.
pub fn run(global: &Global, options: &Calibrate) -> Result<Ended> {
    if options.slowdown.0 <= 0.0 {
        bail!(Refusal::wrong_use("a slowdown of 0 % cannot be found", "--slowdown 5%"));
    }
    if !options.of.is_empty() {
        let (slowed, equal) = stored(global, &options.of)?;
        let share =
            slowed.iter().flat_map(|record| &record.plan.measuring.slowdowns).map(|slowdown| slowdown.share).next();
        return show(options, &calibration(&equal, &slowed), share.unwrap_or(options.slowdown));
    }
    let stop = stop_flag()?;
    let Some(equal) = several(global, options, &[], &stop)? else { return Ok(Ended::Interrupted) };
    let slowdown = [Slowdown { label: Label::from("b"), share: options.slowdown }];
    let Some(slowed) = several(global, options, &slowdown, &stop)? else { return Ok(Ended::Interrupted) };
    show(options, &calibration(&equal, &slowed), options.slowdown)
}

fn show(options: &Calibrate, calibration: &Calibration, slowdown: Share) -> Result<Ended> {
    match options.format {
        DataFormat::Text => print(&text(calibration, slowdown))?,
        DataFormat::Json => print_json(json(calibration, slowdown))?,
    }
    Ok(Ended::Well)
}

fn json(calibration: &Calibration, slowdown: Share) -> Value {
    json!({
        "slowdown": slowdown,
        "runs": calibration.runs,
        "runs_with_a_winner": calibration.runs_with_a_winner,
        "workloads": calibration.rows,
    })
}

/// Stored runs: those with a slowdown, then those of identical contenders.
fn stored(global: &Global, runs: &[i64]) -> Result<(Vec<RunRecord>, Vec<RunRecord>)> {
    let store = places::store_to_read(global)?;
    let records: Vec<RunRecord> = runs.iter().map(|run| Ok(store.load(*run)?)).collect::<Result<_>>()?;
    for record in &records {
        let is_alike = record.plan.workloads == records[0].plan.workloads && record.plan.contenders.len() == 2;
        if !is_alike {
            let text = format!("run {} is not one of two contenders on the workloads of run {}", record.run, runs[0]);
            bail!(Refusal::wrong_use(text, "fsarena runs"));
        }
    }
    Ok(records.into_iter().partition(|record| !record.plan.measuring.slowdowns.is_empty()))
}

/// Runs of one kind; `None` if one of them was interrupted.
fn several(
    global: &Global,
    options: &Calibrate,
    slowdown: &[Slowdown],
    stop: &AtomicBool,
) -> Result<Option<Vec<RunRecord>>> {
    let what = if slowdown.is_empty() { "equals" } else { "with a slowdown" };
    let mut records = Vec::new();
    for number in 1..=options.runs {
        note!("{what}: run {number} of {}", options.runs);
        let Some(record) = measured(global, options, plan::plan(&equals(options, slowdown)?)?, stop)? else {
            return Ok(None);
        };
        records.push(record);
    }
    Ok(Some(records))
}

/// The arguments of `compare` for one run.
fn equals(options: &Calibrate, slowdown: &[Slowdown]) -> Result<Compare> {
    let contender = match options.contenders.as_slice() {
        [] => "ext4",
        [one] => one,
        _ => {
            let text = "one contender is run against itself, and more than one is given";
            bail!(Refusal::wrong_use(text, "give one, or see how slices do: fsarena calibrate --slices …"));
        }
    };
    let plain = contender.split_once('=').map_or(contender, |(_, plain)| plain);
    let size = match options.lane_size.as_slice() {
        [] => Bytes::gib(2),
        [one] => *one,
        _ => bail!(Refusal::wrong_use("several sizes of lanes are for --slices", "--lane-size 2G")),
    };
    let contenders = vec![format!("a={plain}"), format!("b={plain}")];
    let slowdown = slowdown.to_vec();
    Ok(Compare { budget: Some(options.budget), slowdown, ..comparison(options, contenders, size)? })
}

fn text(calibration: &Calibration, slowdown: Share) -> String {
    let found = format!("{slowdown} found");
    let header = ["workload", "a winner among equals", "equivalent", &found, "sd of a pair", "finds from"];
    let rows = calibration.rows.iter().map(|row| {
        [
            row.workload.clone(),
            format!("{} of {}", row.winners, row.equal),
            format!("{} of {}", row.equivalent, row.equal),
            format!("{} of {}", row.found, row.slowed),
            row.deviation.map_or("–".to_owned(), |share| share.to_string()),
            row.finds_from.map_or("–".to_owned(), |share| share.to_string()),
        ]
    });
    format!(
        "{}\nA winner was called among equals in {} of {} runs; the rule guarantees at most one in twenty.\n\
         finds from: the smallest difference that such a run decides four times in five, from its own noise; a smaller\n\
         slowdown that is not found is no mistake.\n",
        table(header, rows),
        calibration.runs_with_a_winner,
        calibration.runs
    )
}
