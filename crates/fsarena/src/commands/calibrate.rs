//! `fsarena calibrate`: what can be told apart on this machine, and whether slices tell what whole runs tell.

mod equals;
mod slices;

use anyhow::Result;
use fsarena_model::{Bytes, Often};

use crate::cli::{Calibrate, Compare, Global, Who};
use crate::exit::Ended;

/// One of the two.
pub fn run(global: &Global, options: &Calibrate) -> Result<Ended> {
    if options.slices { slices::run(global, options) } else { equals::run(global, options) }
}

/// What would have to be typed for `compare`, as far as the two have it in common.
fn comparison(options: &Calibrate, contenders: Vec<String>, lane_size: Bytes) -> Compare {
    Compare {
        contenders,
        extra: false,
        suite: options.suite.clone(),
        workload: options.workload.clone(),
        rate: Vec::new(),
        cache: None,
        fio: Vec::new(),
        engine: Who::Native,
        rounds: None,
        budget: None,
        margin: options.margin,
        seed: None,
        storage: options.storage.clone(),
        erase: options.erase.clone(),
        one_at_a_time: false,
        lane_size: Some(lane_size),
        scale: None,
        weights: None,
        medium: options.medium,
        precondition: false,
        handicap: Vec::new(),
        unprobed: Vec::new(),
        beside: Some(Often::Never),
        dry_run: false,
        no_wait: false,
    }
}
