//! Which file systems run within this process? Libraries that work on a block device by themselves, and a directory of one of the
//! kernel's mounted file systems, behind one door: [`FileSystem`].

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

/// The libraries that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// The crate `rsext4`, 0.9.
    Rsext4,
    /// The crate `rsext4`, 0.1.0-pre.0.
    Rsext4Preview,
}

impl Library {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Rsext4, Self::Rsext4Preview];

    /// Its name, which is that of the kind of contender that it serves.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rsext4 => "rsext4",
            Self::Rsext4Preview => "rsext4-preview",
        }
    }

    /// How many files and directories it can keep at a time; `None`: as many as there is room for. With 10,000 the preview was seen to
    /// damage its directories, and then to remove one without ever coming to an end, in ever more memory; with 4,400 all was well.
    pub const fn most_files(self) -> Option<u64> {
        match self {
            Self::Rsext4 => None,
            Self::Rsext4Preview => Some(4_000),
        }
    }

    /// The library of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|library| library.name() == name)
    }
}

/// What has gone between a file system and its device since it was mounted, as the library handed it over, or of a mounted one as
/// its block device counted it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Requests to bring everything to stable storage.
    pub flushes: u64,
}

/// What asking for everything to be brought to the device did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synced {
    /// All is there.
    OnDevice,
    /// Nothing: there is no such call.
    NotAtAll,
}

/// An entry of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entry {
    /// A directory.
    Directory,
    /// Anything else.
    File,
}

/// A file system at work in one directory. Paths are relative to that, with `/` between their parts; all calls are one after the other.
pub trait FileSystem: Sized {
    /// A file that is open.
    type File;

    /// What it is called in errors.
    const NAME: &'static str;
    /// Whether it ends with its unmounting: a directory of the kernel's does not.
    const IS_LIBRARY: bool;

    /// Begins to work in `directory` of the file system at `place`; a library makes it if it is not there, and takes `place` for a
    /// block device, the kernel for a path.
    ///
    /// # Errors
    /// If it cannot be opened, or the library does not mount it.
    fn mount(place: &Path, directory: &str) -> Result<Self, LibraryError>;

    /// Makes a directory.
    ///
    /// # Errors
    /// If it is refused, as all below.
    fn make_directory(&mut self, path: &str) -> Result<(), LibraryError>;

    /// Makes an empty file that was not there and opens it for writing.
    ///
    /// # Errors
    /// If it is refused.
    fn create(&mut self, path: &str) -> Result<Self::File, LibraryError>;

    /// Opens a file for reading and writing.
    ///
    /// # Errors
    /// If it is refused.
    fn open(&mut self, path: &str) -> Result<Self::File, LibraryError>;

    /// Reads from byte `offset` on; fewer bytes than asked for only at the end of the file.
    ///
    /// # Errors
    /// If it is refused.
    fn read_at(&mut self, file: &mut Self::File, offset: u64, into: &mut [u8]) -> Result<usize, LibraryError>;

    /// Writes all of `bytes` from byte `offset` on.
    ///
    /// # Errors
    /// If it is refused.
    fn write_at(&mut self, file: &mut Self::File, offset: u64, bytes: &[u8]) -> Result<(), LibraryError>;

    /// Opens a file, writes at its end, and closes it.
    ///
    /// # Errors
    /// If it is refused.
    fn append(&mut self, path: &str, bytes: &[u8]) -> Result<(), LibraryError>;

    /// Asks for a file's attributes; its bytes are returned.
    ///
    /// # Errors
    /// If it is refused.
    fn size(&mut self, path: &str) -> Result<u64, LibraryError>;

    /// The names in a directory, `""` being the one at work, without `.` and `..`.
    ///
    /// # Errors
    /// If it is refused.
    fn list(&mut self, path: &str) -> Result<Vec<(String, Entry)>, LibraryError>;

    /// Removes a file.
    ///
    /// # Errors
    /// If it is refused.
    fn remove_file(&mut self, path: &str) -> Result<(), LibraryError>;

    /// Removes an empty directory.
    ///
    /// # Errors
    /// If it is refused.
    fn remove_directory(&mut self, path: &str) -> Result<(), LibraryError>;

    /// Gives a file another name, which nothing has.
    ///
    /// # Errors
    /// If it is refused.
    fn rename(&mut self, from: &str, to: &str) -> Result<(), LibraryError>;

    /// Sets a file's permissions, and both its times in seconds since 1970.
    ///
    /// # Errors
    /// If it is refused.
    fn set_attributes(&mut self, path: &str, permissions: u16, seconds: u32) -> Result<(), LibraryError>;

    /// Whether from now on each write to a file that is opened is durable when it returns. A library cannot do that.
    fn make_each_write_durable(&mut self, _is_wanted: bool) {}

    /// Brings everything to the device, as far as there is a call for it.
    ///
    /// # Errors
    /// If it is refused.
    fn sync(&mut self) -> Result<Synced, LibraryError>;

    /// What has gone to and from the device so far; `None` where nobody counts.
    fn traffic(&self) -> Option<Traffic>;

    /// Ends: a library brings all that it owes to its device, and that to stable storage. The traffic up to then is returned.
    ///
    /// # Errors
    /// If it is refused.
    fn unmount(self) -> Result<Option<Traffic>, LibraryError>;
}
