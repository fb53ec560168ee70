//! The store: one SQLite file that stores the events of a run and loads its record.
//!
//! Each event is one transaction and on the disk when [`Store::append`] returns. A run that was killed, or whose
//! machine lost power, can therefore be read up to its last event; it is then a run without
//! [`Event::Finished`](fsarena_model::Event::Finished). Nothing else is stored: a record is made of the events each
//! time it is loaded. The tables are in `schema.rs`.
//!
//! A store may come from another user. Nothing in its schema is executed: views, triggers and functions are refused or
//! switched off.

mod error;
mod place;
mod read;
mod schema;
mod write;

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

pub use error::{StoreAccess, StoreError};
pub use read::RunRow;

/// Result of the store's functions.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Maximum time that a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);

/// Pause between two attempts at an operation for which SQLite does not wait.
const PAUSE: Duration = Duration::from_millis(5);

/// An open store file.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    access: StoreAccess,
    connection: Connection,
}

impl Store {
    /// Opens the store at `path`, or makes it with the directories above it.
    ///
    /// # Errors
    /// A file that is not a store, or one of another format, is refused and left unchanged; for root also a place that
    /// another user could write to.
    pub fn open(path: &Path) -> Result<Self> {
        let file = place::prepare(path)?;
        place::look(&file, StoreAccess::Write)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        // For an ordinary user links may be followed: they are the user's own.
        let is_root = rustix::process::geteuid().is_root();
        let flags = if is_root { flags | OpenFlags::SQLITE_OPEN_NOFOLLOW } else { flags };
        let mut store = Self::connect(path, &file, StoreAccess::Write, flags)?;
        schema::prepare(&mut store.connection, path)?;
        store.write_ahead().map_err(|error| store.sqlite(error))?;
        Ok(store)
    }

    /// Refuses a path at which [`Store::open`] would fail, as far as that can be known; makes and changes nothing.
    ///
    /// # Errors
    /// Those of [`Store::open`].
    pub fn require(path: &Path) -> Result<()> {
        place::require(path)
    }

    /// Like [`Store::open`], for a store that exists.
    ///
    /// # Errors
    /// [`StoreError::Missing`], and those of [`Store::open`].
    pub fn open_existing(path: &Path) -> Result<Self> {
        place::require_store(path, StoreAccess::Write)?;
        Self::open(path)
    }

    /// Opens the store at `path` for reading. Makes and changes nothing, and needs no permission to write.
    ///
    /// # Errors
    /// [`StoreError::Missing`], or the reason why it cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        place::require_store(path, StoreAccess::Read)?;
        // Without a journal, SQLite would make files next to it, for which the permission may be missing.
        let (store, is_store) = Self::view(path, StoreAccess::Read, place::has_journal(path))?;
        if is_store { Ok(store) } else { Err(StoreError::Missing { path: path.to_owned() }) }
    }

    /// Path of the store.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file at `path` for reading, with locks or without, and tells whether it is a store.
    fn view(path: &Path, access: StoreAccess, with_locks: bool) -> Result<(Self, bool)> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let store = match with_locks {
            true => Self::connect(path, path, access, flags),
            false => Self::connect(path, &immutable(path), access, flags | OpenFlags::SQLITE_OPEN_URI),
        }?;
        let is_store = schema::check(&store.connection, path, access)?;
        Ok((store, is_store))
    }

    /// Without the URI flag in `flags` a path that begins with `file:` is an ordinary path.
    fn connect(path: &Path, file: &Path, access: StoreAccess, flags: OpenFlags) -> Result<Self> {
        let failed = |error| StoreError::sqlite(path, access, error);
        let connection = Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(failed)?;
        let set = || {
            connection.busy_timeout(PATIENCE)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
            for executed in [
                DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA,
                DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW,
                DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER,
            ] {
                connection.set_db_config(executed, false)?;
            }
            connection.pragma_update(None, "cell_size_check", true)?;
            connection.pragma_update(None, "foreign_keys", true)
        };
        set().map_err(failed)?;
        Ok(Self { path: path.to_owned(), access, connection })
    }

    /// SQLite does not wait for other processes when it changes the journal mode, so this function tries again.
    fn write_ahead(&self) -> rusqlite::Result<()> {
        let begun = Instant::now();
        loop {
            match self.connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(())) {
                Err(error) if error::is_busy(&error) && begun.elapsed() < PATIENCE => thread::sleep(PAUSE),
                outcome => break outcome?,
            }
        }
        // Each commit is on the disk when it returns. It costs a flush, which is never within a timed slice.
        self.connection.pragma_update(None, "synchronous", "full")
    }

    fn sqlite(&self, error: rusqlite::Error) -> StoreError {
        StoreError::sqlite(&self.path, self.access, error)
    }
}

/// The file as a URI that guarantees that no process writes to it (<https://www.sqlite.org/uri.html>): SQLite then
/// neither locks it nor looks for a journal.
fn immutable(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let escaped: String = absolute.as_os_str().as_bytes().iter().fold(String::new(), |text, byte| match byte {
        b'/' | b'.' | b'-' | b'_' => text + &char::from(*byte).to_string(),
        plain if plain.is_ascii_alphanumeric() => text + &char::from(*plain).to_string(),
        other => text + &format!("%{other:02X}"),
    });
    format!("file://{escaped}?immutable=1").into()
}
