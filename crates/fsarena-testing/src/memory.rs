//! Folders in memory: a test that needs storage, but no particular device, does not wait for a disk there.

use std::path::Path;

use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use tempfile::TempDir;

/// A temporary folder in memory.
#[derive(Debug)]
pub struct Memory {
    folder: TempDir,
    is_mounted: bool,
}

impl Memory {
    /// An empty folder below `/dev/shm`.
    ///
    /// # Panics
    /// If it cannot be made.
    #[must_use]
    pub fn folder() -> Self {
        Self { folder: tempfile::tempdir_in("/dev/shm").expect("temporary folder in memory"), is_mounted: false }
    }

    /// A file system of huge pages, in which the kernel needs a fraction of the time to fill lanes. Only root can mount
    /// it. The caller is in its own mount namespace.
    ///
    /// # Panics
    /// If it cannot be mounted.
    #[must_use]
    pub fn of_huge_pages() -> Self {
        let mut memory = Self::folder();
        let options = Some(c"mode=0755,huge=always");
        mount(c"tmpfs", memory.path(), c"tmpfs", MountFlags::empty(), options).expect("root may mount");
        memory.is_mounted = true;
        memory
    }

    /// The folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.is_mounted {
            let _ = unmount(self.path(), UnmountFlags::DETACH);
        }
    }
}
