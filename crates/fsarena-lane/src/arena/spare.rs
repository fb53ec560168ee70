//! The spare lane, on which nothing is made.

use std::path::PathBuf;

use fsarena_model::{Bytes, FlushAfter, LaneCost, RepeatedReads};
use fsarena_sys::loopdev::Extent;

use super::Arena;
use crate::lane::Lane;
use crate::{LaneError, cost, flush, image, reread, storage};

impl Arena {
    /// The spare lane; where all contenders take the same lane in turn, that one, while none of them is on it.
    pub(super) fn free_lane(&self) -> Option<&Lane> {
        let is_free = || self.sites.iter().all(Option::is_none);
        self.spare.as_ref().or_else(|| self.lanes.first().filter(|_| !self.plan.lanes.is_own() && is_free()))
    }

    /// The spare lane's device and its size; `None` without lanes.
    ///
    /// # Errors
    /// If sysfs does not say its size.
    pub fn spare(&self) -> Result<Option<(PathBuf, Bytes)>, LaneError> {
        self.free_lane().map(|lane| Ok((lane.path(), lane.size()?))).transpose()
    }

    /// What a write and flush costs on the spare lane, as far as `effort` goes; `None` without lanes.
    ///
    /// # Errors
    /// If the lane refuses.
    pub fn lane_cost(&self, effort: cost::Effort) -> Result<Option<LaneCost>, LaneError> {
        let Some(spare) = self.free_lane() else { return Ok(None) };
        let host = storage::beneath(&self.plan, &self.folder);
        cost::measure(&spare.path(), spare.size()?, &host, self.plan.seed, effort).map(Some)
    }

    /// How long a flush of the spare lane takes after so much was written; empty without lanes.
    ///
    /// # Errors
    /// If the lane refuses.
    pub fn flushes(&self) -> Result<Vec<FlushAfter>, LaneError> {
        let Some(spare) = self.free_lane() else { return Ok(Vec::new()) };
        flush::measure(&spare.path(), spare.size()?, self.plan.seed, flush::TIME)
    }

    /// Reads of the spare lane's device, fresh and repeated; `None` without lanes, or if they are too small.
    ///
    /// The lane was written in full when it was made, so that a host may have even the fresh ones in a cache.
    ///
    /// # Errors
    /// If the lane refuses.
    pub fn repeated_reads(&self) -> Result<Option<RepeatedReads>, LaneError> {
        let Some(spare) = self.free_lane() else { return Ok(None) };
        reread::repeated_reads(&spare.path(), spare.size()?, self.plan.seed, reread::TIME)
    }

    /// Writes the first `size` bytes of the spare lane anew, so that nothing below it knows them less well than files that
    /// were just written.
    ///
    /// # Errors
    /// If the lane refuses.
    pub fn rewrite_spare(&self, size: Bytes) -> Result<(), LaneError> {
        let Some((path, whole)) = self.spare()? else { return Ok(()) };
        let device = cost::open_direct(&path);
        let extent = Extent { offset: 0, size: size.0.min(whole.0) };
        let written = device.and_then(|device| image::fill(&device, extent, self.plan.seed, u32::MAX));
        written.map_err(LaneError::io("write", &path))
    }

    /// The spare lane's name below `/sys/block`; `None` without lanes.
    pub fn spare_name(&self) -> Option<String> {
        self.free_lane().map(Lane::name)
    }
}
