//! Making directories.

use std::fs::File;

use crate::files::durability::Syncable;
use crate::files::names::Paths;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::{DIRECTORY, make_directory};
use crate::files::walk::Visit;
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Makes one directory after the other.
pub struct Mkdir {
    paths: Paths,
}

impl Step for Mkdir {
    const OPERATION: Operation = Operation::Mkdir;
    const GROUND: Ground = Ground::NewOthers;
    const SYNC: Syncable = Syncable::Directory;

    fn new(setting: &Setting) -> Self {
        Self { paths: Paths::new(&setting.shape, DIRECTORY) }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        make_directory(root, self.paths.of(visit.number)).map(|()| 0)
    }
}
