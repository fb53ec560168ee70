//! `fsarena diff`: what changed between runs that were not interleaved.

use anyhow::Result;
use clap::Args;
use fsarena_analyse::difference;
use fsarena_model::Label;

use super::sides::{require, require_common, require_other, runs, show};
use crate::cli::{Global, PageArguments, candidates};

#[derive(Debug, Args)]
pub struct Diff {
    /// The first side: runs by number, `last`, or files of `fsarena export`; separated by commas
    #[arg(value_name = "BEFORE", add = candidates::runs())]
    pub before: String,
    /// The second side
    #[arg(value_name = "AFTER", add = candidates::runs())]
    pub after: String,
    /// A contender that did not change: all others relative to it, in the same sweeps
    #[arg(long, value_name = "LABEL")]
    pub control: Option<Label>,
    #[command(flatten)]
    pub page: PageArguments,
}

pub fn run(global: &Global, options: &Diff) -> Result<()> {
    let (before, after, control) = (runs(global, &options.before)?, runs(global, &options.after)?, &options.control);
    require_other(&before, &after)?;
    control.iter().try_for_each(|control| require(before.iter().chain(&after), control))?;
    let difference = difference(&before, &after, control.as_ref());
    require_common(&difference.left_out, difference.changes.is_empty())?;
    let report = fsarena_report::difference(&difference, env!("CARGO_PKG_VERSION"));
    show(global, &options.page, report, &difference)
}
