//! The commands, one to a file.

mod calibrate;
mod clean;
mod compare;
mod doctor;
mod list;
mod report;
mod reproduce;
mod resume;
mod runs;

use anyhow::Result;

use crate::cli::{Arguments, Command};
use crate::exit::Ended;

pub use clean::tell as tell_cleared;

/// Does what was asked.
pub fn run(arguments: &Arguments) -> Result<Ended> {
    let global = &arguments.global;
    match &arguments.command {
        Command::Compare(options) => compare::run(global, options),
        Command::Reproduce(options) => reproduce::run(global, options),
        Command::Resume(options) => resume::run(global, options),
        Command::Report(options) => report::run(global, options),
        Command::Runs => runs::run(global),
        Command::List(options) => list::run(options),
        Command::Doctor(options) => doctor::run(global, options),
        Command::Clean => clean::run(),
        Command::Calibrate(options) => calibrate::run(global, options),
    }
}

/// Writes text to stdout.
fn print(text: &str) -> Result<()> {
    write(text.as_bytes())
}

/// Writes data to stdout; whoever stops reading early, as `head` does, is no error.
fn write(data: &[u8]) -> Result<()> {
    use std::io::Write;
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(data).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}
