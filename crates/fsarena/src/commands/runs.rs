//! `fsarena runs`: the runs in the store.

use anyhow::Result;
use fsarena_model::Status;

use super::{print, table};
use crate::cli::Global;
use crate::exit::Ended;
use crate::places;

/// Lists the runs, oldest first.
pub fn run(global: &Global) -> Result<Ended> {
    let rows = places::store_to_read(global)?.runs()?.into_iter().map(|row| {
        let status = if row.status == Status::Complete { "complete" } else { "interrupted" };
        let labels: Vec<String> = row.contenders.iter().map(ToString::to_string).collect();
        [
            row.run.to_string(),
            row.started,
            status.to_owned(),
            row.rounds.to_string(),
            row.suite.unwrap_or_else(|| "–".to_owned()),
            labels.join(" "),
        ]
    });
    print(&table(["run", "started", "status", "rounds", "suite", "contenders"], rows))?;
    Ok(Ended::Well)
}
