//! Deleting files, which are made again before each slice.

use std::fs::File;

use rustix::fs::{AtFlags, unlinkat};

use crate::files::durability::Syncable;
use crate::files::names::Paths;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::Visit;
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Deletes one file after the other, until none is left.
pub struct Delete {
    paths: Paths,
}

impl Step for Delete {
    const OPERATION: Operation = Operation::Delete;
    const GROUND: Ground = Ground::UsedFiles;
    const SYNC: Syncable = Syncable::Directory;

    fn new(setting: &Setting) -> Self {
        Self { paths: Paths::new(&setting.shape, FILE) }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        unlinkat(root, self.paths.of(visit.number), AtFlags::empty()).map_err(EngineError::io("unlink"))?;
        Ok(0)
    }
}
