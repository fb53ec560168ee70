//! Contenders that are libraries: their lanes are not mounted but for a look at what they have left.

use std::path::Path;

use crate::require::known;
use crate::{Arena, CheckResult, LaneError, site};

/// What was seen of what a library has left.
#[derive(Debug)]
pub struct Shown<T> {
    /// What the checker found before.
    pub check: CheckResult,
    /// What was seen on the kernel's read-only mount; an error if there is none.
    pub seen: Result<T, LaneError>,
}

impl Arena {
    /// Makes the library `index` anew if it was used since it was made, and counts it as used.
    ///
    /// # Errors
    /// If mkfs fails.
    pub fn renew(&mut self, index: usize) -> Result<(), LaneError> {
        self.sites[index].as_mut().map_or(Ok(()), site::renew)
    }

    /// Checks what the library `index` has left, and lets `look` see it as the kernel mounts it, where nothing is written.
    ///
    /// # Errors
    /// If the checker cannot be started, or it stays mounted.
    pub fn show<T>(&mut self, index: usize, look: impl FnOnce(&Path) -> T) -> Result<Option<Shown<T>>, LaneError> {
        let contender = &self.plan.contenders[index];
        let kind = known(&contender.label.0, &contender.kind)?;
        let Some(site) = &mut self.sites[index] else { return Ok(None) };
        let Some(lane) = site.lane.map(|lane| &self.lanes[lane]) else { return Ok(None) };
        let Some(check) = site::check(kind, lane)? else { return Ok(None) };
        let mounted = site::mount_at(contender, kind, Some(lane), &site.directory);
        site.is_mounted = mounted.is_ok();
        let seen = mounted.map(|()| look(&site.directory));
        if site.is_mounted {
            site::unmount(&site.directory)?;
            site.is_mounted = false;
        }
        Ok(Some(Shown { check, seen }))
    }
}
