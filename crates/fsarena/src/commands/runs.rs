//! `fsarena runs`: the runs in the store.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use fsarena_model::event::Note;
use fsarena_model::{Event, Severity, joined};
use fsarena_place::{Refusal, note};
use fsarena_store::{RunRow, Store};
use serde_json::json;

use super::{print, print_json, report, table};
use crate::cli::{DataFormat, Global, candidates};
use crate::places;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct RunsArguments {
    /// What to change [default: list the runs]
    #[command(subcommand)]
    pub change: Option<RunsChange>,
    /// Only runs with this tag
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// How to write it down
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: DataFormat,
}

/// What can be done with stored runs.
#[derive(Debug, Subcommand)]
pub enum RunsChange {
    /// Give a run tags
    Tag(RunTags),
    /// Take tags away
    Untag(RunTags),
    /// Add a note to a run; its report shows it
    Note {
        /// The run's number, or `last`
        #[arg(value_name = "RUN", add = candidates::runs())]
        run: String,
        /// The note
        #[arg(value_name = "TEXT")]
        text: String,
    },
    /// Remove runs from the store, permanently
    Remove {
        /// The runs' numbers, or `last`
        #[arg(value_name = "RUN", required = true, add = candidates::runs())]
        runs: Vec<String>,
    },
}

/// A run and its tags.
#[derive(Debug, Args)]
pub struct RunTags {
    /// The run's number, or `last`
    #[arg(value_name = "RUN", add = candidates::runs())]
    pub run: String,
    /// Tags of letters, digits, `.`, `_` and `-`
    #[arg(value_name = "TAG", required = true, value_parser = tag)]
    pub tags: Vec<String>,
}

fn tag(text: &str) -> Result<String, String> {
    let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    if is_plain { Ok(text.to_owned()) } else { Err("only letters, digits, `.`, `_` and `-`".to_owned()) }
}

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
        [
            row.run.to_string(),
            row.started.clone(),
            row.state().to_owned(),
            row.rounds.to_string(),
            row.suite.clone().unwrap_or_else(|| "–".to_owned()),
            joined(&row.contenders, " "),
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
        let hint = if tags.is_empty() { give } else { format!("the tags are {}; {give}", joined(tags, ", ")) };
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
        let text = format!("run {run} is still being measured");
        bail!(Refusal::wrong_use(text, "Ctrl-C ends it; `fsarena runs` lists it"));
    }
    for run in runs {
        store.remove(run)?;
        note!("run {run} is removed");
    }
    Ok(())
}
