//! Lays out the files of a workload, opens them with the flags that the workload asks for, and drops them from memory.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_model::{CacheState, Workload};
use fsarena_sys::aligned::AlignedBuffer;
use rustix::fs::{Advice, AtFlags, OFlags, StatxFlags, fadvise, statx};

use super::parameters::{DataParameters, Pattern, Work};
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
        smallest: parameters.block_size as usize,
        longest: parameters.longest() as usize,
        at_once: parameters.depth as usize,
        compressible_percent: parameters.compressible_percent,
        duplicated_percent: parameters.duplicated_percent,
        checkable: parameters.verify,
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
    // Whole blocks, so that each block can be checked alone.
    let write = (LONGEST_WRITE / block).max(1) * block;
    for number in 0..count {
        let path = path(directory, number);
        let file = File::create_new(&path).map_err(EngineError::io(format!("create {}", path.display())))?;
        let mut offset = 0;
        while offset < size {
            go_on(stop).map_err(EngineError::io("lay out a file"))?;
            let length = (size - offset).min(write);
            let piece = contents.piece(length as usize, (number, offset));
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

/// Lays out the files, then prepares them: see [`make_ready`].
pub fn prepare(
    workload: &Workload,
    parameters: &DataParameters,
    directory: &Path,
    seed: u64,
    stop: &AtomicBool,
) -> Result<(), EngineError> {
    lay_out_existing(parameters, directory, seed, stop)?;
    make_ready(workload, parameters, directory, stop)
}

/// Prepares existing files for the cache state of the workload: checks that direct I/O of its blocks is possible, or
/// reads the files into memory.
pub fn make_ready(
    workload: &Workload,
    parameters: &DataParameters,
    directory: &Path,
    stop: &AtomicBool,
) -> Result<(), EngineError> {
    existing(parameters, directory).try_for_each(|path| match workload.cache {
        CacheState::Direct => require_direct(&path, parameters.block_size, &workload.name),
        CacheState::Warm => remember(&path, stop),
        CacheState::Cold => Ok(()),
    })
}

/// The flags and the advice with which a workload opens its files.
#[derive(Debug, Clone, Copy)]
pub struct Opening {
    flags: OFlags,
    writes: bool,
    advice: Option<Advice>,
}

impl Opening {
    pub fn of(workload: &Workload, parameters: &DataParameters) -> Self {
        let direct = if workload.cache == CacheState::Direct { OFlags::DIRECT } else { OFlags::empty() };
        let advice = match parameters.pattern {
            Pattern::Sequential => Advice::Sequential,
            Pattern::Random => Advice::Random,
        };
        Self {
            flags: direct | folder::sync_flags(workload.durable),
            writes: parameters.operation != Work::Read,
            advice: parameters.advise.then_some(advice),
        }
    }

    pub fn existing(self, path: &Path) -> Result<File, EngineError> {
        self.open(path, OpenOptions::new().read(true).write(self.writes))
    }

    pub fn new_file(self, path: &Path) -> Result<File, EngineError> {
        self.open(path, OpenOptions::new().write(true).create_new(true))
    }

    fn open(self, path: &Path, options: &mut OpenOptions) -> Result<File, EngineError> {
        options.custom_flags(self.flags.bits() as i32);
        let file = options.open(path).map_err(EngineError::io(format!("open {}", path.display())))?;
        if let Some(advice) = self.advice {
            fadvise(&file, 0, None, advice).map_err(EngineError::io("posix_fadvise"))?;
        }
        Ok(file)
    }
}

/// Refuses direct I/O in blocks that the device does not support, as far as the kernel reports it (statx(2),
/// STATX_DIOALIGN, since Linux 6.1). Where such a read succeeds, the file system has a cache of its own for parts.
pub fn require_direct(path: &Path, block: u64, workload: &str) -> Result<(), EngineError> {
    // Linux' include/uapi/linux/stat.h.
    const DIOALIGN: StatxFlags = StatxFlags::from_bits_retain(0x2000);
    let Ok(facts) = statx(rustix::fs::CWD, path, AtFlags::empty(), DIOALIGN) else { return Ok(()) };
    let alignment = u64::from(facts.stx_dio_offset_align);
    let is_aligned = facts.stx_mask & DIOALIGN.bits() == 0 || alignment == 0 || block.is_multiple_of(alignment);
    if is_aligned || reads_directly(path, block) {
        return Ok(());
    }
    let what = format!(
        "the device beneath {} does direct I/O in multiples of {alignment} bytes, and `block-size` is {block}",
        path.display()
    );
    Err(EngineError::parameters(workload, what))
}

/// Whether a direct read of the first block of a file succeeds.
fn reads_directly(path: &Path, block: u64) -> bool {
    let file = OpenOptions::new().read(true).custom_flags(OFlags::DIRECT.bits() as i32).open(path);
    file.and_then(|file| file.read_at(&mut AlignedBuffer::new(block as usize), 0)).is_ok_and(|read| read > 0)
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
