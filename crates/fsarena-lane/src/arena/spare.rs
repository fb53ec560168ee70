//! The spare lane, on which nothing is made.

use std::path::PathBuf;

use fsarena_model::Bytes;

use super::Arena;
use crate::LaneError;
use crate::lane::Lane;

impl Arena {
    /// The spare lane's device and its size; `None` without lanes.
    ///
    /// # Errors
    /// If sysfs does not say its size.
    pub fn spare(&self) -> Result<Option<(PathBuf, Bytes)>, LaneError> {
        self.spare.as_ref().map(|lane| Ok((lane.path(), lane.size()?))).transpose()
    }

    /// The spare lane's name below `/sys/block`; `None` without lanes.
    pub fn spare_name(&self) -> Option<String> {
        self.spare.as_ref().map(Lane::name)
    }
}
