//! The spare lane, on which nothing is made.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use fsarena_model::Bytes;
use fsarena_sys::loopdev::Extent;
use rustix::fs::OFlags;

use super::Arena;
use crate::lane::Lane;
use crate::{LaneError, image};

impl Arena {
    /// The spare lane's device and its size; `None` without lanes.
    ///
    /// # Errors
    /// If sysfs does not say its size.
    pub fn spare(&self) -> Result<Option<(PathBuf, Bytes)>, LaneError> {
        self.spare.as_ref().map(|lane| Ok((lane.path(), lane.size()?))).transpose()
    }

    /// Writes the first `size` bytes of the spare lane anew, so that nothing below it knows them less well than files that
    /// were just written.
    ///
    /// # Errors
    /// If the lane refuses.
    pub fn rewrite_spare(&self, size: Bytes) -> Result<(), LaneError> {
        let Some((path, whole)) = self.spare()? else { return Ok(()) };
        let device = OpenOptions::new().write(true).custom_flags(OFlags::DIRECT.bits() as i32).open(&path);
        let extent = Extent { offset: 0, size: size.0.min(whole.0) };
        let written = device.and_then(|device| image::fill(&device, extent, self.plan.seed, u32::MAX));
        written.map_err(LaneError::io("write", &path))
    }

    /// The spare lane's name below `/sys/block`; `None` without lanes.
    pub fn spare_name(&self) -> Option<String> {
        self.spare.as_ref().map(Lane::name)
    }
}
