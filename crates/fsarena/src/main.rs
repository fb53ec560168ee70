//! fsarena: which file system, with which options, for this work, on this machine?

// Use `note!` and `commands::print` instead: `print!` panics if a write fails, and does not escape control characters.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod cli;
mod commands;
mod exit;
mod formats;
mod output;
mod perform;
mod places;
mod plan;
mod progress;
mod signals;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use clap_complete::CompleteEnv;

use crate::cli::CommandLine;

fn main() -> ExitCode {
    if fsarena_guest::init::is_init() {
        fsarena_guest::init::run(&["agent"]);
    }
    CompleteEnv::with_factory(CommandLine::command).var(cli::COMPLETE).complete();
    let typed: Vec<OsString> = std::env::args_os().collect();
    if let Err(error) = cli::require_words(&typed) {
        return exit::report(&error);
    }
    let arguments = match CommandLine::try_parse_from(typed) {
        Ok(arguments) => arguments,
        Err(error) => return exit::usage(error),
    };
    match commands::run(&arguments) {
        Ok(code) => code.into(),
        Err(error) => exit::report(&error),
    }
}
