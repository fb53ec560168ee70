//! `fsarena runs`: the runs in the store.

use anyhow::Result;
use fsarena_model::event::Note;
use fsarena_model::{Event, Severity, Status};
use fsarena_place::note;
use fsarena_store::Store;
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
    let rows = places::store_to_read(global)?.runs()?.into_iter();
    let rows = rows.filter(|row| options.tag.as_ref().is_none_or(|tag| row.tags.contains(tag)));
    if options.format == DataFormat::Json {
        return print_json(json!({ "runs": rows.collect::<Vec<_>>() }));
    }
    let rows = rows.map(|row| {
        let status = if row.status == Status::Complete { "complete" } else { "interrupted" };
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

/// Adds events to a run that is not being measured.
fn add(global: &Global, run: &str, events: impl IntoIterator<Item = Event>) -> Result<()> {
    let mut store = Store::open_existing(&places::store_path(global.store.clone())?)?;
    let run = report::number(&store, run)?;
    events.into_iter().try_for_each(|event| Ok(store.append(run, &event)?))
}

fn remove(global: &Global, runs: &[i64]) -> Result<()> {
    let mut store = Store::open_existing(&places::store_path(global.store.clone())?)?;
    for run in runs {
        store.remove(*run)?;
        note!("run {run} is removed");
    }
    Ok(())
}
