//! The store: one SQLite file that listens to a run's events and gives its record back.
//!
//! Each event is one transaction, so that a run that was killed can be read up to its last event; it is then simply a
//! run without [`Event::Finished`](fsarena_model::Event::Finished). The tables are in `migrations/`.

mod error;
mod migrate;
mod read;
mod text;
mod write;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

pub use error::StoreError;
pub use read::RunRow;

/// What the store's functions give.
pub type Result<T> = std::result::Result<T, StoreError>;

/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long it sleeps between two attempts at what SQLite does not wait for.
const PAUSE: Duration = Duration::from_millis(5);

/// An open store file.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
}

impl Store {
    /// Opens the store at `path`, or makes it, with the directories above it, and brings it to today's form.
    ///
    /// A file that is not a store, or one of a newer fsarena, is refused and left as it is.
    pub fn open(path: &Path) -> Result<Self> {
        make_parents(path)?;
        let mut store = Self { path: path.to_owned(), connection: connect(path)? };
        migrate::migrate(&mut store.connection, path)?;
        store.write_ahead().map_err(|source| StoreError::sqlite(path, source))?;
        Ok(store)
    }

    /// Where the store lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// SQLite does not wait for others when it changes the journal's mode, so this does.
    fn write_ahead(&self) -> rusqlite::Result<()> {
        let begun = Instant::now();
        loop {
            match self.connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())) {
                Err(error) if error::is_busy(&error) && begun.elapsed() < PATIENCE => thread::sleep(PAUSE),
                outcome => break outcome?,
            }
        }
        self.connection.pragma_update(None, "synchronous", "normal")
    }

    fn sqlite(&self, source: rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.path, source)
    }
}

fn make_parents(path: &Path) -> Result<()> {
    let parent = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(|source| StoreError::unwritable(path, source))
}

/// No URI flag: a path is a path, also one that begins with `file:`.
fn connect(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok(connection)
    };
    open().map_err(|source| StoreError::sqlite(path, source))
}
