//! `fsarena calibrate`: which differences can be detected on this machine, and whether slices agree with whole runs.

mod equals;
mod slices;

use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use clap::Parser;
use fsarena_execute::Assignment;
use fsarena_model::{Bytes, Often, Plan, RunRecord};
use fsarena_place::{End, Place};

use crate::cli::{Calibrate, Compare, Global, Setup, WorkArguments};
use crate::exit::Ended;
use crate::perform::perform;

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

/// Carries out a plan, which has notes, on this machine; `None` if that was interrupted.
fn measured(
    global: &Global,
    options: &Calibrate,
    (plan, notes): (Plan, Vec<String>),
    stop: &AtomicBool,
) -> Result<Option<RunRecord>> {
    let assignment = Assignment { erase: options.erase.clone(), ..Assignment::new(plan, notes) };
    let done = perform(global, assignment, &Place::Here, stop)?;
    Ok(done.filter(|(_, end)| *end == End::Complete).map(|(record, _)| record))
}
