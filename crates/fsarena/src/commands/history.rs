//! `fsarena history`: a workload over the runs in the store.

use anyhow::{Result, bail};
use fsarena_analyse::history;
use fsarena_place::Refusal;

use super::sides::show;
use crate::cli::{Global, HistoryArguments};
use crate::exit::Ended;
use crate::places;

/// Shows the history of a workload.
pub fn run(global: &Global, options: &HistoryArguments) -> Result<Ended> {
    let mut history = history_of(global, &options.workload, options.tag.as_ref())?;
    let labels: Vec<&str> = history.series.iter().map(|series| series.contender.0.as_str()).collect();
    if let Some(unknown) = options.contender.iter().find(|label| !labels.contains(&label.as_str())) {
        let text = format!("no run with `{}` has a figure of the contender `{unknown}`", options.workload);
        bail!(Refusal::wrong_use(text, format!("the runs have: {}", labels.join(", "))));
    }
    if !options.contender.is_empty() {
        history.series.retain(|series| options.contender.contains(&series.contender.0));
    }
    let report = fsarena_report::history(&history, env!("CARGO_PKG_VERSION"));
    show(global, &options.page, report, &history)?;
    Ok(Ended::Well)
}

/// The history of a workload over the runs in the store, or those with a tag.
fn history_of(global: &Global, workload: &str, tag: Option<&String>) -> Result<fsarena_model::History> {
    let store = places::store_to_read(global)?;
    let is_wanted = |tags: &[String]| tag.is_none_or(|tag| tags.contains(tag));
    let rows = store.runs()?;
    if let Some(tag) = tag.filter(|_| !rows.iter().any(|row| is_wanted(&row.tags))) {
        let mut tags: Vec<String> = rows.into_iter().flat_map(|row| row.tags).collect();
        tags.sort_unstable();
        tags.dedup();
        let give = format!("fsarena runs tag RUN {tag}");
        let hint = if tags.is_empty() { give } else { format!("the tags are {}; {give}", tags.join(", ")) };
        bail!(Refusal::wrong_use(format!("no run in the store has the tag `{tag}`"), hint));
    }
    let records = rows
        .into_iter()
        .filter(|row| is_wanted(&row.tags))
        .map(|row| store.load(row.run))
        .collect::<Result<Vec<_>, _>>()?;
    let lacking = || {
        let mut names: Vec<&str> =
            records.iter().flat_map(|run| &run.plan.workloads).map(|it| it.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let text = format!("no run in the store has the workload `{workload}`");
        Refusal::wrong_use(text, format!("the runs have: {}", names.join(", ")))
    };
    Ok(history(&records, workload).ok_or_else(lacking)?)
}
