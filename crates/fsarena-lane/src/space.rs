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

/// Memory that can be had without swapping (`MemAvailable`, proc_meminfo(5)); `None` if the kernel does not say.
pub fn available_memory() -> Option<Bytes> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(Bytes::kib(kib))
}

/// `path`, or the nearest folder above it that is there.
pub fn nearest_existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/")).to_owned()
}
