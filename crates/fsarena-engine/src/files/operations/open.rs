//! Opening files and closing them.

use std::fs::File;

use rustix::fs::{Mode, OFlags, openat};

use crate::files::durability::Syncable;
use crate::files::names::Paths;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::{Order, Visit};
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Opens one file after the other, and closes each.
pub struct Open {
    paths: Paths,
}

impl Step for Open {
    const OPERATION: Operation = Operation::Open;
    const GROUND: Ground = Ground::Files(Order::Random);
    const SYNC: Syncable = Syncable::Never;

    fn new(setting: &Setting) -> Self {
        Self { paths: Paths::new(&setting.shape, FILE) }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        openat(root, self.paths.of(visit.number), flags, Mode::empty()).map_err(EngineError::io("open"))?;
        Ok(0)
    }
}
