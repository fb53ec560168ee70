//! Having the kernel forget a file that stays mounted, and looking whether it did.

use std::fs::{self, File};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_sys::resident;
use rustix::fs::{Advice, fadvise, fsync};
use rustix::param::page_size;

use crate::data::files;
use crate::{EngineError, folder, go_on};

/// How often a file is asked to be forgotten: a page that somebody looks at just then stays.
const PATIENCE: u32 = 10;

/// Has the kernel forget what is in memory of a file of `size` bytes, and looks whether it did.
///
/// # Errors
/// [`EngineError::StaysInMemory`] if it did not, as in a tmpfs.
pub fn forget(path: &Path, size: u64) -> Result<(), EngineError> {
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

/// Writes everything of the file system of `directory` to its device and asks the kernel to drop the data of all files in and below
/// it; it need not obey, and what is known of the files themselves stays.
///
/// # Errors
/// If a folder cannot be listed, or a file cannot be opened, or once `stop` is set.
pub fn forget_below(directory: &Path, stop: &AtomicBool) -> Result<(), EngineError> {
    folder::sync(folder::open(directory)?)?;
    forget_all(directory, stop)
}

/// The same of what is on the device already.
pub fn forget_all(directory: &Path, stop: &AtomicBool) -> Result<(), EngineError> {
    for entry in fs::read_dir(directory).map_err(EngineError::io("list the files"))? {
        go_on(stop).map_err(EngineError::io("drop files from memory"))?;
        let entry = entry.map_err(EngineError::io("list the files"))?;
        let kind = entry.file_type().map_err(EngineError::io("look at a file"))?;
        if kind.is_dir() {
            forget_all(&entry.path(), stop)?;
        } else if kind.is_file() {
            files::forget(&entry.path())?;
        }
    }
    Ok(())
}
