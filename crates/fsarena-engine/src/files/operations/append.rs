//! Appending to a file that stays open, as a log does.

use std::fs::File;
use std::io::Write;

use rustix::fs::{Mode, OFlags, openat};

use crate::contents::Contents;
use crate::files::durability::{Each, Syncable};
use crate::files::names::Paths;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::Visit;
use crate::meter::Meter;
use crate::{EngineError, Operation, folder};

/// Appends one record after the other.
pub struct Append {
    paths: Paths,
    number: u32,
    size: usize,
    contents: Contents,
    flags: OFlags,
    each: Each,
    log: Option<File>,
}

impl Step for Append {
    const OPERATION: Operation = Operation::Append;
    const GROUND: Ground = Ground::Log;
    const SYNC: Syncable = Syncable::File;

    fn new(setting: &Setting) -> Self {
        Self {
            paths: Paths::new(&setting.shape, FILE),
            number: setting.share.first(),
            size: setting.sizes.largest(),
            contents: Contents::new(setting.recipe, setting.worker),
            flags: OFlags::WRONLY | OFlags::APPEND | OFlags::CLOEXEC | folder::sync_flags(setting.durable),
            each: Each::of(setting.durable),
            log: None,
        }
    }

    fn start(&mut self, root: &File) -> Result<(), EngineError> {
        let log = openat(root, self.paths.of(self.number), self.flags, Mode::empty());
        self.log = Some(log.map_err(EngineError::io("open the log"))?.into());
        Ok(())
    }

    #[inline]
    fn operate(&mut self, _root: &File, _visit: Visit, meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let log = self.log.as_mut().expect("a run is started before it operates");
        log.write_all(self.contents.piece(self.size, (0, 0))).map_err(EngineError::io("append"))?;
        self.each.sync(log, meter)?;
        Ok(self.size as u64)
    }

    fn end(&mut self) {
        self.log = None;
    }
}
