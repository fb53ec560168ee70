//! Renaming files within a folder, all of them once, then all back.

use std::fs::File;
use std::path::Path;

use fsarena_model::DurablePoint;
use rustix::fs::renameat;

use super::Parameters;
use super::batches::Step;
use super::create::Create;
use super::names::Name;
use crate::meter::Meter;
use crate::{EngineError, Operation, folder};

/// Renames one file after the other.
pub struct Rename {
    from: Name,
    to: Name,
    next: u32,
    files: u32,
    creator: Create,
}

impl Rename {
    /// On as many files as the parameters say.
    pub fn new(parameters: &Parameters, seed: u64) -> Self {
        let (from, to) = (Name::new(b'f'), Name::new(b'g'));
        Self { from, to, next: 0, files: parameters.files, creator: Create::new(parameters, seed) }
    }
}

impl Step for Rename {
    const OPERATION: Operation = Operation::Rename;

    fn prepare(&mut self, directory: &Path) -> Result<(), EngineError> {
        self.creator.create_all(directory, self.files)
    }

    fn start(&mut self, directory: &Path, _durable: DurablePoint) -> Result<File, EngineError> {
        folder::open(directory)
    }

    #[inline]
    fn operate(&mut self, folder: &File, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let (from, to) = (self.from.of(self.next), self.to.of(self.next));
        renameat(folder, from, folder, to).map_err(EngineError::io("rename"))?;
        self.next += 1;
        if self.next == self.files {
            self.next = 0;
            std::mem::swap(&mut self.from, &mut self.to);
        }
        Ok(0)
    }
}
