//! What can go wrong with a store, and the way out.

use std::error::Error;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file or a directory above it cannot be made or written.
    #[error("the store `{}` cannot be written: {source}", path.display())]
    Unwritable {
        /// The store.
        path: PathBuf,
        /// What the system said.
        source: Box<dyn Error + Send + Sync>,
    },
    /// A newer fsarena made it; it was left as it is.
    #[error("the store `{}` has version {found}, this fsarena knows versions up to {known}", path.display())]
    Newer {
        /// The store.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest that this fsarena knows.
        known: i64,
    },
    /// It is an SQLite file of some other program; it was left as it is.
    #[error("`{}` is a database of another program, not a store of fsarena", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// It is not an SQLite file, or a broken one.
    #[error("the store `{}` is damaged or no store at all: {source}", path.display())]
    Damaged {
        /// The store.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A value in it is not what this fsarena expects.
    #[error("run {run} in the store `{}`: the {what} cannot be read: {source}", path.display())]
    Unreadable {
        /// The store.
        path: PathBuf,
        /// The run that the value belongs to.
        run: i64,
        /// Which value.
        what: &'static str,
        /// Why.
        source: Box<dyn Error + Send + Sync>,
    },
    /// No run has this number.
    #[error("the store `{}` has no run {run}", path.display())]
    NoSuchRun {
        /// The number.
        run: i64,
        /// The store.
        path: PathBuf,
    },
    /// Anything else that SQLite says, such as a lock that another process does not give up.
    #[error("the store `{}`: {source}", path.display())]
    Sqlite {
        /// The store.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}

impl StoreError {
    /// The way out, where there is one.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unwritable { .. } => "name another place with `--store FILE`, or make room there".to_owned(),
            Self::Newer { .. } => "use the fsarena that wrote it, or another store with `--store FILE`".to_owned(),
            Self::Foreign { .. } => "name another file with `--store FILE`".to_owned(),
            Self::Damaged { path, .. } => {
                format!("move `{}` away and a new store is made, or name another with `--store FILE`", path.display())
            }
            Self::Unreadable { .. } => "use the fsarena that wrote this run".to_owned(),
            Self::NoSuchRun { .. } => "`fsarena runs` lists the runs of a store".to_owned(),
            Self::Sqlite { source, .. } if is_busy(source) => "another fsarena is writing; try again".to_owned(),
            Self::Sqlite { .. } => return None,
        })
    }

    pub(crate) fn unwritable(path: &Path, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unwritable { path: path.to_owned(), source: source.into() }
    }

    /// Sorts what SQLite said of `path` by what can be done about it.
    pub(crate) fn sqlite(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(
                ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
                | ErrorCode::PermissionDenied
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure,
            ) => Self::Unwritable { path, source: source.into() },
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Damaged { path, source },
            _ => Self::Sqlite { path, source },
        }
    }
}

/// Whether another process holds a lock.
pub(crate) fn is_busy(source: &rusqlite::Error) -> bool {
    matches!(source.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
