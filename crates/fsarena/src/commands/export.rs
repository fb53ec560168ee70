//! `fsarena export`: a stored run as JSON lines, as an agent writes them.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use fsarena_place::agent::Line;
use fsarena_store::Store;

use super::{deliver, report};
use crate::cli::{Global, candidates};
use crate::places;

#[derive(Debug, Args)]
pub struct Export {
    /// The run's number, or `last`
    #[arg(value_name = "RUN", default_value = "last", add = candidates::runs())]
    pub run: String,
    /// Into this file instead of stdout
    #[arg(short, long, value_name = "FILE", value_parser = crate::output::named())]
    pub output: Option<PathBuf>,
}

pub fn run(global: &Global, options: &Export) -> Result<()> {
    let store = places::store_to_read(global)?;
    let text = lines(&store, report::number(&store, &options.run)?)?;
    deliver(options.output.as_deref(), text.as_bytes())
}

/// The version, the stored events and the status, each in a line. A run that cannot be loaded is not written.
fn lines(store: &Store, run: i64) -> Result<String> {
    let status = store.load(run)?.status;
    let version = serde_json::to_string(&Line::Version(env!("CARGO_PKG_VERSION").to_owned()))?;
    let events = store.lines(run)?.into_iter().map(|event| format!("{{\"event\":{event}}}"));
    let ended = serde_json::to_string(&Line::Ended(status.into()))?;
    Ok([version].into_iter().chain(events).chain([ended, String::new()]).collect::<Vec<_>>().join("\n"))
}
