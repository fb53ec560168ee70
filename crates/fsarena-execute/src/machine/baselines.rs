//! The places of baselines, and the work that is possible there.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Job, Upkeep, starts_job};
use fsarena_model::{BaselineKind, Bytes, Workload};

use super::{Machine, io};
use crate::Result;

/// Maximum share of the available memory that a baseline may fill.
const SHARE_OF_MEMORY: f64 = 0.5;

/// Number of program starts that suffices to measure the time of one; workloads may have tens of thousands.
const ENOUGH_STARTS: u64 = 2000;

/// Whether the workload has a baseline in memory, and fits there.
pub fn fits_in_memory(workload: &Workload) -> bool {
    let free = fsarena_sys::memory::available().unwrap_or_default();
    workload.traits.runs_in_memory && workload.traits.peak.0 as f64 <= free.0 as f64 * SHARE_OF_MEMORY
}

impl Machine {
    /// Opens a baseline on the bare device, or a baseline of program starts.
    pub(super) fn open_without_a_file_system(
        &self,
        place: BaselineKind,
        workload: &Workload,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Box<dyn Job>> {
        let job = match place {
            BaselineKind::Device => {
                self.lane_set.rewrite_calibration_device(workload.traits.peak)?;
                self.on_device(workload, seed)?
            }
            BaselineKind::Memory | BaselineKind::Start => starts(workload),
        };
        let mut job = job.ok_or_else(|| io(format!("do it at the place `{place}`"))(ErrorKind::Unsupported.into()))?;
        job.upkeep(Upkeep::Prepare, stop)?;
        Ok(job)
    }

    /// The workload on the calibration device; `None` without a calibration device, or if the workload cannot run
    /// there.
    pub(super) fn on_device(&self, workload: &Workload, seed: u64) -> Result<Option<Box<dyn Job>>> {
        let Some((device, size)) = self.lane_set.calibration_device()? else { return Ok(None) };
        Ok(self.engines.of(workload)?.open_on_device(workload, &device, size, seed)?)
    }
}

/// The workload's program starts, at most `ENOUGH_STARTS`; `None` if the workload starts no programs.
pub fn starts(workload: &Workload) -> Option<Box<dyn Job>> {
    workload.traits.starts.map(|starts| starts_job(starts.min(ENOUGH_STARTS)))
}

/// Bytes of all files below a folder, as applications see them.
pub fn logical(folder: PathBuf) -> Option<Bytes> {
    let mut sum = 0;
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).ok()? {
            let entry = entry.ok()?;
            let found = entry.metadata().ok()?;
            if found.is_dir() {
                folders.push(entry.path());
            } else if found.is_file() {
                sum += found.len();
            }
        }
    }
    Some(Bytes(sum))
}
