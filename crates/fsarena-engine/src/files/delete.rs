//! Deleting files, which are made again before each slice.

use std::fs::File;
use std::path::Path;

use fsarena_model::DurablePoint;
use rustix::fs::{AtFlags, unlinkat};

use super::Parameters;
use super::batches::Step;
use super::create::Create;
use super::names::Name;
use crate::meter::Meter;
use crate::{EngineError, Operation, folder};

const FOLDER: &str = "old";

/// Deletes one file after the other, until none is left.
pub struct Delete {
    name: Name,
    next: u32,
    parameters: Parameters,
    seed: u64,
}

impl Delete {
    /// On as many files as the parameters say.
    pub fn new(parameters: &Parameters, seed: u64) -> Self {
        Self { name: Name::new(b'f'), next: 0, parameters: parameters.clone(), seed }
    }
}

impl Step for Delete {
    const OPERATION: Operation = Operation::Delete;

    fn refill(&mut self, directory: &Path) -> Result<(), EngineError> {
        folder::renew(directory, FOLDER)?;
        self.next = 0;
        Create::new(&self.parameters, self.seed).create_all(&directory.join(FOLDER), self.parameters.files)
    }

    fn start(&mut self, directory: &Path, _durable: DurablePoint) -> Result<File, EngineError> {
        folder::open(&directory.join(FOLDER))
    }

    fn is_left(&self) -> bool {
        self.next < self.parameters.files
    }

    #[inline]
    fn operate(&mut self, folder: &File, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        unlinkat(folder, self.name.of(self.next), AtFlags::empty()).map_err(EngineError::io("unlink"))?;
        self.next += 1;
        Ok(0)
    }
}
