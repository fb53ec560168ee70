//! Mounts a contender again, so that none of its files are cached in memory.

use fsarena_model::{Bytes, Nanos};
use fsarena_sys::clock;

use crate::kind::Ground;
use crate::require::known;
use crate::{LaneError, LaneSet, Place, cost};

/// A contender mounted again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remounted {
    /// Where it works now.
    pub place: Place,
    /// Duration of the unmount.
    pub unmounting: Nanos,
    /// Bytes that reached its device during the unmount; `None` if they are not counted.
    pub written: Option<Bytes>,
}

impl LaneSet {
    /// Mounts contender `index` again, so that its files are no longer in memory; `None` if its kind cannot be
    /// remounted.
    ///
    /// # Errors
    /// If it stays busy or does not mount again.
    pub fn remount(&mut self, index: usize) -> Result<Option<Remounted>, LaneError> {
        let contender = &self.plan.contenders[index];
        let kind = known(contender)?;
        if !matches!(kind.ground, Ground::Lane | Ground::Share) {
            return Ok(None);
        }
        let Some(mut made) = self.mounted[index].take() else { return Ok(None) };
        let lane = made.lane.map(|lane| &self.lanes[lane]);
        let device = lane.map(|_| made.stack.device.clone());
        let mounting = self.mounting(contender, kind, device.as_deref())?;
        let written = || cost::written(&lane?.sysfs());
        let (before, begin) = (written(), clock::now());
        if let Err(error) = made.unmount() {
            self.mounted[index] = Some(made);
            return Err(error);
        }
        let unmounting = clock::now().saturating_sub(begin);
        let written = before.zip(written()).map(|(before, after)| Bytes(after.saturating_sub(before)));
        // If this fails, the mount point is a directory of the host: without a file system on it, no workload writes there.
        mounting.mount_at(kind, &made.directory)?;
        made.start_daemon(kind)?;
        let place = self.place(&made);
        self.mounted[index] = Some(made);
        Ok(Some(Remounted { place, unmounting, written }))
    }
}
