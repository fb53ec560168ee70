//! Errors of a store, with hints.

use std::fmt;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// What a store was opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreAccess {
    /// To read runs; nothing is written, not even files next to the store.
    Read,
    /// To store runs.
    Write,
}

/// Prints the word in "cannot be read".
impl fmt::Display for StoreAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Read { "read" } else { "written" })
    }
}

/// Why a store operation failed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum StoreError {
    /// There is no file, or an empty one.
    #[error("there is no store at `{}`", path.display())]
    Missing { path: PathBuf },
    /// The file or a directory above it cannot be made, read or written.
    #[error("the store `{}` cannot be {access}: {why}", path.display())]
    Inaccessible { path: PathBuf, access: StoreAccess, why: String },
    /// There is a directory, or a device.
    #[error("the store `{}` is not a file", path.display())]
    NoFile { path: PathBuf },
    /// Another user could replace what root writes there.
    #[error("the store `{}` is no safe place for root's runs: `{}` {why}", path.display(), found.display())]
    Unsafe { path: PathBuf, found: PathBuf, why: &'static str },
    /// Another version of fsarena made it; it was left unchanged.
    #[error("the store `{}` has format {found}, and this fsarena uses format {known}", path.display())]
    OtherFormat { path: PathBuf, found: i64, known: i64 },
    /// It is an SQLite file of another program; it was left unchanged.
    #[error("`{}` is a database of another program, not a store of fsarena", path.display())]
    Foreign { path: PathBuf },
    /// It is not an SQLite file, or is damaged.
    #[error("the store `{}` is damaged or no store at all: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    /// An event in it is not what this fsarena expects.
    #[error("run {run} in the store `{}`: event {number} cannot be read: {why}", path.display())]
    Unreadable { path: PathBuf, run: i64, number: u64, why: String },
    /// No run has this number.
    #[error("the store `{}` has no run {run}", path.display())]
    NoSuchRun { run: i64, path: PathBuf },
    /// Another process has continued the run in the meantime.
    #[error("run {run} in the store `{}` has gone on in the meantime", path.display())]
    Continued { run: i64, path: PathBuf },
    /// Any other error of SQLite, such as a lock that another process does not release.
    #[error("the store `{}`: {error}", path.display())]
    Sqlite { path: PathBuf, error: rusqlite::Error },
}

impl StoreError {
    /// What the user can do about it, if anything.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Missing { .. } => "`fsarena compare` makes one; name another with `--store FILE`".to_owned(),
            Self::Inaccessible { access: StoreAccess::Read, path, .. } => {
                format!("its owner, or root, can read it: {}", path.display())
            }
            Self::Inaccessible { .. } => "name another place with `--store FILE`, or make room there".to_owned(),
            Self::Unsafe { .. } => {
                "name a file in a folder that only root can write: `--store FILE`; `report` and `runs` read any"
                    .to_owned()
            }
            Self::OtherFormat { .. } => {
                "use the fsarena that wrote it, move it away, or name another store with `--store FILE`".to_owned()
            }
            Self::NoFile { .. } | Self::Foreign { .. } => "name another file with `--store FILE`".to_owned(),
            Self::Damaged { path, .. } => {
                format!("move `{}` away and a new store is made, or name another with `--store FILE`", path.display())
            }
            Self::Unreadable { .. } => "use the fsarena that wrote this run".to_owned(),
            Self::NoSuchRun { .. } => "`fsarena runs` lists the runs of a store".to_owned(),
            Self::Continued { run, .. } => format!("`fsarena resume {run}` adds to what it has now"),
            Self::Sqlite { error, .. } if is_busy(error) => "another fsarena is writing; try again".to_owned(),
            Self::Sqlite { .. } => return None,
        })
    }

    pub(crate) fn inaccessible(path: &Path, access: StoreAccess, why: impl fmt::Display) -> Self {
        Self::Inaccessible { path: path.to_owned(), access, why: why.to_string() }
    }

    pub(crate) fn damaged(path: &Path, why: impl fmt::Display) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.to_string() }
    }

    /// Classifies an error of SQLite about `path` by what the user can do about it.
    pub(crate) fn sqlite(path: &Path, access: StoreAccess, error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure,
            ) => Self::inaccessible(path, access, error),
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::damaged(path, error),
            _ => Self::Sqlite { path: path.to_owned(), error },
        }
    }
}

/// Whether another process holds a lock.
pub(crate) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
