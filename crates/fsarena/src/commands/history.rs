//! `fsarena history`: a workload over the runs in the store.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use clap::Args;
use fsarena_analyse::history;
use fsarena_model::{Label, Name, joined};
use fsarena_place::Refusal;

use super::runs::tagged;
use super::sides::show;
use crate::cli::{Global, PageArguments, candidates};
use crate::places;

#[derive(Debug, Args)]
pub struct HistoryArguments {
    /// The workload's name
    #[arg(value_name = "WORKLOAD", add = candidates::workloads())]
    pub workload: String,
    /// Only this contender; can be repeated
    #[arg(long, value_name = "LABEL")]
    pub contender: Vec<Label>,
    /// Only runs with this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    #[command(flatten)]
    pub page: PageArguments,
}

pub fn run(global: &Global, options: &HistoryArguments) -> Result<()> {
    let (store, workload) = (places::store_to_read(global)?, &options.workload);
    let rows = tagged(&store, options.tag.as_ref())?;
    let records = rows.into_iter().map(|row| store.load(row.run)).collect::<Result<Vec<_>, _>>()?;
    let lacking = || {
        let names: BTreeSet<&Name> =
            records.iter().flat_map(|run| &run.plan.workloads).map(|workload| &workload.name).collect();
        let text = format!("no run in the store has the workload `{workload}`");
        Refusal::wrong_use(text, format!("the runs have: {}", joined(names, ", ")))
    };
    let mut history = history(&records, workload).ok_or_else(lacking)?;
    let labels: Vec<&Label> = history.series.iter().map(|series| &series.contender).collect();
    if let Some(unknown) = options.contender.iter().find(|label| !labels.contains(label)) {
        let text = format!("no run with `{workload}` has a figure of the contender `{unknown}`");
        bail!(Refusal::wrong_use(text, format!("the runs have: {}", joined(labels, ", "))));
    }
    if !options.contender.is_empty() {
        history.series.retain(|series| options.contender.contains(&series.contender));
    }
    show(global, &options.page, fsarena_report::history(&history, env!("CARGO_PKG_VERSION")), &history)
}
