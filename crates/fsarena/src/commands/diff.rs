//! `fsarena diff`: what changed between runs that were not interleaved.

use anyhow::Result;
use fsarena_analyse::difference;

use super::sides::{require, require_common, require_other, runs, show};
use crate::cli::{Diff, Global};

pub fn run(global: &Global, options: &Diff) -> Result<()> {
    let (before, after, control) = (runs(global, &options.before)?, runs(global, &options.after)?, &options.control);
    require_other(&before, &after)?;
    control.iter().try_for_each(|control| require(before.iter().chain(&after), control))?;
    let difference = difference(&before, &after, control.as_ref());
    require_common(&difference.left_out, difference.changes.is_empty())?;
    let report = fsarena_report::difference(&difference, env!("CARGO_PKG_VERSION"));
    show(global, &options.page, report, &difference)
}
