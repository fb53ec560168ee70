//! Lays out the files of a workload, opens them with the flags that the workload asks for, and drops them from memory.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_model::{CacheState, Workload};
use rustix::fs::{Advice, OFlags, fadvise};

use super::parameters::{DataParameters, Work};
use crate::contents::{Contents, Recipe};
use crate::{EngineError, folder, go_on};

/// Bytes of a file that are written before its pages are dropped. The next part then reuses the same memory, and a
/// hypervisor need not provide more.
const LAID_OUT_AT_ONCE: u64 = 32 << 20;
/// Maximum size of a write when a file is laid out.
const LONGEST_WRITE: u64 = 1 << 20;

pub fn path(directory: &Path, number: u32) -> PathBuf {
    directory.join(format!("data{number}"))
}

/// The recipe of the contents of this workload's files.
pub fn recipe(parameters: &DataParameters, seed: u64) -> Recipe {
    Recipe {
        seed,
        longest: parameters.block_size as usize,
        at_once: parameters.depth as usize,
        compressible_percent: parameters.compressible_percent,
    }
}

/// Paths of the files that exist before the timer starts.
pub fn existing(parameters: &DataParameters, directory: &Path) -> impl Iterator<Item = PathBuf> {
    (0..parameters.existing_files()).map(|number| path(directory, number))
}

/// Lays out the files that exist before the timer starts: writes them in full and syncs them. They are not in memory
/// afterwards. Returns an error once `stop` is set.
pub fn lay_out_existing(
    parameters: &DataParameters,
    directory: &Path,
    seed: u64,
    stop: &AtomicBool,
) -> Result<(), EngineError> {
    let (count, size, block) = (parameters.existing_files(), parameters.file_size, parameters.block_size);
    if count == 0 {
        return Ok(());
    }
    let mut contents = Contents::new(recipe(parameters, seed), u32::MAX);
    let write = LONGEST_WRITE.max(block);
    for number in 0..count {
        let path = path(directory, number);
        let file = File::create_new(&path).map_err(EngineError::io(format!("create {}", path.display())))?;
        let mut offset = 0;
        while offset < size {
            go_on(stop).map_err(EngineError::io("lay out a file"))?;
            let length = (size - offset).min(write);
            let piece = contents.piece(length as usize);
            file.write_all_at(piece, offset).map_err(EngineError::io("lay out a file"))?;
            let before = offset;
            offset += length;
            if before / LAID_OUT_AT_ONCE != offset / LAID_OUT_AT_ONCE || offset == size {
                file.sync_data().map_err(EngineError::io("fdatasync a file that is laid out"))?;
                fadvise(&file, 0, None, Advice::DontNeed).map_err(EngineError::io("fadvise"))?;
            }
        }
    }
    folder::sync(folder::open(directory)?)
}

/// How a workload opens its files.
#[derive(Debug, Clone, Copy)]
pub struct Opening {
    flags: OFlags,
    writes: bool,
}

impl Opening {
    pub fn of(workload: &Workload, parameters: &DataParameters) -> Self {
        let direct = if workload.cache == CacheState::Direct { OFlags::DIRECT } else { OFlags::empty() };
        let flags = direct | folder::sync_flags(workload.durable);
        Self { flags, writes: parameters.operation != Work::Read }
    }

    pub fn existing(self, path: &Path) -> Result<File, EngineError> {
        self.open(path, OpenOptions::new().read(true).write(self.writes))
    }

    pub fn new_file(self, path: &Path) -> Result<File, EngineError> {
        self.open(path, OpenOptions::new().write(true).create_new(true))
    }

    fn open(self, path: &Path, options: &mut OpenOptions) -> Result<File, EngineError> {
        options.custom_flags(self.flags.bits() as i32);
        options.open(path).map_err(EngineError::io(format!("open {}", path.display())))
    }
}

/// Brings a file into memory by reading it. Returns an error once `stop` is set. If a file does not fit, its end stays
/// in memory.
pub fn remember(path: &Path, stop: &AtomicBool) -> Result<(), EngineError> {
    let file = folder::open(path)?;
    let mut buffer = vec![0; LONGEST_WRITE as usize];
    let mut offset = 0;
    loop {
        go_on(stop).map_err(EngineError::io("read a file into memory"))?;
        match file.read_at(&mut buffer, offset).map_err(EngineError::io("read a file into memory"))? {
            0 => return Ok(()),
            read => offset += read as u64,
        }
    }
}
