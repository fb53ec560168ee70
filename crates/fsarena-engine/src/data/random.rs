//! Reads or writes of one block at random places of one file, one at a time.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use fsarena_model::seed::generator;
use fsarena_sys::{AlignedBuffer, clock};
use rand::Rng;
use rand_pcg::Pcg64Mcg;

use super::{Access, Parameters, lay_out, open_file};
use crate::payload::Payload;
use crate::{EngineError, Job, Limit, Tally};

const FILE: &str = "data";

/// Random work on one file.
pub struct Random {
    parameters: Parameters,
    writes: bool,
    access: Access,
    directory: PathBuf,
    random: Pcg64Mcg,
    payload: Payload,
    buffer: AlignedBuffer,
}

impl Random {
    /// Places and contents follow from `seed`.
    pub fn new(parameters: Parameters, writes: bool, access: Access, directory: PathBuf, seed: u64) -> Self {
        let buffer = AlignedBuffer::new(parameters.block_size);
        let random = generator(seed, "offsets", &[]);
        Self { parameters, writes, access, directory, random, payload: Payload::new(seed), buffer }
    }

    #[inline]
    fn operate(&mut self, file: &File) -> Result<(), EngineError> {
        let size = self.parameters.block_size;
        let blocks = self.parameters.file_size / size as u64;
        let offset = self.random.next_u64() % blocks * size as u64;
        match self.writes {
            true => file.write_all_at(self.payload.piece(size), offset).map_err(EngineError::io("write")),
            false => file.read_exact_at(&mut self.buffer, offset).map_err(EngineError::io("read")),
        }
    }
}

impl Job for Random {
    fn prepare(&mut self) -> Result<(), EngineError> {
        lay_out(&self.directory, FILE, self.parameters.file_size, &mut self.payload)
    }

    fn run(&mut self, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError> {
        let path = self.directory.join(FILE);
        let file = open_file(&path, self.access, OpenOptions::new().read(true).write(true))?;
        let start = clock::now();
        let mut at = start;
        loop {
            self.operate(&file)?;
            let end = clock::now();
            tally.operation.record(end.saturating_sub(at));
            tally.operations += 1;
            at = end;
            if limit.is_reached(at.saturating_sub(start)) {
                break;
            }
        }
        tally.bytes = tally.operations * self.parameters.block_size as u64;
        tally.elapsed = tally.elapsed + at.saturating_sub(start);
        Ok(())
    }
}
