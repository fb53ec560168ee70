//! The block device that a library works on: counted reads, writes and flushes.

use std::cell::{Cell, RefCell};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::rc::Rc;

use rustix::fs::OFlags;

use crate::{LibraryError, Traffic, error};

/// A block device, or a file in the place of one, that nobody else has mounted.
#[derive(Debug)]
pub struct Device {
    size: u64,
    book: Rc<Book>,
}

/// The open device, what it has counted, and why it failed last: libraries keep the device to themselves, and its errors too.
#[derive(Debug)]
pub struct Book {
    file: File,
    traffic: Cell<Traffic>,
    failure: RefCell<Option<io::Error>>,
}

impl Device {
    /// Opens the device for itself: what is mounted is refused (open(2), O_EXCL).
    pub fn open(path: &Path) -> Result<Self, LibraryError> {
        let failed = |source| LibraryError::Kernel { act: format!("open {}", path.display()), source };
        let flags = OFlags::EXCL.bits() as i32;
        let mut file = OpenOptions::new().read(true).write(true).custom_flags(flags).open(path).map_err(failed)?;
        let size = file.seek(SeekFrom::End(0)).map_err(failed)?;
        let book = Book { file, traffic: Cell::default(), failure: RefCell::default() };
        Ok(Self { size, book: Rc::new(book) })
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// What it counts, for whoever gives the device away.
    pub fn book(&self) -> Rc<Book> {
        Rc::clone(&self.book)
    }

    /// Reads all of `into`; whether that went well.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), Failed> {
        self.book.add(|traffic| traffic.read += into.len() as u64);
        self.book.keep(self.book.file.read_exact_at(into, offset))
    }

    /// Writes all of `bytes`.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Failed> {
        self.book.add(|traffic| traffic.written += bytes.len() as u64);
        self.book.keep(self.book.file.write_all_at(bytes, offset))
    }

    /// Brings all that was written to stable storage.
    pub fn flush(&self) -> Result<(), Failed> {
        self.book.flush()
    }
}

/// The device refused, and its book says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed;

impl Book {
    /// Brings all that was written to stable storage (fdatasync(2): of a block device the cache is flushed as well).
    pub fn flush(&self) -> Result<(), Failed> {
        self.add(|traffic| traffic.flushes += 1);
        self.keep(self.file.sync_data())
    }

    /// What was counted.
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

    /// An error of `library` with its words, or with those of the device if that is why.
    pub fn error(&self, library: &'static str, act: &str, path: &str, words: impl ToString) -> LibraryError {
        let act = error::words(act, path);
        match self.failure.borrow_mut().take() {
            Some(source) => LibraryError::Device { library, act, source },
            None => LibraryError::Library { library, act, words: words.to_string() },
        }
    }
}
