//! Limits the memory of a run's process while it works.

use fsarena_model::Bytes;

use super::LaneSet;
use crate::LaneError;
use crate::cgroup::MemoryGroup;

impl LaneSet {
    /// Limits the memory of this process, including what it brings into the page cache from now on, to `limit`.
    ///
    /// # Errors
    /// If this machine has no such limits, this user may not set them, or the kernel refuses this one.
    pub fn confine(&mut self, limit: Bytes) -> Result<(), LaneError> {
        match &mut self.group {
            Some(group) => group.enter(limit),
            none => none.insert(MemoryGroup::make(&mut self.ledger)?).enter(limit),
        }
    }

    /// Ends [`LaneSet::confine`], and evicts what was brought into the page cache meanwhile.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn release(&mut self) -> Result<(), LaneError> {
        self.group.as_mut().map_or(Ok(()), MemoryGroup::leave)
    }
}
