//! `fsarena across`: the same comparison on several machines.

use std::path::PathBuf;

use anyhow::Result;
use fsarena_analyse::{NamedRun, across};
use fsarena_model::across::MissingMachine;

use super::sides::{deliver, rendered, require_common, require_other, runs};
use crate::cli::{Across, Global, PageFormat};
use crate::exit::Ended;

/// How the report is written, and where.
pub struct Page {
    /// The format.
    pub format: PageFormat,
    /// The file; `None`: stdout.
    pub output: Option<PathBuf>,
}

/// Compares stored runs of several machines.
pub fn run(global: &Global, options: &Across) -> Result<Ended> {
    let machines: Vec<Vec<NamedRun>> = options.machines.iter().map(|text| runs(global, text)).collect::<Result<_>>()?;
    for (index, machine) in machines.iter().enumerate() {
        machines[..index].iter().try_for_each(|other| require_other(other, machine))?;
    }
    let page = Page { format: options.format, output: options.output.clone() };
    show(global, &page, &machines, Vec::new())?;
    Ok(Ended::Well)
}

/// Prints the report on these machines, or writes it to the file.
pub fn show(global: &Global, page: &Page, machines: &[Vec<NamedRun>], missing: Vec<MissingMachine>) -> Result<()> {
    let across = across(machines, missing);
    require_common(&across.left_out, across.pairs.is_empty())?;
    let report = fsarena_report::across(&across, env!("CARGO_PKG_VERSION"));
    let output = page.output.as_deref();
    deliver(output, &rendered(global, page.format, report, &across, output.is_some()))
}
