//! The operations of the writer. Each is durable, by the rules of POSIX and SQLite, once it has returned.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use fsarena_model::seed::generator;
use rand::Rng;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

/// Bytes of a record: those of a block of most file systems.
pub const RECORD: usize = 4096;

/// Bytes of writes that no one syncs, after each operation, and how large their file grows.
const UNSYNCED: (usize, u64) = (8192, 1 << 20);

/// What is done to make an operation durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// A record at the end of a file; fsync.
    Append,
    /// A record at the end of a file; fdatasync.
    AppendData,
    /// A new file with a record; fsync of the file and of its directory.
    Create,
    /// A new file with a record takes the name of an old one (rename); fsync of the file before, of the directory
    /// after.
    Replace,
    /// A row in SQLite with a write-ahead log and `synchronous=FULL`.
    WriteAhead,
    /// A row in SQLite with a rollback journal that is truncated, and `synchronous=FULL`.
    Rollback,
}

impl Action {
    /// All, in the order in which the operations rotate.
    pub const ALL: [Self; 6] =
        [Self::Append, Self::AppendData, Self::Create, Self::Replace, Self::WriteAhead, Self::Rollback];

    /// That of the operation with this number.
    pub fn of(operation: u64) -> Self {
        Self::ALL[(operation % Self::ALL.len() as u64) as usize]
    }
}

/// What the action does, in a few words.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Append => "append and fsync",
            Self::AppendData => "append and fdatasync",
            Self::Create => "new file",
            Self::Replace => "rename",
            Self::WriteAhead => "SQLite with a write-ahead log",
            Self::Rollback => "SQLite with a rollback journal",
        })
    }
}

/// The number of operations with the same action before this one.
pub fn turn(operation: u64) -> u64 {
    operation / Action::ALL.len() as u64
}

/// The record of an operation: its number in words and bytes that follow from the seed.
pub fn record(seed: u64, operation: u64) -> Vec<u8> {
    let mut bytes = vec![0; RECORD];
    generator(seed, "record", &[operation]).fill_bytes(&mut bytes);
    let words = format!("record {operation:8}\n");
    bytes[..words.len()].copy_from_slice(words.as_bytes());
    bytes
}

/// The files that the operations of one action use, in the writer's directory.
pub fn path(directory: &Path, action: Action) -> PathBuf {
    directory.join(match action {
        Action::Append => "appended",
        Action::AppendData => "appended-data",
        Action::Create => "created",
        Action::Replace => "replaced",
        Action::WriteAhead => "write-ahead.db",
        Action::Rollback => "rollback.db",
    })
}

/// The file of a creation, in a directory with nothing but these.
pub fn created(directory: &Path, operation: u64) -> PathBuf {
    path(directory, Action::Create).join(format!("file-{operation}"))
}

/// Whether the writer syncs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Syncs {
    /// Each operation is synced.
    Each,
    /// None is, although all are acknowledged: a control, in which losses have to be found.
    Never,
}

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum WorkError {
    #[error("operation {operation}: {source}")]
    Io { operation: u64, source: io::Error },
    #[error("operation {operation}: SQLite: {source}")]
    Sqlite { operation: u64, source: rusqlite::Error },
}

/// Does the operations, in a directory of its own.
pub struct Writer {
    directory: PathBuf,
    folder: File,
    created: File,
    appended: [File; 2],
    unsynced: File,
    databases: [Connection; 2],
    seed: u64,
    syncs: Syncs,
}

impl Writer {
    /// A writer in the empty directory `directory`; all that it needs there is durable.
    ///
    /// # Errors
    /// If a file cannot be made.
    pub fn begin(directory: &Path, seed: u64, syncs: Syncs) -> Result<Self, WorkError> {
        let failed = |source| WorkError::Io { operation: 0, source };
        let new = |name: &str| OpenOptions::new().write(true).create_new(true).open(directory.join(name));
        fs::create_dir(path(directory, Action::Create)).map_err(failed)?;
        let folder = File::open(directory).map_err(failed)?;
        let databases = [Action::WriteAhead, Action::Rollback].map(|action| database(directory, action, syncs));
        let [ahead, rollback] = databases;
        let writer = Self {
            created: File::open(path(directory, Action::Create)).map_err(failed)?,
            appended: [new("appended").map_err(failed)?, new("appended-data").map_err(failed)?],
            unsynced: new("unsynced").map_err(failed)?,
            databases: [ahead?, rollback?],
            directory: directory.to_owned(),
            folder,
            seed,
            syncs,
        };
        rustix::fs::syncfs(&writer.folder).map_err(|error| failed(error.into()))?;
        Ok(writer)
    }

    /// Does an operation. When this returns, it is durable unless the writer does not sync.
    ///
    /// # Errors
    /// If a system call or SQLite fails.
    pub fn perform(&mut self, operation: u64) -> Result<(), WorkError> {
        let record = record(self.seed, operation);
        let done = match Action::of(operation) {
            Action::Append => self.append(0, operation, &record),
            Action::AppendData => self.append(1, operation, &record),
            Action::Create => self.create(operation, &record),
            Action::Replace => self.replace(&record),
            Action::WriteAhead => return self.insert(0, operation, &record),
            Action::Rollback => return self.insert(1, operation, &record),
        };
        let done = done.and_then(|()| self.leave_unsynced(operation, &record));
        done.map_err(|source| WorkError::Io { operation, source })
    }

    fn append(&self, index: usize, operation: u64, record: &[u8]) -> io::Result<()> {
        let file = &self.appended[index];
        file.write_all_at(record, turn(operation) * RECORD as u64)?;
        match (self.syncs, index) {
            (Syncs::Never, _) => Ok(()),
            (Syncs::Each, 0) => file.sync_all(),
            (Syncs::Each, _) => file.sync_data(),
        }
    }

    fn create(&self, operation: u64, record: &[u8]) -> io::Result<()> {
        self.new_file(&created(&self.directory, operation), record)?;
        self.sync(&self.created)
    }

    fn replace(&self, record: &[u8]) -> io::Result<()> {
        let name = path(&self.directory, Action::Replace);
        let temporary = name.with_extension("new");
        self.new_file(&temporary, record)?;
        fs::rename(&temporary, &name)?;
        self.sync(&self.folder)
    }

    fn new_file(&self, path: &Path, record: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
        file.write_all(record)?;
        self.sync(&file)
    }

    fn sync(&self, file: &File) -> io::Result<()> {
        if self.syncs == Syncs::Each { file.sync_all() } else { Ok(()) }
    }

    fn insert(&self, index: usize, operation: u64, record: &[u8]) -> Result<(), WorkError> {
        let done = self.databases[index].execute("INSERT INTO records VALUES (?, ?)", (operation as i64, record));
        done.map(drop).map_err(|source| WorkError::Sqlite { operation, source })
    }

    /// Leaves dirty data in the page cache, as other programs do: a sync of one file must not depend on them.
    fn leave_unsynced(&self, operation: u64, record: &[u8]) -> io::Result<()> {
        let at = (operation * UNSYNCED.0 as u64) % UNSYNCED.1;
        if at == 0 {
            self.unsynced.set_len(0)?;
        }
        self.unsynced.write_all_at(&record.repeat(UNSYNCED.0 / RECORD), at)
    }
}

fn database(directory: &Path, action: Action, syncs: Syncs) -> Result<Connection, WorkError> {
    let make = || {
        let connection = Connection::open(path(directory, action))?;
        let journal = if action == Action::WriteAhead { "wal" } else { "truncate" };
        connection.pragma_update(None, "journal_mode", journal)?;
        connection.pragma_update(None, "synchronous", if syncs == Syncs::Each { "full" } else { "off" })?;
        connection.execute_batch("CREATE TABLE records (operation INTEGER PRIMARY KEY, record BLOB NOT NULL)")?;
        Ok(connection)
    };
    make().map_err(|source| WorkError::Sqlite { operation: 0, source })
}
