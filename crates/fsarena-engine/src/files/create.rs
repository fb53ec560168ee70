//! Creating files: open, write, fsync if each is made durable, close; a new folder for each slice.

use std::fs::File;
use std::path::Path;

use fsarena_model::DurablePoint;
use fsarena_sys::clock;
use rustix::fs::{fsync, openat};
use rustix::io::write;

use super::Parameters;
use super::batches::Step;
use super::names::Name;
use crate::contents::{Contents, Recipe};
use crate::meter::Meter;
use crate::{EngineError, Operation, folder};

const FOLDER: &str = "new";

/// Creates one file after the other.
pub struct Create {
    name: Name,
    next: u32,
    size: usize,
    contents: Contents,
    durable: DurablePoint,
}

impl Create {
    /// Files of the parameters' size with content from `seed`.
    pub fn new(parameters: &Parameters, seed: u64) -> Self {
        Self {
            name: Name::new(b'f'),
            next: 0,
            size: parameters.size,
            contents: Contents::new(Recipe::random(seed, parameters.size), 0),
            durable: DurablePoint::None,
        }
    }

    /// Creates `count` files in `directory` and brings them to the device.
    pub fn create_all(&mut self, directory: &Path, count: u32) -> Result<(), EngineError> {
        let folder = folder::open(directory)?;
        for _ in 0..count {
            self.create(&folder)?;
        }
        folder::sync(&folder)
    }

    /// Creates the next file in `folder`.
    #[inline]
    pub fn create(&mut self, folder: &File) -> Result<File, EngineError> {
        let name = self.name.of(self.next);
        let file =
            openat(folder, name, folder::create_flags(), folder::file_mode()).map_err(EngineError::io("create"))?;
        if self.size > 0 {
            write(&file, self.contents.piece(self.size, (0, 0))).map_err(EngineError::io("write"))?;
        }
        self.next += 1;
        Ok(file.into())
    }
}

impl Step for Create {
    const OPERATION: Operation = Operation::Create;

    fn refill(&mut self, directory: &Path) -> Result<(), EngineError> {
        self.next = 0;
        folder::renew(directory, FOLDER)
    }

    fn start(&mut self, directory: &Path, durable: DurablePoint) -> Result<File, EngineError> {
        self.durable = durable;
        folder::open(&directory.join(FOLDER))
    }

    #[inline]
    fn operate(&mut self, folder: &File, meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let file = self.create(folder)?;
        if self.durable == DurablePoint::Fsync {
            let before = clock::now();
            fsync(&file).map_err(EngineError::io("fsync"))?;
            meter.within(Operation::Fsync, before);
        }
        Ok(self.size as u64)
    }
}
