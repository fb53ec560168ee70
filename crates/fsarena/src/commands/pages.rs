//! `fsarena pages`: the store as pages for a browser.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use fsarena_analyse::{assess, history};
use fsarena_articles::additions;
use fsarena_model::Status;
use fsarena_report::report::Report;
use fsarena_report::{Link, RunLine, Runs};
use fsarena_store::RunRow;

use super::print;
use crate::cli::{Global, PagesArguments};
use crate::{output, places};

/// Writes a page of all runs, one of each run, and one of each workload's history.
pub fn run(global: &Global, options: &PagesArguments) -> Result<()> {
    let (store, folder, version) = (places::store_to_read(global)?, &options.directory, env!("CARGO_PKG_VERSION"));
    let rows = store.runs()?;
    let records = rows.iter().map(|row| store.load(row.run)).collect::<Result<Vec<_>, _>>()?;
    fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    for record in &records {
        let comparison = assess(record);
        let report = fsarena_report::comparison(&comparison, additions(record, &comparison)?);
        write(folder, &format!("run-{}.html", record.run), &linked(report))?;
    }
    let mut workloads = Vec::new();
    for name in store.workloads()? {
        let Some(history) = history(&records, &name) else { continue };
        let page = format!("history-{name}.html");
        write(folder, &page, &linked(fsarena_report::history(&history, version)))?;
        workloads.push(Link { address: page.replace('%', "%25"), text: name });
    }
    let index = fsarena_report::runs(&Runs {
        title: "Runs".to_owned(),
        store: store.path().display().to_string(),
        version: version.to_owned(),
        runs: rows.into_iter().rev().map(line).collect(),
        workloads,
    });
    write(folder, INDEX, &index)?;
    print(&format!("{}\n", folder.join(INDEX).display()))
}

/// The page that leads to all others.
const INDEX: &str = "index.html";

fn line(row: RunRow) -> RunLine {
    let labels: Vec<&str> = row.contenders.iter().map(|label| label.0.as_str()).collect();
    RunLine {
        run: row.run,
        started: row.started,
        status: if row.status == Status::Complete { "complete" } else { "interrupted" }.to_owned(),
        rounds: row.rounds,
        work: row.suite.unwrap_or_default(),
        contenders: labels.join(", "),
        tags: row.tags.join(", "),
    }
}

fn linked(report: Report) -> String {
    fsarena_report::linked(report, &[Link { address: INDEX.to_owned(), text: "All runs".to_owned() }])
}

/// Writes a page, unless the file has it already: a tool that copies the directory then finds what is new.
fn write(folder: &Path, name: &str, page: &str) -> Result<()> {
    let path = folder.join(name);
    match fs::read(&path) {
        Ok(known) if known == page.as_bytes() => Ok(()),
        _ => output::write(&path, page.as_bytes()).with_context(|| format!("write {}", path.display())),
    }
}
