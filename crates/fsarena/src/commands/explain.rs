//! `fsarena explain`: why the contenders of a stored run differ.

use anyhow::{Result, bail};
use clap::Args;
use fsarena_analyse::{FEWEST_ROUNDS, assess};
use fsarena_model::Comparison;
use fsarena_model::comparison::ContenderRow;
use fsarena_place::Refusal;

use super::report::number;
use super::sides::show;
use crate::cli::{Global, PageArguments, candidates};
use crate::places;

#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// The run's number, or `last`
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// One of its workloads [default: all]
    #[arg(value_name = "WORKLOAD")]
    pub workload: Option<String>,
    #[command(flatten)]
    pub page: PageArguments,
}

pub fn run(global: &Global, options: &ExplainArguments) -> Result<()> {
    let store = places::store_to_read(global)?;
    let record = store.load(number(&store, &options.run)?)?;
    let mut comparison = assess(&record);
    let run = comparison.run.number;
    if let Some(wanted) = &options.workload {
        if !comparison.workloads.iter().any(|row| row.name == *wanted) {
            let names: Vec<&str> = comparison.workloads.iter().map(|row| row.name.as_str()).collect();
            let text = format!("run {run} has no workload `{wanted}`");
            bail!(Refusal::wrong_use(text, format!("it has: {}", names.join(", "))));
        }
        comparison.judged.explanations.retain(|explanation| explanation.workload == *wanted);
        comparison.judged.tested_knobs.retain(|tested| tested.workload == *wanted);
    }
    if comparison.judged.explanations.is_empty() && comparison.judged.tested_knobs.is_empty() {
        let hint = match record.plan.measuring.explained {
            true => fsarena_report::next_step(&comparison),
            false => explaining(&comparison),
        };
        let hint = hint.unwrap_or_else(|| format!("fsarena report {run} says what was compared"));
        let text = format!("run {run} has no traced slices of a pair that is decided to differ");
        bail!(Refusal::wrong_use(text, hint));
    }
    show(global, &options.page, fsarena_report::explanations(&comparison), &comparison.judged.explanations)
}

/// The command of a run with `--explain`, without what keeps pairs from being decided; `None` if none can be.
fn explaining(comparison: &Comparison) -> Option<String> {
    let of = |row: &ContenderRow| comparison.contenders.iter().filter(|it| it.durability == row.durability).count();
    let may_differ = comparison.contenders.iter().any(|row| of(row) > 1);
    let mut run = comparison.run.clone();
    run.command.retain(|word| word != "--scale=smoke");
    let is_few =
        |pair: &[String]| pair[0] == "--rounds" && pair[1].parse().is_ok_and(|count: usize| count < FEWEST_ROUNDS);
    if let Some(at) = run.command.windows(2).position(is_few) {
        run.command.drain(at..at + 2);
    }
    let is_traced = !["calibrate", "--client"].iter().any(|untraced| run.command.iter().any(|word| word == untraced));
    (may_differ && is_traced).then(|| format!("{} --explain", run.command_line()))
}
