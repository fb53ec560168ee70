//! `fsarena across`: the same comparison on several machines.

use anyhow::Result;
use clap::Args;
use fsarena_analyse::{NamedRun, across};
use fsarena_model::across::MissingMachine;

use super::sides::{self, require_common, require_other, runs};
use crate::cli::{Global, PageArguments};

#[derive(Debug, Args)]
pub struct AcrossArguments {
    /// A machine: its run by number, `last`, or a file of `fsarena export`; several of one machine are separated by
    /// commas
    #[arg(value_name = "RUN", required = true, num_args = 2..)]
    pub machines: Vec<String>,
    #[command(flatten)]
    pub page: PageArguments,
}

pub fn run(global: &Global, options: &AcrossArguments) -> Result<()> {
    let machines: Vec<Vec<NamedRun>> = options.machines.iter().map(|text| runs(global, text)).collect::<Result<_>>()?;
    for (index, machine) in machines.iter().enumerate() {
        machines[..index].iter().try_for_each(|other| require_other(other, machine))?;
    }
    show(global, &options.page, &machines, Vec::new())
}

/// Prints the report on these machines, or writes it to the file.
pub fn show(
    global: &Global,
    page: &PageArguments,
    machines: &[Vec<NamedRun>],
    missing: Vec<MissingMachine>,
) -> Result<()> {
    let across = across(machines, missing);
    require_common(&across.left_out, across.pairs.is_empty())?;
    let report = fsarena_report::across(&across, env!("CARGO_PKG_VERSION"));
    sides::show(global, page, report, &across)
}
