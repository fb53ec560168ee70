//! Replacing the extended attribute of files, by their full paths. Kernels before 6.13 have no other call that does not
//! need an open file.

use std::fs::File;

use rustix::fs::{XattrFlags, lsetxattr};

use crate::files::attribute;
use crate::files::durability::Syncable;
use crate::files::names::Paths;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::Visit;
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Replaces the attribute of one file after the other.
pub struct SetXattr {
    paths: Paths,
}

impl Step for SetXattr {
    const OPERATION: Operation = Operation::SetXattr;
    const GROUND: Ground = Ground::FilesWithAttribute;
    const SYNC: Syncable = Syncable::Batch;

    fn new(setting: &Setting) -> Self {
        Self { paths: Paths::below(&setting.root, &setting.shape, FILE) }
    }

    #[inline]
    fn operate(&mut self, _root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let value = attribute::value(visit.number, visit.pass.wrapping_add(1));
        let path = self.paths.of(visit.number);
        lsetxattr(path, attribute::NAME, &value, XattrFlags::REPLACE).map_err(EngineError::io("setxattr"))?;
        Ok(value.len() as u64)
    }
}
