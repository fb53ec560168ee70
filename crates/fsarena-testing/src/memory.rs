//! Folders in memory: a test that needs storage, but no particular device, does not wait for a disk there.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use tempfile::TempDir;

/// A temporary folder in memory.
#[derive(Debug)]
pub struct Memory {
    folder: TempDir,
    is_mounted: bool,
}

impl Memory {
    /// An empty folder below `/dev/shm`, or below `/var/tmp` where a tmpfs has no direct I/O, which lanes need (before
    /// Linux 6.6).
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    pub fn folder() -> Self {
        let place = if holds_lanes() { "/dev/shm" } else { "/var/tmp" };
        Self { folder: tempfile::tempdir_in(place).expect("temporary folder"), is_mounted: false }
    }

    /// A file system of huge pages, in which the kernel needs a fraction of the time to fill lanes; without them where
    /// the kernel has none. Only root can mount it. The caller is in its own mount namespace.
    ///
    /// # Panics
    /// If no folder can be made.
    #[must_use]
    pub fn of_huge_pages() -> Self {
        let mut memory = Self::folder();
        if memory.path().starts_with("/dev/shm") {
            let options = Some(c"mode=0755,huge=always");
            memory.is_mounted = mount(c"tmpfs", memory.path(), c"tmpfs", MountFlags::empty(), options).is_ok();
        }
        memory
    }

    /// The folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Whether a tmpfs has direct I/O, so that lanes can lie in memory: since Linux 6.6.
#[must_use]
pub fn holds_lanes() -> bool {
    let flags = (OFlags::TMPFILE | OFlags::DIRECT).bits().cast_signed();
    OpenOptions::new().write(true).custom_flags(flags).open("/dev/shm").is_ok()
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.is_mounted {
            let _ = unmount(self.path(), UnmountFlags::DETACH);
        }
    }
}
