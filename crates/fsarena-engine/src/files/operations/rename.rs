//! Renaming files within their directories, all of them once, then all back.

use std::fs::File;

use rustix::fs::renameat;

use crate::files::durability::Syncable;
use crate::files::names::Paths;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::{Order, Visit};
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Renames one file after the other.
pub struct Rename {
    here: Paths,
    there: Paths,
}

impl Step for Rename {
    const OPERATION: Operation = Operation::Rename;
    const GROUND: Ground = Ground::Files(Order::InOrder);
    const SYNC: Syncable = Syncable::Directory;

    fn new(setting: &Setting) -> Self {
        Self { here: Paths::new(&setting.shape, FILE), there: Paths::new(&setting.shape, b'g') }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let (here, there) = (self.here.of(visit.number), self.there.of(visit.number));
        let (from, to) = if visit.pass.is_multiple_of(2) { (here, there) } else { (there, here) };
        renameat(root, from, root, to).map_err(EngineError::io("rename"))?;
        Ok(0)
    }
}
