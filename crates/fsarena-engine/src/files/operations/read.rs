//! Reading whole files: open, read, close.

use std::fs::File;
use std::io::Read as _;

use fsarena_sys::AlignedBuffer;
use rustix::fs::{Mode, OFlags, openat};

use crate::files::durability::Syncable;
use crate::files::names::Paths;
use crate::files::sizes::Sizes;
use crate::files::step::{Ground, Setting, Step};
use crate::files::tree::FILE;
use crate::files::walk::{Order, Visit};
use crate::meter::Meter;
use crate::{EngineError, Operation};

/// Reads one file after the other.
pub struct Read {
    paths: Paths,
    sizes: Sizes,
    buffer: AlignedBuffer,
}

impl Step for Read {
    const OPERATION: Operation = Operation::Read;
    const GROUND: Ground = Ground::Files(Order::Random);
    const SYNC: Syncable = Syncable::Never;

    fn new(setting: &Setting) -> Self {
        let buffer = AlignedBuffer::new(setting.sizes.largest());
        Self { paths: Paths::new(&setting.shape, FILE), sizes: setting.sizes, buffer }
    }

    #[inline]
    fn operate(&mut self, root: &File, visit: Visit, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let file = openat(root, self.paths.of(visit.number), flags, Mode::empty()).map_err(EngineError::io("open"))?;
        let buffer = &mut self.buffer[..self.sizes.of(visit.number)];
        File::from(file).read_exact(buffer).map_err(EngineError::io("read"))?;
        Ok(buffer.len() as u64)
    }
}
