//! `fsarena calibrate`: which differences can be detected on this machine, and whether slices agree with whole runs.

mod equals;
mod slices;

use anyhow::{Context, Result};
use clap::Parser;
use fsarena_model::{Bytes, Often};

use crate::cli::{Calibrate, Compare, Global, Setup, WorkArguments};
use crate::exit::Ended;

/// Runs one of the two calibrations.
pub fn run(global: &Global, options: &Calibrate) -> Result<Ended> {
    if options.slices { slices::run(global, options) } else { equals::run(global, options) }
}

/// The arguments of `compare` that both calibrations share.
fn comparison(options: &Calibrate, contenders: Vec<String>, lane_size: Bytes) -> Result<Compare> {
    let words = ["compare", "--"].map(str::to_owned).into_iter().chain(contenders);
    let usual = Compare::try_parse_from(words).context("the comparison")?;
    Ok(Compare {
        work: WorkArguments { suite: options.suite.clone(), workload: options.workload.clone(), ..usual.work },
        baselines: Some(Often::Never),
        setup: Setup {
            margin: options.margin,
            storage: Some(options.storage.clone()),
            erase: options.erase.clone(),
            lane_size: Some(lane_size),
            medium: options.medium,
            ..usual.setup
        },
        ..usual
    })
}
