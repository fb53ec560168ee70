//! Contenders that are libraries. Their lanes are mounted only to inspect what the library has written.

use std::path::Path;

use crate::require::known;
use crate::{CheckResult, LaneError, LaneSet, mounted};

/// Result of inspecting what a library has written.
#[derive(Debug)]
pub struct LibraryContent<T> {
    /// Result of the check before the mount.
    pub check: CheckResult,
    /// What the caller's function returned on the kernel's read-only mount; an error if the mount failed.
    pub seen: Result<T, LaneError>,
}

impl LaneSet {
    /// Runs mkfs again for library `index` if it was used since the last mkfs, and marks it as used.
    ///
    /// # Errors
    /// If mkfs fails.
    pub fn renew(&mut self, index: usize) -> Result<(), LaneError> {
        self.mounted[index].as_mut().map_or(Ok(()), mounted::renew)
    }

    /// Checks what library `index` has written, mounts it read-only with the kernel's driver, and calls `look` with the
    /// mount point. `None` if the contender has no lane, or this process has been asked to stop.
    ///
    /// # Errors
    /// If the checker cannot be started or does not end, or the unmount fails.
    pub fn show<T>(
        &mut self,
        index: usize,
        look: impl FnOnce(&Path) -> T,
    ) -> Result<Option<LibraryContent<T>>, LaneError> {
        let contender = &self.plan.contenders[index];
        let kind = known(contender)?;
        let Some(lane) = self.mounted[index].as_ref().and_then(|made| made.lane) else { return Ok(None) };
        let device = self.lanes[lane].path();
        let mounting = self.mounting(contender, kind, Some(&device))?;
        let Some(made) = &mut self.mounted[index] else { return Ok(None) };
        let Some(check) = mounted::check(kind, &device)? else { return Ok(None) };
        let mounted = mounting.mount_at(kind, &made.directory);
        made.is_mounted = mounted.is_ok();
        let seen = mounted.map(|()| look(&made.directory));
        if made.is_mounted {
            made.unmount()?;
            made.is_mounted = false;
        }
        Ok(Some(LibraryContent { check, seen }))
    }
}
