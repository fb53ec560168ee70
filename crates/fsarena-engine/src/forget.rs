//! Having the kernel forget a file that stays mounted, and looking whether it did.

use std::fs::File;
use std::path::Path;

use fsarena_sys::resident;
use rustix::fs::{Advice, fadvise, fsync};
use rustix::param::page_size;

use crate::EngineError;

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
