//! Making symbolic links to names in the same directory. The targets do not exist; symlink(2) does not check them.

use std::fs::File;

use rustix::fs::symlinkat;

use crate::files::durability::Syncable;
use crate::files::names::{Name, Paths};
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::Visit;
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Makes one symbolic link after the other.
pub struct Symlink {
    paths: Paths,
    target: Name,
}

impl Step for Symlink {
    const OPERATION: Operation = Operation::Symlink;
    const GROUND: Ground = Ground::NewOthers;
    const SYNC: Syncable = Syncable::Directory;

    fn new(setting: &Setting) -> Self {
        Self { paths: Paths::new(&setting.shape, b's'), target: Name::new(FILE) }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let (target, path) = (self.target.of(visit.number), self.paths.of(visit.number));
        symlinkat(target, root, path).map_err(EngineError::io("symlink"))?;
        Ok(0)
    }
}
