//! Appending to a file, as a log does.

use std::fs::{File, OpenOptions};
use std::path::Path;

use fsarena_model::DurablePoint;
use fsarena_sys::clock;
use rustix::fs::fsync;
use rustix::io::write;

use super::Parameters;
use super::batches::Step;
use crate::contents::{Contents, Recipe};
use crate::meter::Meter;
use crate::{EngineError, Operation, folder};

const FILE: &str = "log";

/// Appends one record after the other.
pub struct Append {
    size: usize,
    contents: Contents,
    log: Option<File>,
    durable: DurablePoint,
}

impl Append {
    /// Records of the parameters' size with content from `seed`.
    pub fn new(parameters: &Parameters, seed: u64) -> Self {
        Self {
            size: parameters.size,
            contents: Contents::new(Recipe::random(seed, parameters.size), 0),
            log: None,
            durable: DurablePoint::None,
        }
    }
}

impl Step for Append {
    const OPERATION: Operation = Operation::Append;

    fn prepare(&mut self, directory: &Path) -> Result<(), EngineError> {
        File::create(directory.join(FILE)).map_err(EngineError::io("create the log"))?;
        folder::sync(folder::open(directory)?)
    }

    fn start(&mut self, directory: &Path, durable: DurablePoint) -> Result<File, EngineError> {
        let log = OpenOptions::new().append(true).open(directory.join(FILE));
        self.log = Some(log.map_err(EngineError::io("open the log"))?);
        self.durable = durable;
        folder::open(directory)
    }

    #[inline]
    fn operate(&mut self, _folder: &File, meter: &mut Meter<'_>) -> Result<u64, EngineError> {
        let log = self.log.as_ref().expect("a run is started before it operates");
        write(log, self.contents.piece(self.size, (0, 0))).map_err(EngineError::io("append"))?;
        if self.durable == DurablePoint::Fsync {
            let before = clock::now();
            fsync(log).map_err(EngineError::io("fsync"))?;
            meter.within(Operation::Fsync, before);
        }
        Ok(self.size as u64)
    }

    fn end(&mut self) {
        self.log = None;
    }
}
