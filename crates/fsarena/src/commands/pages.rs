//! `fsarena pages`: the store as pages for a browser.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use fsarena_analyse::{assess, history};
use fsarena_articles::additions;
use fsarena_model::joined;
use fsarena_place::Refusal;
use fsarena_report::report::ColumnKind::{Figure, Name, Words};
use fsarena_report::report::{List, ListLook, Paragraph, Report, Role, Section, Sentence, TableLook, TableOf};
use fsarena_store::RunRow;

use super::print;
use crate::cli::Global;
use crate::{output, places};

#[derive(Debug, Args)]
pub struct PagesArguments {
    /// The directory of the pages; it is made if it does not exist
    #[arg(value_name = "DIRECTORY")]
    pub directory: PathBuf,
}

/// Writes a page of all runs, one of each run, and one of each workload's history.
pub fn run(global: &Global, options: &PagesArguments) -> Result<()> {
    if options.directory.exists() && !options.directory.is_dir() {
        let text = format!("`{}` is no directory", options.directory.display());
        bail!(Refusal::wrong_use(text, "name a directory; it is made if it does not exist"));
    }
    let (store, folder, version) = (places::store_to_read(global)?, &options.directory, env!("CARGO_PKG_VERSION"));
    let mut rows = store.runs()?;
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
        workloads.push(Sentence::new(Role::Page(page.replace('%', "%25")), name));
    }
    rows.reverse();
    let place = store.path().display().to_string();
    let index = fsarena_report::html(Report {
        facts: vec![place.clone(), format!("fsarena {version}")],
        sections: vec![all_runs(&rows), Section::titled("Histories").with(List::new(ListLook::Columns, workloads))],
        ..Report::new("Runs", place, version)
    });
    write(folder, INDEX, &index)?;
    print(&format!("{}\n", folder.join(INDEX).display()))
}

/// The page that leads to all others.
const INDEX: &str = "index.html";

fn all_runs(rows: &[RunRow]) -> Section {
    let page = |row: &RunRow| Sentence::new(Role::Page(format!("run-{}.html", row.run)), format!("run {}", row.run));
    let table = TableOf::new(TableLook::Full, rows)
        .column(Name, "run", page)
        .column(Words, "started", |row| &row.started)
        .column(Words, "status", RunRow::state)
        .column(Figure, "rounds", |row| row.rounds.to_string())
        .column(Words, "suite or profile", |row| row.suite.clone().unwrap_or_default())
        .column(Words, "contenders", |row| joined(&row.contenders, ", "))
        .column(Words, "tags", |row| row.tags.join(", "))
        .done();
    let none = Sentence::from("There is no run in the store yet:").and(Role::Code, "fsarena compare ext4 xfs btrfs");
    Section::default().with(table).with(Paragraph::plain(if rows.is_empty() { none } else { Sentence::default() }))
}

fn linked(report: Report) -> String {
    fsarena_report::linked(report, &Sentence::new(Role::Page(INDEX.to_owned()), "All runs"))
}

/// Writes a page, unless the file has it already: a tool that copies the directory then finds what is new.
fn write(folder: &Path, name: &str, page: &str) -> Result<()> {
    let path = folder.join(name);
    match fs::read(&path) {
        Ok(known) if known == page.as_bytes() => Ok(()),
        _ => output::write(&path, page.as_bytes()).with_context(|| format!("write {}", path.display())),
    }
}
