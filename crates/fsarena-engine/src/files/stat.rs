//! Looking at files that are there, all of them once, then all again, each time in the same random order.

use std::ffi::CString;
use std::fs::File;
use std::path::Path;

use fsarena_model::DurablePoint;
use fsarena_model::seed::generator;
use rand::seq::SliceRandom;
use rustix::fs::{AtFlags, statat};

use super::Parameters;
use super::batches::Step;
use super::create::Create;
use super::names::Name;
use crate::meter::Meter;
use crate::{EngineError, Operation, folder};

/// Looks at one file after the other.
pub struct Stat {
    names: Vec<CString>,
    next: usize,
    creator: Create,
}

impl Stat {
    /// On as many files as the parameters say, in an order from `seed`.
    pub fn new(parameters: &Parameters, seed: u64) -> Self {
        let mut name = Name::new(b'f');
        let mut names: Vec<CString> = (0..parameters.files).map(|number| name.owned(number)).collect();
        names.shuffle(&mut generator(seed, "stat-order", &[]));
        Self { names, next: 0, creator: Create::new(parameters, seed) }
    }
}

impl Step for Stat {
    const OPERATION: Operation = Operation::Stat;

    fn prepare(&mut self, directory: &Path) -> Result<(), EngineError> {
        self.creator.create_all(directory, self.names.len() as u32)
    }

    fn start(&mut self, directory: &Path, _durable: DurablePoint) -> Result<File, EngineError> {
        folder::open(directory)
    }

    #[inline]
    fn operate(&mut self, folder: &File, _meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        statat(folder, &self.names[self.next], AtFlags::SYMLINK_NOFOLLOW).map_err(EngineError::io("stat"))?;
        self.next = (self.next + 1) % self.names.len();
        Ok(0)
    }
}
