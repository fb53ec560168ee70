//! Drops the pages of a file from memory while its file system stays mounted, and checks the result.

use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_sys::resident;
use rustix::fs::{Advice, fadvise, fsync};
use rustix::param::page_size;

use crate::data::files;
use crate::{EngineError, folder, go_on};

/// Maximum number of attempts: a page that is in use at that moment stays.
const PATIENCE: u32 = 10;

/// Drops the pages of a file of `size` bytes from memory, and checks that none are left.
///
/// # Errors
/// [`EngineError::StaysInMemory`] if pages are left, as on a tmpfs.
pub fn drop_cached(path: &Path, size: u64) -> Result<(), EngineError> {
    let file = File::open(path).map_err(EngineError::io("open a file to forget it"))?;
    let mut left = 0;
    for _ in 0..PATIENCE {
        fsync(&file).map_err(EngineError::io("fsync a file to forget it"))?;
        fadvise(&file, 0, None, Advice::DontNeed).map_err(EngineError::io("posix_fadvise(POSIX_FADV_DONTNEED)"))?;
        let found = resident::pages(&file, size);
        left = found.map_err(EngineError::io("look whether a file is in memory, which is needed for cold reads"))?;
        if left == 0 {
            return Ok(());
        }
    }
    let pages = size.div_ceil(page_size() as u64);
    Err(EngineError::StaysInMemory { file: path.display().to_string(), left, pages })
}

/// Writes all data of the file system of `directory` to its device, then asks the kernel to drop the data of all files
/// in and below `directory`. The kernel need not comply, and inodes and names stay in memory.
///
/// # Errors
/// If a folder cannot be listed, or a file cannot be opened, or once `stop` is set.
pub fn drop_cached_below(directory: &Path, stop: &AtomicBool) -> Result<(), EngineError> {
    folder::sync(folder::open(directory)?)?;
    drop_all_cached(directory, stop)
}

/// Asks the kernel to drop the data of all files in and below `directory`, without a sync before.
pub fn drop_all_cached(directory: &Path, stop: &AtomicBool) -> Result<(), EngineError> {
    for entry in fs::read_dir(directory).map_err(EngineError::io("list the files"))? {
        go_on(stop).map_err(EngineError::io("drop files from memory"))?;
        let entry = entry.map_err(EngineError::io("list the files"))?;
        let kind = entry.file_type().map_err(EngineError::io("look at a file"))?;
        if kind.is_dir() {
            drop_all_cached(&entry.path(), stop)?;
        } else if kind.is_file() {
            files::drop_cached(&entry.path())?;
        }
    }
    Ok(())
}
