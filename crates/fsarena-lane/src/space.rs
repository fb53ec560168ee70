//! Free space of file systems.

use std::io;
use std::path::{Path, PathBuf};

use fsarena_model::Bytes;
use fsarena_sys::mountinfo;

use crate::image::TMPFS_MAGIC;
use crate::shared;

/// Bytes that an ordinary user may still write to the file system in which `path` lies.
///
/// # Errors
/// If the path cannot be looked up.
pub fn free_space(path: &Path) -> io::Result<Bytes> {
    let found = rustix::fs::statvfs(path)?;
    Ok(Bytes(found.f_bavail * found.f_frsize))
}

/// Bytes that stay free on the file system in which `path` lies: 5 % of it, at least 256 MiB and at most 4 GiB.
pub fn reserve(path: &Path) -> io::Result<Bytes> {
    let found = rustix::fs::statvfs(path)?;
    Ok(reserve_of(Bytes(found.f_blocks.saturating_mul(found.f_frsize))))
}

fn reserve_of(size: Bytes) -> Bytes {
    Bytes((size.0 / 20).clamp(Bytes::mib(256).0, Bytes::gib(4).0))
}

/// What the directories of the file system in which `path` lies have in common.
pub fn file_system(path: &Path) -> io::Result<String> {
    mountinfo::mount_of(path).map(|mount| shared::identity(&mount))
}

/// The world-writable tmpfs of every Linux system (shm_overview(7)); `None` if it is none here.
pub fn shared_memory() -> Option<&'static Path> {
    const SHARED: &str = "/dev/shm";
    is_in_memory(Path::new(SHARED)).then(|| Path::new(SHARED))
}

/// Whether the file system in which `path` lies is a tmpfs, whose files take memory.
pub fn is_in_memory(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|found| found.f_type == TMPFS_MAGIC)
}

/// `path`, or the nearest folder above it that exists.
pub fn nearest_existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/")).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twentieth_stays_free_within_bounds() {
        let reserves = [Bytes::mib(100), Bytes::gib(20), Bytes::gib(1000)].map(reserve_of);
        assert_eq!(reserves, [Bytes::mib(256), Bytes::gib(1), Bytes::gib(4)]);
    }

    #[test]
    fn directories_of_one_file_system_have_its_name() {
        let name = |path: &str| file_system(Path::new(path)).expect("there");
        assert_eq!(name("/proc/sys"), name("/proc"));
        assert_ne!(name("/proc"), name("/sys"));
    }
}
