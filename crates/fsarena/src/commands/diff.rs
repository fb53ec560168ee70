//! `fsarena diff`: what changed between runs that were not interleaved.

use anyhow::Result;
use fsarena_model::{Difference, Label};

use super::sides::{require, require_common, require_other, runs, show};
use crate::cli::{Diff, Global, label};
use crate::exit::Ended;

/// Compares two sides.
pub fn run(global: &Global, options: &Diff) -> Result<Ended> {
    let control = label(options.control.as_ref());
    let difference = difference(global, &options.before, &options.after, control.as_ref())?;
    let report = fsarena_report::difference(&difference, env!("CARGO_PKG_VERSION"));
    show(global, &options.page, report, &difference)?;
    Ok(Ended::Well)
}

/// What changed between two sides, each of which names runs or files.
fn difference(global: &Global, before: &str, after: &str, control: Option<&Label>) -> Result<Difference> {
    let (before, after) = (runs(global, before)?, runs(global, after)?);
    require_other(&before, &after)?;
    if let Some(control) = control {
        require(before.iter().chain(&after), control)?;
    }
    let difference = fsarena_analyse::difference(&before, &after, control);
    require_common(&difference.left_out, difference.changes.is_empty())?;
    Ok(difference)
}
