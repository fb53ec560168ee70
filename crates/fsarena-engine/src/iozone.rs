//! The engine `iozone`: the grid of IOzone's automatic mode (`iozone -Racb`), with the same system calls in the same
//! order.
//!
//! A cell is a file of one size in records of one size. Up to thirteen tests run one after the other on the same file.
//! Each test is a step `FILE/RECORD/TEST` (see [`fsarena_model::grid`]). Its time goes from the first record to the end
//! of close(2). As in IOzone, each page that is written begins with a mark and is otherwise zero. Each page that is
//! read is checked for its mark within the timer.

mod cells;
mod job;
mod order;
mod parameters;
mod passes;
mod record;
mod streams;

use std::path::Path;

use fsarena_model::{Bytes, CacheState, DurablePoint, Nanos, Traits, Workload};

use crate::{Engine, EngineError, Job};
use job::Grid;
use parameters::Parameters;

/// Estimate of the bytes per second of a test, including open and close. It is used before anything is measured.
const PER_SECOND: f64 = 3e9;
/// Estimate of the bytes per second of a test with a flush, or of a test that reads from the device.
const PER_SECOND_ON_THE_DEVICE: f64 = 0.8e9;
/// Estimate of the time of a cell in addition to the time for its bytes, with a flush after each test.
const AROUND_A_CELL: Nanos = Nanos::millis(20);

/// The engine `iozone`.
pub struct Iozone;

impl Engine for Iozone {
    fn name(&self) -> &'static str {
        "iozone"
    }

    /// It syncs before each of its tests. A file system in memory has no cold files.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        let parameters = Parameters::of(workload)?;
        let (cells, tests) = (parameters.cells(), parameters.tests().len() as f64);
        let is_slow = workload.durable != DurablePoint::None || workload.cache == CacheState::Cold;
        let rate = if is_slow { PER_SECOND_ON_THE_DEVICE } else { PER_SECOND };
        let bytes: f64 = cells.iter().map(|cell| cell.file as f64).sum();
        let around = if is_slow { AROUND_A_CELL.0 * cells.len() as u64 } else { 0 };
        Ok(Traits {
            peak: Bytes(cells.iter().map(|cell| cell.file).max().unwrap_or(0)),
            extra_time: Nanos((bytes * tests / rate * 1e9) as u64 + around),
            runs_in_memory: workload.cache == CacheState::Warm,
            syncs_untimed: true,
            verifies_cold: true,
            ..Traits::default()
        })
    }

    fn open(&self, workload: &Workload, directory: &Path, _seed: u64) -> Result<Box<dyn Job>, EngineError> {
        Ok(Box::new(Grid::new(workload, &Parameters::of(workload)?, directory)))
    }
}
