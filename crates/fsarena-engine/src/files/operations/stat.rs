//! Reading the metadata of existing files.

use std::fs::File;

use rustix::fs::{AtFlags, statat};

use crate::files::durability::Syncable;
use crate::files::names::Paths;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::{Order, Visit};
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Reads the metadata of one file after the other.
pub struct Stat {
    paths: Paths,
}

impl Step for Stat {
    const OPERATION: Operation = Operation::Stat;
    const GROUND: Ground = Ground::Files(Order::Random);
    const SYNC: Syncable = Syncable::Never;

    fn new(setting: &Setting) -> Self {
        Self { paths: Paths::new(&setting.shape, FILE) }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let path = self.paths.of(visit.number);
        statat(root, path, AtFlags::SYMLINK_NOFOLLOW).map_err(EngineError::io("stat"))?;
        Ok(0)
    }
}
