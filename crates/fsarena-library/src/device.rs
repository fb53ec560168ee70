//! The block device that a library uses. It counts reads, writes and flushes.

use std::cell::{Cell, RefCell};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::rc::Rc;

use rustix::fs::OFlags;

use crate::{LibraryError, Traffic, error};

/// A block device, or a regular file in place of one, that is opened exclusively.
#[derive(Debug)]
pub struct Device {
    size: u64,
    book: Rc<Book>,
}

/// The open device, its counters and its last error. Libraries keep the device to themselves, and do not pass its
/// errors on.
#[derive(Debug)]
pub struct Book {
    file: File,
    traffic: Cell<Traffic>,
    failure: RefCell<Option<io::Error>>,
}

impl Device {
    /// Opens the device exclusively: a mounted device is refused (open(2), O_EXCL).
    pub fn open(path: &Path) -> Result<Self, LibraryError> {
        let failed = |source| LibraryError::Kernel { act: format!("open {}", path.display()), source };
        let flags = OFlags::EXCL.bits() as i32;
        let mut file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path).map_err(failed)?;
        let size = file.seek(SeekFrom::End(0)).map_err(failed)?;
        let book = Book { file, traffic: Cell::default(), failure: RefCell::default() };
        Ok(Self { size, book: Rc::new(book) })
    }

    /// Size, bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Its book, for the code that gives the device to a library.
    pub fn book(&self) -> Rc<Book> {
        Rc::clone(&self.book)
    }

    /// Reads all of `into`.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Failed> {
        self.book.add(|traffic| traffic.read += into.len() as u64);
        self.book.keep(self.book.file.read_exact_at(into, offset))
    }

    /// Writes all of `bytes`.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Failed> {
        self.book.add(|traffic| traffic.written += bytes.len() as u64);
        self.book.keep(self.book.file.write_all_at(bytes, offset))
    }

    /// Brings all written data to stable storage.
    pub fn flush(&self) -> Result<(), Failed> {
        self.book.flush()
    }
}

/// The device returned an error, which is in its book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed;

impl Book {
    /// Brings all written data to stable storage (fdatasync(2), which also flushes the cache of a block device).
    pub fn flush(&self) -> Result<(), Failed> {
        self.add(|traffic| traffic.flushes += 1);
        self.keep(self.file.sync_data())
    }

    /// The traffic so far.
    pub fn traffic(&self) -> Traffic {
        self.traffic.get()
    }

    fn add(&self, change: impl FnOnce(&mut Traffic)) {
        let mut traffic = self.traffic.get();
        change(&mut traffic);
        self.traffic.set(traffic);
    }

    fn keep(&self, done: io::Result<()>) -> Result<(), Failed> {
        done.map_err(|error| {
            *self.failure.borrow_mut() = Some(error);
            Failed
        })
    }

    /// An error of `library` with its message, or with the error of the device if that is the cause.
    pub fn error(&self, library: &'static str, act: &str, path: &str, words: impl ToString) -> LibraryError {
        let act = error::words(act, path);
        match self.failure.borrow_mut().take() {
            Some(source) => LibraryError::Device { library, act, source },
            None => LibraryError::Library { library, act, words: words.to_string() },
        }
    }
}
