//! `fsarena runs`: what is in the store.

use anyhow::Result;
use comfy_table::{Table, presets};
use fsarena_model::Status;

use super::print;
use crate::cli::Global;
use crate::exit::Ended;
use crate::places;

/// Lists the runs, the latest last.
pub fn run(global: &Global) -> Result<Ended> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["run", "started", "status", "rounds", "suite", "contenders"]);
    for row in places::store(global)?.runs()? {
        let status = if row.status == Status::Complete { "complete" } else { "interrupted" };
        let labels: Vec<String> = row.contenders.iter().map(ToString::to_string).collect();
        table.add_row([
            row.run.to_string(),
            row.started,
            status.to_owned(),
            row.rounds.to_string(),
            row.suite.unwrap_or_else(|| "–".to_owned()),
            labels.join(" "),
        ]);
    }
    print(&format!("{}\n", table.trim_fmt()))?;
    Ok(Ended::Well)
}
