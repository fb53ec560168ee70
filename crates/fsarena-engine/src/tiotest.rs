//! The engine `tiotest`: a native implementation of the threaded I/O tester (tiobench 0.3.3). Each thread writes and
//! reads its own file, in order and at random, and the time of each call is measured.
//!
//! The wall time of a test ends with the fsync and close of the last thread. These are in no latency of a call. The
//! files get their full size before the first test begins (ftruncate), and contain zeros, as in the original.

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

/// Estimate of the bytes per second of a test, from and to memory. It is used before anything is measured.
const PER_SECOND: f64 = 1e9;
/// Estimate of the bytes per second of a test that flushes each write.
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

    /// It syncs before the tests that read cold files.
    fn syncs_untimed(&self, workload: &Workload) -> bool {
        workload.cache == CacheState::Cold
    }

    /// A file system in memory has no cold files.
    fn has_floor_in_memory(&self, workload: &Workload) -> bool {
        workload.cache == CacheState::Warm
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        Ok(Box::new(Tests::new(workload, &Parameters::of(workload)?, directory, seed)))
    }
}
