//! A directory of a mounted file system, used through system calls: one for each read and write.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RenameFlags, Timespec, Timestamps, chmodat, mkdirat, openat, renameat_with,
    statat, syncfs, unlinkat, utimensat,
};

use crate::{Contents, DirectoryEntry, FileSystem, LibraryError, Names, Synced, Traffic};

const SECTOR: u64 = 512;
const MODE: Mode = Mode::RUSR.union(Mode::WUSR);

/// A directory of a mounted file system.
#[derive(Debug)]
pub struct Kernel {
    directory: File,
    /// The counters of the block device; `None` if the file system does not have the number of a block device.
    counters: Option<PathBuf>,
    /// Whether files are opened with O_DSYNC.
    each_durable: bool,
}

fn failed<E: Into<io::Error>>(act: &'static str, path: &str) -> impl FnOnce(E) -> LibraryError {
    LibraryError::kernel(act, path)
}

impl Kernel {
    fn open_with(&self, path: &str, flags: OFlags) -> Result<File, LibraryError> {
        let durable = if self.each_durable { OFlags::DSYNC } else { OFlags::empty() };
        let opened = openat(&self.directory, path, flags | durable | OFlags::CLOEXEC, MODE);
        opened.map(File::from).map_err(failed("open", path))
    }
}

impl Names for Kernel {
    fn make_directory(&mut self, path: &str) -> Result<(), LibraryError> {
        mkdirat(&self.directory, path, Mode::RWXU).map_err(failed("mkdir", path))
    }

    fn size(&mut self, path: &str) -> Result<u64, LibraryError> {
        let found = statat(&self.directory, path, AtFlags::SYMLINK_NOFOLLOW).map_err(failed("stat", path))?;
        Ok(found.st_size as u64)
    }

    fn list(&mut self, path: &str) -> Result<Vec<(String, DirectoryEntry)>, LibraryError> {
        let name = if path.is_empty() { "." } else { path };
        let folder = self.open_with(name, OFlags::RDONLY | OFlags::DIRECTORY)?;
        let mut entries = Vec::new();
        for entry in Dir::new(folder).map_err(failed("list", name))? {
            let entry = entry.map_err(failed("list", name))?;
            let name = entry.file_name().to_string_lossy();
            let is_own = name == "." || name == "..";
            let kind =
                if entry.file_type() == FileType::Directory { DirectoryEntry::Directory } else { DirectoryEntry::File };
            entries.extend((!is_own).then(|| (name.into_owned(), kind)));
        }
        Ok(entries)
    }

    fn remove_file(&mut self, path: &str) -> Result<(), LibraryError> {
        unlinkat(&self.directory, path, AtFlags::empty()).map_err(failed("unlink", path))
    }

    fn remove_directory(&mut self, path: &str) -> Result<(), LibraryError> {
        unlinkat(&self.directory, path, AtFlags::REMOVEDIR).map_err(failed("rmdir", path))
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<(), LibraryError> {
        let directory = &self.directory;
        renameat_with(directory, from, directory, to, RenameFlags::empty()).map_err(failed("rename", from))
    }

    fn set_attributes(&mut self, path: &str, permissions: u16, seconds: u32) -> Result<(), LibraryError> {
        let mode = Mode::from_raw_mode(u32::from(permissions));
        chmodat(&self.directory, path, mode, AtFlags::empty()).map_err(failed("chmod", path))?;
        let time = Timespec { tv_sec: i64::from(seconds), tv_nsec: 0 };
        let times = Timestamps { last_access: time, last_modification: time };
        utimensat(&self.directory, path, &times, AtFlags::empty()).map_err(failed("utimes", path))
    }
}

impl Contents for Kernel {
    type File = File;

    fn create(&mut self, path: &str) -> Result<File, LibraryError> {
        self.open_with(path, OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY)
    }

    fn open(&mut self, path: &str) -> Result<File, LibraryError> {
        self.open_with(path, OFlags::RDWR)
    }

    fn read_at(&mut self, file: &mut File, offset: u64, into: &mut [u8]) -> Result<usize, LibraryError> {
        let mut done = 0;
        while done < into.len() {
            match file.read_at(&mut into[done..], offset + done as u64).map_err(failed("pread", ""))? {
                0 => break,
                some => done += some,
            }
        }
        Ok(done)
    }

    fn write_at(&mut self, file: &mut File, offset: u64, bytes: &[u8]) -> Result<(), LibraryError> {
        file.write_all_at(bytes, offset).map_err(failed("pwrite", ""))
    }

    fn append(&mut self, path: &str, bytes: &[u8]) -> Result<(), LibraryError> {
        self.open_with(path, OFlags::WRONLY | OFlags::APPEND)?.write_all(bytes).map_err(failed("append to", path))
    }
}

impl FileSystem for Kernel {
    const NAME: &'static str = "the kernel";
    const IS_LIBRARY: bool = false;

    fn mount(place: &Path, directory: &str) -> Result<Self, LibraryError> {
        let path = place.join(directory);
        let directory = File::open(&path).map_err(failed("open", &path.display().to_string()))?;
        Ok(Self { directory, counters: counters(&path), each_durable: false })
    }

    fn make_each_write_durable(&mut self, is_wanted: bool) {
        self.each_durable = is_wanted;
    }

    fn sync(&mut self) -> Result<Synced, LibraryError> {
        syncfs(&self.directory).map_err(failed("syncfs", "")).map(|()| Synced::OnDevice)
    }

    fn traffic(&self) -> Option<Traffic> {
        let text = fs::read_to_string(self.counters.as_ref()?).ok()?;
        let fields: Vec<u64> = text.split_whitespace().filter_map(|field| field.parse().ok()).collect();
        let at = |index: usize| fields.get(index).copied();
        Some(Traffic { read: at(2)? * SECTOR, written: at(6)? * SECTOR, flushes: at(15)? })
    }

    fn unmount(self) -> Result<Option<Traffic>, LibraryError> {
        Ok(self.traffic())
    }
}

/// The counters of the block device (Documentation/block/stat.rst of the kernel). btrfs and file systems in memory have
/// a number that does not belong to a block device.
fn counters(directory: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let device = fs::metadata(directory).ok()?.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    let path = PathBuf::from(format!("/sys/dev/block/{major}:{minor}/stat"));
    path.exists().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_opened_with_o_dsync_where_each_write_is_to_be_durable() {
        let place = tempfile::tempdir().expect("temporary folder");
        let mut system = Kernel::mount(place.path(), "").expect("opened");
        let flags = |file: &File| rustix::fs::fcntl_getfl(file).expect("known");
        assert!(!flags(&system.create("plain").expect("made")).contains(OFlags::DSYNC));
        system.make_each_write_durable(true);
        assert!(flags(&system.create("durable").expect("made")).contains(OFlags::DSYNC));
        assert!(flags(&system.open("plain").expect("opened")).contains(OFlags::DSYNC));
        system.make_each_write_durable(false);
        assert!(!flags(&system.open("durable").expect("opened")).contains(OFlags::DSYNC));
    }
}
