//! Runs of identical contenders, then runs with a slowdown: how often a winner is found, and which differences are
//! detected.

use std::slice;
use std::sync::atomic::AtomicBool;

use anyhow::{Result, bail};
use fsarena_analyse::{Calibration, NamedRun, calibration};
use fsarena_model::plan::Slowdown;
use fsarena_model::{Bytes, Contender, Label, Plan, RunRecord, Share};
use fsarena_place::{End, Refusal, note, require_machine};
use serde_json::{Value, json};

use super::{Calibrate, comparison};
use crate::cli::{Compare, DataFormat, Global};
use crate::commands::{compare, print, print_json, sides, table};
use crate::exit::Ended;
use crate::plan;
use crate::signals::stop_flag;

pub fn run(global: &Global, options: &Calibrate) -> Result<Ended> {
    if options.slowdown.0 <= 0.0 {
        bail!(Refusal::wrong_use("a slowdown of 0 % cannot be found", "--slowdown 5%"));
    }
    if let Some(runs) = &options.of {
        let (slowed, equal) = stored(global, runs)?;
        let share =
            slowed.iter().flat_map(|record| &record.plan.measuring.slowdowns).map(|slowdown| slowdown.share).next();
        return show(options, &calibration(&equal, &slowed), share.unwrap_or(options.slowdown));
    }
    require_contender(options)?;
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
fn stored(global: &Global, runs: &str) -> Result<(Vec<RunRecord>, Vec<RunRecord>)> {
    let runs = sides::runs(global, runs)?;
    for NamedRun { name, record } in &runs {
        if !is_of_equals(&record.plan) {
            let text = format!("{name} is not one of a contender against itself");
            let hint = "`fsarena calibrate ext4` makes such runs, as does `compare a=ext4 b=ext4`";
            bail!(Refusal::wrong_use(text, hint));
        }
        if record.plan.workloads != runs[0].record.plan.workloads {
            let text = format!("{name} has other workloads than {}", runs[0].name);
            bail!(Refusal::wrong_use(text, "name runs with the same workloads: `fsarena runs` lists them"));
        }
    }
    let records = runs.into_iter().map(|run| run.record);
    Ok(records.partition(|record| !record.plan.measuring.slowdowns.is_empty()))
}

/// Whether both contenders differ by their labels alone.
fn is_of_equals(plan: &Plan) -> bool {
    let unnamed = |contender: &Contender| Contender { label: Label::default(), ..contender.clone() };
    matches!(plan.contenders.as_slice(), [a, b] if unnamed(a) == unnamed(b))
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
        match compare::record(global, &equals(options, slowdown)?, stop)? {
            Some((record, End::Complete)) => records.push(record),
            _ => return Ok(None),
        }
    }
    Ok(Some(records))
}

/// The arguments of `compare` for one run.
fn equals(options: &Calibrate, slowdown: &[Slowdown]) -> Result<Compare> {
    let plain = contender(options)?;
    let contenders = vec![format!("a={plain}"), format!("b={plain}")];
    let slowdown = slowdown.to_vec();
    Ok(Compare { budget: Some(options.budget), slowdown, ..comparison(options, contenders, lane_size(options)?)? })
}

/// The contender without a label.
fn contender(options: &Calibrate) -> Result<&str> {
    match options.contenders.as_slice() {
        [] => Ok("ext4"),
        [one] => {
            let (contenders, _) = plan::contenders(slice::from_ref(one), Vec::new())?;
            let label = contenders.first().and_then(|contender| one.strip_prefix(contender.label.0.as_str()));
            Ok(label.and_then(|rest| rest.strip_prefix('=')).unwrap_or(one))
        }
        _ => {
            let text = "one contender is run against itself, and more than one is given";
            bail!(Refusal::wrong_use(text, "give one, or see how slices do: fsarena calibrate --slices …"));
        }
    }
}

fn lane_size(options: &Calibrate) -> Result<Bytes> {
    match options.lane_size.as_slice() {
        [] => Ok(Bytes::gib(2)),
        [one] => Ok(*one),
        _ => bail!(Refusal::wrong_use("several sizes of lanes are for --slices", "--lane-size 2G")),
    }
}

/// Refuses a contender as it was given, once, and not as the two that are made of it.
fn require_contender(options: &Calibrate) -> Result<()> {
    let alone = comparison(options, vec![contender(options)?.to_owned()], lane_size(options)?)?;
    require_machine(&plan::plan(&Compare { budget: Some(options.budget), ..alone })?.0)
}

fn text(calibration: &Calibration, slowdown: Share) -> String {
    let found = format!("{slowdown} found");
    let header = ["workload", "a winner among equals", "equivalent", &found, "sd of a pair", "finds from"];
    let of = |count, all| if all == 0 { "–".to_owned() } else { format!("{count} of {all}") };
    let rows = calibration.rows.iter().map(|row| {
        [
            row.workload.clone(),
            of(row.winners, row.equal),
            of(row.equivalent, row.equal),
            of(row.found, row.slowed),
            row.deviation.map_or("–".to_owned(), |share| share.to_string()),
            row.finds_from.map_or("–".to_owned(), |share| share.to_string()),
        ]
    });
    let winners = match calibration.runs {
        0 => {
            "None of these runs is without a slowdown and has the rounds that a verdict needs, so they do not show how \
              often a winner is called among equals."
                .to_owned()
        }
        runs => format!(
            "A winner was called among equals in {} of {runs} runs; the rule guarantees at most one in twenty.",
            calibration.runs_with_a_winner
        ),
    };
    format!(
        "{}\n{winners}\n\
         finds from: the smallest difference that such a run decides four times in five, from its own noise; a smaller\n\
         slowdown that is not found is no mistake.\n",
        table(header, rows)
    )
}
