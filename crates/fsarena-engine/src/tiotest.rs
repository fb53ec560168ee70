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

use fsarena_model::{Bytes, CacheState, DurablePoint, Nanos, Traits, Workload};
use std::path::Path;

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

    /// It syncs before the tests that read cold files. A file system in memory has no cold files.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        let all = Parameters::of(workload)?.all();
        let rate = if workload.durable == DurablePoint::None { PER_SECOND } else { PER_SECOND_FLUSHED };
        Ok(Traits {
            peak: Bytes(all),
            extra_time: Nanos((all as f64 / rate * 1e9) as u64),
            runs_in_memory: workload.cache == CacheState::Warm,
            syncs_untimed: workload.cache == CacheState::Cold,
            verifies_cold: true,
            ..Traits::default()
        })
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        Ok(Box::new(Tests::new(workload, &Parameters::of(workload)?, directory, seed)))
    }
}
