//! File systems that run within this process: libraries that use a block device by themselves, and directories of the
//! kernel's mounted file systems. All implement [`FileSystem`].

mod device;
mod error;
mod kernel;
mod preview;
mod rsext4;

use std::path::Path;

pub use error::LibraryError;
pub use kernel::Kernel;
pub use preview::Preview;
pub use rsext4::Rsext4;

/// A library that is a file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// The crate `rsext4`, 0.9.
    Rsext4,
    /// The crate `rsext4`, 0.1.0-pre.0.
    Rsext4Preview,
}

impl Library {
    /// All libraries.
    pub const ALL: [Self; 2] = [Self::Rsext4, Self::Rsext4Preview];

    /// Its name, which is also that of the kind of contender that uses it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rsext4 => "rsext4",
            Self::Rsext4Preview => "rsext4-preview",
        }
    }

    /// Maximum number of files and directories at a time; `None` if only space limits it. With 10,000 the preview
    /// damaged its directories. The removal of one of them then never ended, and used more and more memory. With 4,400
    /// there was no damage.
    pub const fn most_files(self) -> Option<u64> {
        match self {
            Self::Rsext4 => None,
            Self::Rsext4Preview => Some(4_000),
        }
    }

    /// The library with the name `name`.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|library| library.name() == name)
    }
}

/// The traffic between a file system and its device since it was mounted. The traffic of a library is counted at its
/// calls, that of a mounted file system by its block device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Requests to bring everything to stable storage.
    pub flushes: u64,
}

/// The effect of a sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synced {
    /// All data are on the device.
    OnDevice,
    /// None: the file system has no such call.
    NotAtAll,
}

/// An entry of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DirectoryEntry {
    /// A directory.
    Directory,
    /// Anything else.
    File,
}

/// The names of a file system: directories, and what is known of a file without opening it. Paths are relative to the
/// directory in which the file system works, with `/` between their parts. Each method fails if the file system returns
/// an error.
pub trait Names {
    /// Makes a directory.
    fn make_directory(&mut self, path: &str) -> Result<(), LibraryError>;

    /// Reads the attributes of a file. Returns its size, bytes.
    fn size(&mut self, path: &str) -> Result<u64, LibraryError>;

    /// The names in a directory, without `.` and `..`. The path `""` is the working directory.
    fn list(&mut self, path: &str) -> Result<Vec<(String, DirectoryEntry)>, LibraryError>;

    /// Removes a file.
    fn remove_file(&mut self, path: &str) -> Result<(), LibraryError>;

    /// Removes an empty directory.
    fn remove_directory(&mut self, path: &str) -> Result<(), LibraryError>;

    /// Renames a file. The new name must not exist.
    fn rename(&mut self, from: &str, to: &str) -> Result<(), LibraryError>;

    /// Sets a file's permissions, and both its times in seconds since 1970.
    fn set_attributes(&mut self, path: &str, permissions: u16, seconds: u32) -> Result<(), LibraryError>;
}

/// The contents of the files of a file system. Each method fails if the file system returns an error.
pub trait Contents {
    /// An open file.
    type File;

    /// Makes an empty file, which must not exist before, and opens it for writing.
    fn create(&mut self, path: &str) -> Result<Self::File, LibraryError>;

    /// Opens a file for reading and writing.
    fn open(&mut self, path: &str) -> Result<Self::File, LibraryError>;

    /// Reads from byte `offset` on. Returns fewer bytes than requested only at the end of the file.
    fn read_at(&mut self, file: &mut Self::File, offset: u64, into: &mut [u8]) -> Result<usize, LibraryError>;

    /// Writes all of `bytes` from byte `offset` on.
    fn write_at(&mut self, file: &mut Self::File, offset: u64, bytes: &[u8]) -> Result<(), LibraryError>;

    /// Opens a file, writes at its end, and closes it.
    fn append(&mut self, path: &str, bytes: &[u8]) -> Result<(), LibraryError>;
}

/// A file system that works in one directory. Calls do not overlap, and fail if the file system returns an error.
pub trait FileSystem: Names + Contents + Sized {
    /// Its name in errors.
    const NAME: &'static str;
    /// Whether it is a library, which ends with its unmount. A directory of the kernel does not.
    const IS_LIBRARY: bool;

    /// Begins to work in `directory` of the file system at `place`. For a library, `place` is a block device, and the
    /// directory is made if it does not exist. For the kernel, `place` is a path.
    ///
    /// # Errors
    /// If the directory cannot be opened, or the library does not mount the device.
    fn mount(place: &Path, directory: &str) -> Result<Self, LibraryError>;

    /// Sets whether each write to a file that is opened from now on is durable when it returns. Libraries do not
    /// support this.
    fn make_each_write_durable(&mut self, _is_wanted: bool) {}

    /// Brings all data to the device, if the file system has a call for it.
    fn sync(&mut self) -> Result<Synced, LibraryError>;

    /// Traffic with the device so far; `None` if it is not counted.
    fn traffic(&self) -> Option<Traffic>;

    /// Ends the work. A library writes its remaining data to its device and flushes the device. Returns the traffic up
    /// to then.
    fn unmount(self) -> Result<Option<Traffic>, LibraryError>;
}
