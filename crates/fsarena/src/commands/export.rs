//! `fsarena export`: a stored run as JSON lines, as an agent writes them.

use anyhow::{Context, Result};
use fsarena_model::{Event, RunRecord};

use super::{report, write};
use crate::agent::Line;
use crate::cli::{Export, Global};
use crate::exit::Ended;
use crate::note::note;
use crate::{output, places};

/// Writes a run to a file, or to stdout.
pub fn run(global: &Global, options: &Export) -> Result<Ended> {
    let store = places::store_to_read(global)?;
    let text = lines(store.load(report::number(&store, &options.run)?)?)?;
    match &options.output {
        None => write(text.as_bytes())?,
        Some(path) => {
            output::write(path, text.as_bytes()).with_context(|| format!("write {}", path.display()))?;
            note!("{} written", path.display());
        }
    }
    Ok(Ended::Well)
}

/// The version, the events and the status, each in a line.
fn lines(record: RunRecord) -> Result<String> {
    let status = record.status;
    let begin = Line::Version(env!("CARGO_PKG_VERSION").to_owned());
    let events = record.into_events().into_iter().map(|event: Event| Line::Event(Box::new(event)));
    let all = [begin].into_iter().chain(events).chain([Line::Ended(Some(status))]);
    all.map(|line| Ok(serde_json::to_string(&line)? + "\n")).collect()
}
