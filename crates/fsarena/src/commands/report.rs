//! `fsarena report`: a run again, in any format.

use std::fs::File;
use std::io::Write;

use anyhow::{Context, Result};
use fsarena_session::assess;
use fsarena_store::Store;

use super::print;
use crate::cli::{Global, Report};
use crate::exit::{Ended, Refusal};
use crate::places;

/// Prints a run, or writes it into a file.
pub fn run(global: &Global, options: &Report) -> Result<Ended> {
    let store = places::store(global)?;
    let comparison = assess(&store.load(number(&store, &options.run)?)?);
    let format = fsarena_report::format(&options.format).context("clap lets only known formats pass")?;
    match &options.output {
        None if format.name == "text" => print(&fsarena_report::text(&comparison, places::style(global)))?,
        None => print(&(format.render)(&comparison))?,
        Some(path) => {
            let text = (format.render)(&comparison);
            let written = File::create(path).and_then(|mut file| file.write_all(text.as_bytes()));
            written.with_context(|| format!("write {}", path.display()))?;
            eprintln!("{} written", path.display());
        }
    }
    Ok(Ended::Well)
}

/// The number of a run, as it was typed.
pub fn number(store: &Store, run: &str) -> Result<i64> {
    if run == "last" {
        let hint = "fsarena compare ext4 xfs btrfs";
        return store.last()?.ok_or_else(|| Refusal::wrong_use("there is no run in the store yet", hint).into());
    }
    run.parse().map_err(|_| {
        Refusal::wrong_use(format!("`{run}` is not a run's number"), "`fsarena runs` lists them; `last` is the last")
            .into()
    })
}
