//! `fsarena explain`: why the contenders of a stored run differ.

use anyhow::{Result, bail};
use clap::Args;
use fsarena_analyse::assess;
use fsarena_model::joined;
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
            let names = joined(comparison.workloads.iter().map(|row| &row.name), ", ");
            bail!(Refusal::wrong_use(format!("run {run} has no workload `{wanted}`"), format!("it has: {names}")));
        }
        comparison.judged.explanations.retain(|explanation| explanation.workload == *wanted);
        comparison.judged.tested_knobs.retain(|tested| tested.workload == *wanted);
    }
    if comparison.judged.explanations.is_empty() && comparison.judged.tested_knobs.is_empty() {
        let hint = match record.plan.measuring.explained {
            true => fsarena_report::next_step(&comparison),
            false => Some("a run with --explain traces them, if it has the rounds that verdicts need".to_owned()),
        };
        let hint = hint.unwrap_or_else(|| format!("fsarena report {run} says what was compared"));
        let text = format!("run {run} has no traced slices of a pair that is decided to differ");
        bail!(Refusal::wrong_use(text, hint));
    }
    show(global, &options.page, fsarena_report::explanations(&comparison), &comparison.judged.explanations)
}
