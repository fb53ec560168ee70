//! Creating files: open, write, fsync if each is made durable, close.

use std::ffi::CStr;
use std::fs::File;
use std::io::Write;

use rustix::fs::{OFlags, openat};

use crate::contents::Contents;
use crate::files::durability::{Each, Syncable};
use crate::files::names::Paths;
use crate::files::sizes::Sizes;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::Visit;
use crate::meter::Meter;
use crate::{EngineError, Operation, folder};

/// Creates one file after the other.
pub struct Create {
    paths: Paths,
    sizes: Sizes,
    contents: Contents,
    flags: OFlags,
    each: Each,
}

impl Step for Create {
    const OPERATION: Operation = Operation::Create;
    const GROUND: Ground = Ground::NewFiles;
    const SYNC: Syncable = Syncable::File;

    fn new(setting: &Setting) -> Self {
        Self {
            paths: Paths::new(&setting.shape, FILE),
            sizes: setting.sizes,
            contents: Contents::new(setting.recipe, setting.worker),
            flags: folder::create_flags() | folder::sync_flags(setting.durable),
            each: Each::of(setting.durable),
        }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let size = self.sizes.of(visit.number);
        let file = create(root, self.paths.of(visit.number), self.flags, self.contents.piece(size, (0, 0)))?;
        self.each.sync(&file, meter)?;
        Ok(size as u64)
    }
}

/// Creates a file with these bytes.
#[inline]
pub fn create(root: &File, path: &CStr, flags: OFlags, bytes: &[u8]) -> Result<File, EngineError> {
    let file = openat(root, path, flags, folder::file_mode()).map_err(EngineError::io("create"))?;
    let mut file = File::from(file);
    if !bytes.is_empty() {
        file.write_all(bytes).map_err(EngineError::io("write"))?;
    }
    Ok(file)
}
