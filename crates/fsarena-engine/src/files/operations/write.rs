//! Overwriting whole existing files: open, write, fsync if each is made durable, close.

use std::fs::File;
use std::io::Write as _;

use rustix::fs::{Mode, OFlags, openat};

use crate::contents::Contents;
use crate::files::durability::{Each, Syncable};
use crate::files::names::Paths;
use crate::files::sizes::Sizes;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::{Order, Visit};
use crate::meter::Meter;
use crate::{EngineError, Operation, folder};

/// Writes one file after the other.
pub struct Write {
    paths: Paths,
    sizes: Sizes,
    contents: Contents,
    flags: OFlags,
    each: Each,
}

impl Step for Write {
    const OPERATION: Operation = Operation::Write;
    const GROUND: Ground = Ground::Files(Order::Random);
    const SYNC: Syncable = Syncable::File;

    fn new(setting: &Setting) -> Self {
        Self {
            paths: Paths::new(&setting.shape, FILE),
            sizes: setting.sizes,
            contents: Contents::new(setting.recipe, setting.worker),
            flags: OFlags::WRONLY | OFlags::CLOEXEC | folder::sync_flags(setting.durable),
            each: Each::of(setting.durable),
        }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let path = self.paths.of(visit.number);
        let mut file =
            openat(root, path, self.flags, Mode::empty()).map(File::from).map_err(EngineError::io("open"))?;
        let bytes = self.contents.piece(self.sizes.of(visit.number), (0, 0));
        file.write_all(bytes).map_err(EngineError::io("write"))?;
        self.each.sync(&file, meter)?;
        Ok(bytes.len() as u64)
    }
}
