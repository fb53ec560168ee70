//! The memory that a run's process may have while it works.

use fsarena_model::Bytes;

use super::Arena;
use crate::LaneError;
use crate::cgroup::MemoryGroup;

impl Arena {
    /// Lets this process, with what it brings into the page cache from now on, have no more memory than `limit`.
    ///
    /// # Errors
    /// If this machine or this user has no such limits, or the kernel refuses this one.
    pub fn confine(&mut self, limit: Bytes) -> Result<(), LaneError> {
        match &mut self.group {
            Some(group) => group.enter(limit),
            none => none.insert(MemoryGroup::make(&mut self.ledger)?).enter(limit),
        }
    }

    /// Ends [`Arena::confine`], and takes from memory what was brought there meanwhile.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn release(&mut self) -> Result<(), LaneError> {
        self.group.as_mut().map_or(Ok(()), MemoryGroup::leave)
    }
}
