//! Removing empty directories, which are made again before each slice.

use std::fs::File;

use rustix::fs::{AtFlags, unlinkat};

use crate::files::durability::Syncable;
use crate::files::names::Paths;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::DIRECTORY;
use crate::files::walk::Visit;
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Removes one directory after the other, until none is left.
pub struct Rmdir {
    paths: Paths,
}

impl Step for Rmdir {
    const OPERATION: Operation = Operation::Rmdir;
    const GROUND: Ground = Ground::UsedDirectories;
    const SYNC: Syncable = Syncable::Directory;

    fn new(setting: &Setting) -> Self {
        Self { paths: Paths::new(&setting.shape, DIRECTORY) }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        unlinkat(root, self.paths.of(visit.number), AtFlags::REMOVEDIR).map_err(EngineError::io("rmdir"))?;
        Ok(0)
    }
}
