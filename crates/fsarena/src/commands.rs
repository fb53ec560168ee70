//! The commands, one file each.

pub mod across;
pub mod bisect;
pub mod calibrate;
mod clean;
mod compare;
pub mod diff;
pub mod doctor;
pub mod durability;
pub mod explain;
pub mod export;
pub mod gate;
pub mod generate;
pub mod guest;
pub mod history;
pub mod import;
pub mod judge;
pub mod list;
pub mod pages;
pub mod report;
pub mod reproduce;
pub mod resume;
pub mod runs;
mod sides;
pub mod validate;

use std::path::Path;

use anyhow::{Context, Result};
use fsarena_place::{Refusal, note};
use fsarena_report::report::{Table, TableLook};
use fsarena_report::{TerminalStyle, visible, visible_lines};
use serde_json::Value;

use crate::cli::{Command, CommandLine, DataFormat};
use crate::exit::Ended;
use crate::signals::stop_flag;
use crate::{output, places};

pub fn run(arguments: &CommandLine) -> Result<Ended> {
    let global = &arguments.global;
    match &arguments.command {
        Command::Compare(options) => compare::run(global, options),
        Command::Reproduce(options) => reproduce::run(global, options),
        Command::Resume(options) => resume::run(global, options),
        Command::Report(options) => report::run(global, options).map(well),
        Command::Explain(options) => explain::run(global, options).map(well),
        Command::Diff(options) => diff::run(global, options).map(well),
        Command::Across(options) => across::run(global, options).map(well),
        Command::Gate(options) => gate::run(global, options),
        Command::Judge(options) => judge::run(global, options).map(well),
        Command::History(options) => history::run(global, options).map(well),
        Command::Runs(options) => runs::run(global, options).map(well),
        Command::Pages(options) => pages::run(global, options).map(well),
        Command::Export(options) => export::run(global, options).map(well),
        Command::Import(options) => import::run(global, options).map(well),
        Command::List(options) => list::run(options).map(well),
        Command::Doctor(options) => doctor::run(global, options).map(well),
        Command::Durability(options) => durability::run(global, options),
        Command::Bisect(options) => bisect::run(global, options),
        Command::Clean => clean::run().map(well),
        Command::Calibrate(options) => calibrate::run(global, options),
        Command::Validate(options) => validate::run(global, options),
        Command::Agent => fsarena_place::agent::serve(&stop_flag()?).map(well),
        Command::Guest(options) => guest::run(options).map(well),
        Command::Generate(options) => generate::run(options).map(well),
    }
}

fn well(_done: ()) -> Ended {
    Ended::Well
}

/// Writes text without colours to stdout, with control characters escaped, so that quoted text cannot control the
/// terminal.
fn print(text: &str) -> Result<()> {
    write(visible_lines(text).as_bytes())
}

/// The number of the JSON forms that are no reports.
const FORMAT: u32 = 1;

/// The format of that name for `what` (`a plan`), which is no report and has text and JSON only.
fn data_format(name: Option<&str>, what: &str) -> Result<DataFormat, Refusal> {
    match name {
        None | Some("text") => Ok(DataFormat::Text),
        Some("json") => Ok(DataFormat::Json),
        Some(other) => Err(Refusal::wrong_use(format!("{what} has no format `{other}`"), "--format text, or json")),
    }
}

/// Prints an object as JSON that is no report, with the number of its form.
fn print_json(mut object: Value) -> Result<()> {
    object["format"] = FORMAT.into();
    write(fsarena_report::json(&object).as_bytes())
}

/// A table as text. On a terminal, or with COLUMNS, long rows are wrapped; otherwise each is a single line.
fn table(
    header: impl IntoIterator<Item = impl Into<String>>,
    rows: impl IntoIterator<Item = impl Into<Vec<String>>>,
) -> String {
    let rows = rows.into_iter().map(|row| row.into().iter().map(|cell| visible(cell).into_owned()).collect());
    let table = Table { look: TableLook::Listing, ..Table::from_rows(header, rows, usize::MAX) };
    let style = TerminalStyle { color: false, width: places::width().unwrap_or(usize::MAX) };
    style.table(&table) + "\n"
}

/// Writes data to stdout. A closed pipe is not an error: `head`, for example, stops reading early.
fn write(data: &[u8]) -> Result<()> {
    use std::io::Write;
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(data).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("write to stdout"),
    }
}

/// Says which format a file has that is named like one of another.
fn note_format(path: &Path, name: &str, usual: &str) {
    if path.extension().is_some_and(|extension| extension != usual) {
        note!("its format is {name}: --format names another");
    }
}

/// Prints data, or writes them to the file.
fn deliver(path: Option<&Path>, data: &[u8]) -> Result<()> {
    let Some(path) = path else { return write(data) };
    output::write(path, data).with_context(|| format!("write {}", path.display()))?;
    note!("{} written", path.display());
    Ok(())
}
