//! `fsarena calibrate`: which differences can be detected on this machine, and whether slices agree with whole runs.

mod equals;
mod slices;

use anyhow::Result;
use fsarena_model::{Bytes, Often};

use crate::cli::{Calibrate, Clients, Compare, Global, Shown, Who};
use crate::exit::Ended;

/// Runs one of the two calibrations.
pub fn run(global: &Global, options: &Calibrate) -> Result<Ended> {
    if options.slices { slices::run(global, options) } else { equals::run(global, options) }
}

/// The arguments of `compare` that both calibrations share.
fn comparison(options: &Calibrate, contenders: Vec<String>, lane_size: Bytes) -> Compare {
    Compare {
        contenders,
        matrix: Vec::new(),
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
        storage: Some(options.storage.clone()),
        erase: options.erase.clone(),
        one_at_a_time: false,
        lane_size: Some(lane_size),
        scale: None,
        weights: None,
        profile: None,
        medium: options.medium,
        precondition: false,
        slowdown: Vec::new(),
        guarantee: Vec::new(),
        uncounted: Vec::new(),
        baselines: Some(Often::Never),
        shown: Shown::default(),
        dry_run: false,
        no_wait: false,
        own: Default::default(),
        place: crate::cli::Place {
            on: Vec::new(),
            guest: None,
            guest_kernel: None,
            guest_disk: None,
            guest_memory: Bytes::gib(1),
            clients: Clients::default(),
        },
    }
}
