//! fsarena: which file system, with which options, for this work, on this machine?

// Use `note!` and `commands::print` instead: `print!` panics if a write fails, and does not escape control characters.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod agent;
#[cfg(test)]
mod architecture;
mod calls;
mod cli;
mod clients;
mod commands;
mod deploy;
mod durability;
mod engines;
mod exit;
mod formats;
mod guest;
mod held;
mod listen;
mod note;
mod open_loops;
mod output;
mod perform;
mod places;
mod plan;
mod progress;
mod serve;
mod signals;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    if fsarena_guest::init::is_init() {
        fsarena_guest::init::run(&["agent"]);
    }
    let arguments = match cli::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit::usage(&error),
    };
    match commands::run(&arguments) {
        Ok(code) => code.into(),
        Err(error) => exit::report(&error),
    }
}
