//! Giving files a second name (hard links). The tree is made again before each slice.

use std::fs::File;

use rustix::fs::{AtFlags, linkat};

use crate::files::durability::Syncable;
use crate::files::names::Paths;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::Visit;
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Links one file after the other, until each has two names.
pub struct Link {
    old: Paths,
    new: Paths,
}

impl Step for Link {
    const OPERATION: Operation = Operation::Link;
    const GROUND: Ground = Ground::UsedFiles;
    const SYNC: Syncable = Syncable::Directory;

    fn new(setting: &Setting) -> Self {
        Self { old: Paths::new(&setting.shape, FILE), new: Paths::new(&setting.shape, b'l') }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let (old, new) = (self.old.of(visit.number), self.new.of(visit.number));
        linkat(root, old, root, new, AtFlags::empty()).map_err(EngineError::io("link"))?;
        Ok(0)
    }
}
