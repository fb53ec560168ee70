//! How much room there is.

use std::io;
use std::path::{Path, PathBuf};

use fsarena_model::Bytes;

/// Bytes that an ordinary user may still write to the file system in which `path` lies.
///
/// # Errors
/// If the path cannot be looked up.
pub fn free_space(path: &Path) -> io::Result<Bytes> {
    let found = rustix::fs::statvfs(path)?;
    Ok(Bytes(found.f_bavail * found.f_frsize))
}

/// `path`, or the nearest folder above it that is there.
pub fn nearest_existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/")).to_owned()
}
