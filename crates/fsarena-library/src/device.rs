//! The block device that a library uses. It counts reads, writes and flushes.

use std::cell::{Cell, RefCell};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::rc::Rc;

use rustix::fs::OFlags;

use crate::{LibraryError, Traffic, error};

/// A block device, or a regular file in place of one, that is opened exclusively. All clones are the same device: a
/// library keeps one to itself, and does not pass the errors of the device on.
#[derive(Debug, Clone)]
pub struct Device(Rc<OpenDevice>);

/// The open device, its counters and its last error.
#[derive(Debug)]
struct OpenDevice {
    file: File,
    size: u64,
    traffic: Cell<Traffic>,
    failure: RefCell<Option<io::Error>>,
}

/// The device returned an error, which it keeps for [`Device::error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed;

impl Device {
    /// Opens the device exclusively: a mounted device is refused (open(2), O_EXCL).
    pub fn open(path: &Path) -> Result<Self, LibraryError> {
        let failed = |source| LibraryError::Kernel { act: format!("open {}", path.display()), source };
        let flags = OFlags::EXCL.bits() as i32;
        let mut file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path).map_err(failed)?;
        let size = file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Self(Rc::new(OpenDevice { file, size, traffic: Cell::default(), failure: RefCell::default() })))
    }

    /// Size, bytes.
    pub fn size(&self) -> u64 {
        self.0.size
    }

    /// Reads all of `into`.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Failed> {
        self.add(|traffic| traffic.read += into.len() as u64);
        self.keep(self.0.file.read_exact_at(into, offset))
    }

    /// Writes all of `bytes`.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Failed> {
        self.add(|traffic| traffic.written += bytes.len() as u64);
        self.keep(self.0.file.write_all_at(bytes, offset))
    }

    /// Brings all written data to stable storage (fdatasync(2), which also flushes the cache of a block device).
    pub fn flush(&self) -> Result<(), Failed> {
        self.add(|traffic| traffic.flushes += 1);
        self.keep(self.0.file.sync_data())
    }

    /// The traffic so far.
    pub fn traffic(&self) -> Traffic {
        self.0.traffic.get()
    }

    fn add(&self, change: impl FnOnce(&mut Traffic)) {
        let mut traffic = self.0.traffic.get();
        change(&mut traffic);
        self.0.traffic.set(traffic);
    }

    fn keep(&self, done: io::Result<()>) -> Result<(), Failed> {
        done.map_err(|error| {
            *self.0.failure.borrow_mut() = Some(error);
            Failed
        })
    }

    /// An error of `library` with its message, or with the error of the device if that is the cause.
    pub fn error(&self, library: &'static str, act: &str, path: &str, words: impl ToString) -> LibraryError {
        let act = error::words(act, path);
        match self.0.failure.borrow_mut().take() {
            Some(source) => LibraryError::Device { library, act, source },
            None => LibraryError::Library { library, act, words: words.to_string() },
        }
    }
}
