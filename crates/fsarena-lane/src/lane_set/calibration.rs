//! The calibration device, which holds no contender: measurements of the bare device use it.

use std::path::PathBuf;

use fsarena_model::{Bytes, FlushAfter, LaneCost, RepeatedReads};
use fsarena_sys::loopdev::FileExtent;

use super::LaneSet;
use crate::lane::Lane;
use crate::{LaneError, cost, flush, image, reread, storage};

impl LaneSet {
    /// The calibration device; if all contenders use one lane in turn, that lane while no contender is on it.
    pub(super) fn free_lane(&self) -> Option<&Lane> {
        let is_free = || self.mounted.iter().all(Option::is_none);
        self.calibration_device
            .as_ref()
            .or_else(|| self.lanes.first().filter(|_| !self.plan.lanes.shared.is_own() && is_free()))
    }

    /// The calibration device and its size; `None` without lanes.
    ///
    /// # Errors
    /// If the size cannot be read from sysfs.
    pub fn calibration_device(&self) -> Result<Option<(PathBuf, Bytes)>, LaneError> {
        self.free_lane().map(|lane| Ok((lane.path(), lane.size()?))).transpose()
    }

    /// Measures what a write and flush costs on the calibration device, with the writes of `effort`; `None` without
    /// lanes.
    ///
    /// # Errors
    /// If I/O on the lane fails.
    pub fn lane_cost(&self, effort: cost::Effort) -> Result<Option<LaneCost>, LaneError> {
        let Some(device) = self.free_lane() else { return Ok(None) };
        let host = storage::beneath(&self.plan, &self.folder);
        cost::measure(&device.path(), device.size()?, &host, self.plan.seed, effort).map(Some)
    }

    /// Measures how long a flush of the calibration device takes after writes of several amounts; empty without lanes.
    ///
    /// # Errors
    /// If I/O on the lane fails.
    pub fn flushes(&self) -> Result<Vec<FlushAfter>, LaneError> {
        let Some(device) = self.free_lane() else { return Ok(Vec::new()) };
        flush::measure(&device.path(), device.size()?, self.plan.seed, flush::TIME)
    }

    /// Measures fresh and repeated reads of the calibration device; `None` without lanes, or if the lane is too small.
    ///
    /// The lane was written in full when it was made, so even the data of fresh reads may be in a cache of the host.
    ///
    /// # Errors
    /// If I/O on the lane fails.
    pub fn repeated_reads(&self) -> Result<Option<RepeatedReads>, LaneError> {
        let Some(device) = self.free_lane() else { return Ok(None) };
        reread::repeated_reads(&device.path(), device.size()?, self.plan.seed, reread::TIME)
    }

    /// Writes the first `size` bytes of the calibration device again, so that layers below it treat them like files
    /// that were just written.
    ///
    /// # Errors
    /// If I/O on the lane fails.
    pub fn rewrite_calibration_device(&self, size: Bytes) -> Result<(), LaneError> {
        let Some((path, whole)) = self.calibration_device()? else { return Ok(()) };
        let device = cost::open_direct(&path);
        let extent = FileExtent { offset: 0, size: size.0.min(whole.0) };
        let written = device.and_then(|device| image::fill(&device, extent, self.plan.seed, u32::MAX));
        written.map_err(LaneError::io("write", &path))
    }

    /// The calibration device's name below `/sys/block`; `None` without lanes.
    pub fn calibration_device_name(&self) -> Option<String> {
        self.free_lane().map(Lane::name)
    }
}
