//! `fsarena runs`: the runs in the store.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use fsarena_model::event::Note;
use fsarena_model::{Event, Severity};
use fsarena_place::{Refusal, note};
use fsarena_store::{RunRow, Store};
use serde_json::json;

use super::{print, print_json, report, table};
use crate::cli::{DataFormat, Global, RunsArguments, RunsChange};
use crate::places;

/// Lists the runs, oldest first, or changes some.
pub fn run(global: &Global, options: &RunsArguments) -> Result<()> {
    match &options.change {
        None => list(global, options),
        Some(RunsChange::Tag(tags)) => add(global, &tags.run, tags.tags.iter().cloned().map(Event::Tagged)),
        Some(RunsChange::Untag(tags)) => add(global, &tags.run, tags.tags.iter().cloned().map(Event::Untagged)),
        Some(RunsChange::Note { run, text }) => {
            add(global, run, [Event::Note(Note { severity: Severity::Info, text: text.clone() })])
        }
        Some(RunsChange::Remove { runs }) => remove(global, runs),
    }
}

fn list(global: &Global, options: &RunsArguments) -> Result<()> {
    let rows = tagged(&places::store_to_read(global)?, options.tag.as_ref())?.into_iter();
    if options.format == DataFormat::Json {
        return print_json(json!({ "runs": rows.collect::<Vec<_>>() }));
    }
    let rows = rows.map(|row| {
        let status = row.state();
        let labels: Vec<String> = row.contenders.iter().map(ToString::to_string).collect();
        [
            row.run.to_string(),
            row.started,
            status.to_owned(),
            row.rounds.to_string(),
            row.suite.unwrap_or_else(|| "–".to_owned()),
            labels.join(" "),
            row.tags.join(" "),
        ]
    });
    print(&table(["run", "started", "status", "rounds", "suite or profile", "contenders", "tags"], rows))
}

/// The runs in the store that have a tag, or all of them.
///
/// # Errors
/// If no run has it.
pub fn tagged(store: &Store, tag: Option<&String>) -> Result<Vec<RunRow>> {
    let rows = store.runs()?;
    let Some(tag) = tag else { return Ok(rows) };
    let tags: BTreeSet<String> = rows.iter().flat_map(|row| &row.tags).cloned().collect();
    if !tags.contains(tag) {
        let give = format!("fsarena runs tag RUN {tag}");
        let tags: Vec<String> = tags.into_iter().collect();
        let hint = if tags.is_empty() { give } else { format!("the tags are {}; {give}", tags.join(", ")) };
        bail!(Refusal::wrong_use(format!("no run in the store has the tag `{tag}`"), hint));
    }
    Ok(rows.into_iter().filter(|row| row.tags.contains(tag)).collect())
}

/// Adds events to a run that is not being measured.
fn add(global: &Global, run: &str, events: impl IntoIterator<Item = Event>) -> Result<()> {
    let mut store = Store::open_existing(&places::store_path(global.store.clone())?)?;
    let run = report::number(&store, run)?;
    events.into_iter().try_for_each(|event| Ok(store.append(run, &event)?))
}

/// Removes runs, each once. If one of them is not there, none is removed.
fn remove(global: &Global, runs: &[String]) -> Result<()> {
    let mut store = Store::open_existing(&places::store_path(global.store.clone())?)?;
    let runs: BTreeSet<i64> = runs.iter().map(|run| report::number(&store, run)).collect::<Result<_>>()?;
    runs.iter().try_for_each(|run| store.lines(*run).map(drop))?;
    if let Some(run) = runs.iter().find(|run| store.is_running(**run)) {
        bail!(Refusal::wrong_use(
            format!("run {run} is still being measured"),
            "Ctrl-C ends it; `fsarena runs` lists it"
        ));
    }
    for run in runs {
        store.remove(run)?;
        note!("run {run} is removed");
    }
    Ok(())
}
