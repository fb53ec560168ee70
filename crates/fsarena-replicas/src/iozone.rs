//! The engine `iozone`: the grid of IOzone's automatic mode (`iozone -Racb`), with the same system calls in the same
//! order.
//!
//! A cell is a file of one size in records of one size. Up to thirteen tests run one after the other on the same file.
//! Each test is a step `FILE/RECORD/TEST` (see [`fsarena_articles::grid`]). Its time goes from the first record to the end
//! of close(2). As in IOzone, each page that is written begins with a mark and is otherwise zero. Each page that is
//! read is checked for its mark within the timer.

mod grid;
mod passes;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::{fs, io};

use fsarena_articles::{GridPoint, GridTest};
use fsarena_model::{Bytes, CacheState, DurablePoint, Nanos, Traits, Workload};

use fsarena_engine::folder::{self, make_cold};
use fsarena_engine::{Engine, EngineError, Job, Limit, NextRun, Operation, RunStats};
use fsarena_sys::{AlignedBuffer, clock};
use grid::{GridCell, IozoneParameters, order};
use passes::{Care, Passes, Timed};

/// Estimate of the bytes per second of a test, including open and close. It is used before anything is measured.
const PER_SECOND: f64 = 3e9;
/// Estimate of the bytes per second of a test with a flush, or of a test that reads from the device.
const PER_SECOND_ON_THE_DEVICE: f64 = 0.8e9;
/// Estimate of the time of a cell in addition to the time for its bytes, with a flush after each test.
const AROUND_A_CELL: Nanos = Nanos::millis(20);

pub const ENGINE: Engine = Engine::new("iozone", traits, open);

/// It syncs before each of its tests. A file system in memory has no cold files.
fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    let parameters = IozoneParameters::of(workload)?;
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

fn open(workload: &Workload, directory: &Path, _seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let parameters = IozoneParameters::of(workload)?;
    let cells = parameters.cells();
    let largest = cells.iter().map(|cell| cell.record).max().expect("parameters without a cell are refused");
    Ok(Box::new(GridFiles {
        tests: parameters.tests(),
        directory: directory.to_owned(),
        path: directory.join("iozone.tmp"),
        care: Care { flush: workload.durable == DurablePoint::Fsync, cold: workload.cache == CacheState::Cold },
        record: Record::new(largest as usize),
        cells,
    }))
}

struct GridFiles {
    cells: Vec<GridCell>,
    tests: Vec<GridTest>,
    directory: PathBuf,
    path: PathBuf,
    care: Care,
    record: Record,
}

impl GridFiles {
    /// Runs all tests of a cell. `write` runs even if the workload does not ask for it, because the other tests need
    /// its file.
    fn cell(&mut self, cell: GridCell, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        folder::sync(folder::open(&self.directory)?)?;
        self.record.length = cell.record as usize;
        let is_random = self.tests.iter().any(|test| matches!(test, GridTest::RandomRead | GridTest::RandomWrite));
        let order = if is_random { order(cell.records()) } else { Vec::new() };
        let Self { path, care, record, .. } = self;
        let mut passes = Passes { path, cell, record, care: *care, order, stop: limit.stop };
        for test in GridTest::all() {
            let is_wanted = self.tests.contains(&test);
            if limit.stop.load(Ordering::Relaxed) {
                break;
            }
            if is_wanted || test == GridTest::Write {
                let step = GridPoint { file_kib: cell.file >> 10, record_kib: cell.record >> 10, test };
                if passes.care.cold && !test.writes() {
                    make_cold(passes.path, passes.cell.file)?;
                }
                let begin = clock::now();
                let timed = passes.run(test).map_err(EngineError::io(step.to_string()))?;
                // A test that was stopped has a time, but it is not that of the whole test.
                if is_wanted && !passes.is_stopped() {
                    stats.spans.push((begin, clock::now()));
                    count(stats, step, cell, timed);
                }
            }
        }
        fs::remove_file(&self.path).map_err(EngineError::io("unlink the file of a cell"))
    }
}

fn count(stats: &mut RunStats, step: GridPoint, cell: GridCell, timed: Timed) {
    stats.count_done(cell.records(), cell.file);
    stats.elapsed = stats.elapsed + timed.elapsed;
    timed.flush.iter().for_each(|flush| stats.record(Operation::Fsync, *flush));
    stats.add_step(&step.to_string(), cell.records(), cell.file, timed.elapsed);
}

impl Job for GridFiles {
    fn next_run(&self) -> NextRun {
        NextRun { fills: Bytes(self.cells.iter().map(|cell| cell.file).max().unwrap_or(0)), ..NextRun::default() }
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        for cell in self.cells.clone() {
            if limit.stop.load(Ordering::Relaxed) {
                break;
            }
            self.cell(cell, limit, stats)?;
        }
        stats.end_part(stats.elapsed);
        Ok(())
    }
}

/// The page size that IOzone assumes.
const PAGE: usize = 4096;
/// The mark. That of IOzone depends on its version.
const MARK: [u8; 8] = [0xA5; 8];
/// The size of a cache line that IOzone assumes.
const LINE: usize = 32;

/// The buffer that all tests use, with marks at the beginning of each page.
struct Record {
    buffer: AlignedBuffer,
    /// Bytes of the records that are used now.
    length: usize,
}

impl Record {
    /// A buffer for records up to `largest` bytes, all of it in memory.
    fn new(largest: usize) -> Self {
        let mut record = Self { buffer: AlignedBuffer::new(largest), length: largest };
        record.mark();
        record
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    #[inline]
    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[..self.length]
    }

    fn mark(&mut self) {
        self.bytes_mut().chunks_mut(PAGE).for_each(|page| page[..MARK.len()].copy_from_slice(&MARK));
    }

    #[inline]
    fn check(&self) -> io::Result<()> {
        let is_marked = self.bytes().chunks(PAGE).all(|page| page[..MARK.len()] == MARK);
        if is_marked { Ok(()) } else { Err(unmarked()) }
    }

    /// Brings the record into the processor's cache.
    fn fetch(&self) {
        for byte in self.bytes().iter().step_by(LINE) {
            black_box(*byte);
        }
    }
}

#[cold]
fn unmarked() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "what was read is not what was written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_page_is_found() {
        let mut record = Record::new(16 << 10);
        assert!(record.check().is_ok());
        record.bytes_mut()[8192] = 0;
        assert!(record.check().is_err());
        record.length = 1024;
        assert!(record.check().is_ok() && record.bytes().len() == 1024);
        record.length = 16 << 10;
        record.mark();
        assert!(record.check().is_ok());
    }
}
