//! Reading the extended attribute of files, by their full paths, with which it is also set.

use std::fs::File;

use rustix::fs::lgetxattr;

use crate::files::attribute;
use crate::files::durability::Syncable;
use crate::files::names::Paths;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::Visit;
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Reads the attribute of one file after the other.
pub struct GetXattr {
    paths: Paths,
}

impl Step for GetXattr {
    const OPERATION: Operation = Operation::GetXattr;
    const GROUND: Ground = Ground::FilesWithAttribute;
    const SYNC: Syncable = Syncable::Never;

    fn new(setting: &Setting) -> Self {
        Self { paths: Paths::below(&setting.root, &setting.shape, FILE) }
    }

    #[inline]
    fn operate(&mut self, _root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let mut value = [0_u8; attribute::LENGTH];
        let path = self.paths.of(visit.number);
        let length = lgetxattr(path, attribute::NAME, &mut value).map_err(EngineError::io("getxattr"))?;
        Ok(length as u64)
    }
}
