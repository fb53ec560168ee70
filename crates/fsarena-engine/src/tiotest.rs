//! The engine `tiotest`: the threaded I/O tester (tiobench 0.3.3), natively: threads that each write and read a file of their own, in
//! order and at random, and how long each of these calls takes.
//!
//! A test's wall time ends with the fsync and close of the last thread; these are in no latency. The files are as large as they will be
//! before the first test begins (ftruncate), and full of zeros, as in the original.

mod job;
mod parameters;
mod test;
#[cfg(test)]
mod tests;
mod worker;

use std::path::Path;

use fsarena_model::{Bytes, CacheState, DurablePoint, Nanos, Workload};

use crate::{Engine, EngineError, Job};
use job::Tests;
use parameters::Parameters;

/// About how many bytes a second a test moves, from and to memory: for estimates before anything was measured.
const PER_SECOND: f64 = 1e9;
/// The same where each write is flushed.
const PER_SECOND_FLUSHED: f64 = 40e6;

/// The engine `tiotest`.
pub struct Tiotest;

impl Engine for Tiotest {
    fn name(&self) -> &'static str {
        "tiotest"
    }

    fn demand(&self, workload: &Workload) -> Result<Bytes, EngineError> {
        Ok(Bytes(Parameters::of(workload)?.all()))
    }

    fn adds(&self, workload: &Workload) -> Nanos {
        let Ok(parameters) = Parameters::of(workload) else { return Nanos(0) };
        let rate = if workload.durable == DurablePoint::None { PER_SECOND } else { PER_SECOND_FLUSHED };
        Nanos((parameters.all() as f64 / rate * 1e9) as u64)
    }

    /// Before the tests that read cold.
    fn syncs_untimed(&self, workload: &Workload) -> bool {
        workload.cache == CacheState::Cold
    }

    /// In memory nothing can be read from elsewhere.
    fn has_floor_in_memory(&self, workload: &Workload) -> bool {
        workload.cache == CacheState::Warm
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        Ok(Box::new(Tests::new(workload, &Parameters::of(workload)?, directory, seed)))
    }
}
