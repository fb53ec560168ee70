//! Files read from beginning to end, and files written so.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fsarena_model::{Bytes, DurablePoint, Nanos};
use fsarena_sys::{AlignedBuffer, clock};
use rustix::fs::{Advice, fadvise};

use super::{Access, Parameters, lay_out, open_file};
use crate::payload::Payload;
use crate::{EngineError, Job, Limit, Tally};

const FILE: &str = "data";

/// Direct I/O leaves the page cache alone.
fn filled(access: Access, size: u64) -> Bytes {
    if access == Access::Direct { Bytes(0) } else { Bytes(size) }
}

/// Reads one file from beginning to end; a run ends there.
pub struct Reads {
    parameters: Parameters,
    access: Access,
    directory: PathBuf,
    payload: Payload,
    buffer: AlignedBuffer,
}

impl Reads {
    /// The file's content follows from `seed`.
    pub fn new(parameters: Parameters, access: Access, directory: PathBuf, seed: u64) -> Self {
        let buffer = AlignedBuffer::new(parameters.block_size);
        Self { parameters, access, directory, payload: Payload::new(seed), buffer }
    }
}

impl Job for Reads {
    fn prepare(&mut self) -> Result<(), EngineError> {
        lay_out(&self.directory, FILE, self.parameters.file_size, &mut self.payload)
    }

    fn fills(&self) -> Bytes {
        filled(self.access, self.parameters.file_size)
    }

    fn chill(&mut self) -> Result<(), EngineError> {
        let file = File::open(self.directory.join(FILE)).map_err(EngineError::io("open"))?;
        fadvise(&file, 0, None, Advice::DontNeed).map_err(EngineError::io("fadvise"))
    }

    fn run(&mut self, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError> {
        let file = open_file(&self.directory.join(FILE), self.access, OpenOptions::new().read(true))?;
        let start = clock::now();
        let mut at = start;
        let mut offset = 0;
        while offset < self.parameters.file_size {
            file.read_exact_at(&mut self.buffer, offset).map_err(EngineError::io("read"))?;
            offset += self.buffer.len() as u64;
            let end = clock::now();
            tally.operation.record(end.saturating_sub(at));
            tally.operations += 1;
            tally.bytes += self.buffer.len() as u64;
            at = end;
            if limit.is_reached(at.saturating_sub(start)) {
                break;
            }
        }
        tally.elapsed = tally.elapsed + at.saturating_sub(start);
        Ok(())
    }
}

/// Writes one new file after the other, each made durable if the workload says so, and removed untimed before the
/// next: that one then uses the same memory.
pub struct Writes {
    parameters: Parameters,
    access: Access,
    durable: DurablePoint,
    directory: PathBuf,
    payload: Payload,
}

impl Writes {
    /// The files' content follows from `seed`.
    pub fn new(parameters: Parameters, access: Access, durable: DurablePoint, directory: PathBuf, seed: u64) -> Self {
        Self { parameters, access, durable, directory, payload: Payload::new(seed) }
    }

    /// Writes a file and makes it durable; both are inside the timer.
    fn write(&mut self, path: &Path, tally: &mut Tally) -> Result<Nanos, EngineError> {
        let start = clock::now();
        let mut at = start;
        let file = open_file(path, self.access, OpenOptions::new().write(true).create_new(true))?;
        let mut offset = 0;
        while offset < self.parameters.file_size {
            let piece = self.payload.piece(self.parameters.block_size);
            file.write_all_at(piece, offset).map_err(EngineError::io("write"))?;
            offset += self.parameters.block_size as u64;
            let end = clock::now();
            tally.operation.record(end.saturating_sub(at));
            at = end;
        }
        tally.operations += offset / self.parameters.block_size as u64;
        tally.bytes += offset;
        self.finish(&file, tally)?;
        Ok(clock::now().saturating_sub(start))
    }

    fn finish(&self, file: &File, tally: &mut Tally) -> Result<(), EngineError> {
        if self.durable == DurablePoint::Fsync {
            let before = clock::now();
            file.sync_all().map_err(EngineError::io("fsync"))?;
            tally.sync.record(clock::now().saturating_sub(before));
        }
        Ok(())
    }
}

impl Job for Writes {
    fn prepare(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn fills(&self) -> Bytes {
        filled(self.access, self.parameters.file_size)
    }

    fn run(&mut self, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError> {
        let path = self.directory.join(FILE);
        let mut elapsed = Nanos(0);
        for _ in 0..self.parameters.files {
            elapsed = elapsed + self.write(&path, tally)?;
            fs::remove_file(&path).map_err(EngineError::io("remove the file"))?;
            if limit.is_reached(elapsed) {
                break;
            }
        }
        tally.elapsed = tally.elapsed + elapsed;
        Ok(())
    }
}
