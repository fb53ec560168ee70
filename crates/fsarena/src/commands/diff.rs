//! `fsarena diff`: what changed between runs that were not interleaved.

use anyhow::Result;
use fsarena_analyse::difference;

use super::sides::{deliver, rendered, require, require_common, require_other, runs};
use crate::cli::{Diff, Global, label};
use crate::exit::Ended;

/// Compares two sides.
pub fn run(global: &Global, options: &Diff) -> Result<Ended> {
    let (before, after) = (runs(global, &options.before)?, runs(global, &options.after)?);
    require_other(&before, &after)?;
    let control = label(options.control.as_ref());
    if let Some(control) = &control {
        require(before.iter().chain(&after), control)?;
    }
    let difference = difference(&before, &after, control.as_ref());
    require_common(&difference.left_out, difference.changes.is_empty())?;
    let report = fsarena_report::difference(&difference, env!("CARGO_PKG_VERSION"));
    let output = options.output.as_deref();
    deliver(output, &rendered(global, options.format, report, &difference, output.is_some()))?;
    Ok(Ended::Well)
}
