//! fsarena: which file system, with which options, for this work, on this machine?

mod cli;
mod commands;
mod exit;
mod ladder;
mod listen;
mod perform;
mod places;
mod plan;
mod progress;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = cli::Arguments::parse();
    match commands::run(&arguments) {
        Ok(code) => code.into(),
        Err(error) => exit::report(&error),
    }
}
