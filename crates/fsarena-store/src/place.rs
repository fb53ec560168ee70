//! Checks the file of a store and its folder before SQLite opens the file: opening a database may already write to it.

use std::fs::{self, DirBuilder, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use fsarena_sys::fault;
use rustix::fs::{Access, access};

use crate::{Result, Store, StoreAccess, StoreError};

/// Suffixes of the files that SQLite keeps next to the store.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Write bits of the group and of others.
const WRITABLE_BY_OTHERS: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// The path of a file next to the store.
fn companion(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Whether a writer is active, or was killed: what it wrote last is not in the file itself.
pub fn has_journal(path: &Path) -> bool {
    ["-wal", "-journal"].iter().any(|suffix| companion(path, suffix).exists())
}

/// Whether there is a store, without writing to it or to a file next to it; an empty file is none. SQLite opens it,
/// since closing a file takes away all locks that this process has on it (fcntl_locking(2)), also those of SQLite's
/// connections.
///
/// # Errors
/// If it is not a database, or is one of another program or of another format.
pub fn look(path: &Path, access: StoreAccess) -> Result<bool> {
    let failed = |error: std::io::Error| StoreError::inaccessible(path, access, error);
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        found => found.map_err(failed)?,
    };
    if !found.is_file() {
        return Err(StoreError::NoFile { path: path.to_owned() });
    }
    rustix::fs::access(path, Access::READ_OK).map_err(|errno| failed(errno.into()))?;
    let view = |with_locks| Store::view(path, access, with_locks).map(|(_, is_store)| is_store);
    match view(false) {
        // It sees half of what another process is writing. Meanwhile there is a journal.
        Err(StoreError::Damaged { .. }) => view(has_journal(path)),
        found => found,
    }
}

/// Refuses a path where there is no store.
pub fn require_store(path: &Path, access: StoreAccess) -> Result<()> {
    if look(path, access)? { Ok(()) } else { Err(StoreError::Missing { path: path.to_owned() }) }
}

/// Refuses a place at which no store can be made or written; makes nothing.
///
/// # Errors
/// Those of [`prepare`] and [`look`].
pub fn require(path: &Path) -> Result<()> {
    let failed = |error: std::io::Error| StoreError::inaccessible(path, StoreAccess::Write, error);
    look(path, StoreAccess::Write)?;
    let folder = folder(path);
    let existing = existing_ancestor(folder).map_err(failed)?;
    if folder.is_dir() {
        prepare(path)?;
    } else if rustix::process::geteuid().is_root() {
        require_own_ancestors(path, &existing)?;
    }
    // Not even root can write to an immutable file.
    let written = if path.is_file() { path } else { &existing };
    access(written, Access::WRITE_OK).map_err(|errno| failed(errno.into()))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The nearest folder that exists, without symbolic links in its path.
fn existing_ancestor(folder: &Path) -> std::io::Result<PathBuf> {
    folder.ancestors().find(|above| above.is_dir()).unwrap_or(Path::new(".")).canonicalize()
}

/// Makes the folder of the store if it is missing, and returns the store's path without symbolic links in the folder's
/// part. For root no other user may be able to replace the file, and the file itself must not be a symbolic link.
///
/// # Errors
/// [`StoreError::Unsafe`], or if a folder cannot be made.
pub fn prepare(path: &Path) -> Result<PathBuf> {
    let failed = |error: std::io::Error| StoreError::inaccessible(path, StoreAccess::Write, error);
    let Some(name) = path.file_name() else { return Err(failed(ErrorKind::IsADirectory.into())) };
    let folder = folder(path);
    let is_root = rustix::process::geteuid().is_root();
    if !folder.is_dir() {
        if is_root {
            require_own_ancestors(path, &existing_ancestor(folder).map_err(failed)?)?;
        }
        fault::step("mkdir store").map_err(failed)?;
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    }
    let folder = folder.canonicalize().map_err(failed)?;
    let file = folder.join(name);
    if is_root {
        require_own_ancestors(path, &folder)?;
        require_own(path, &folder, &fs::symlink_metadata(&folder).map_err(failed)?)?;
        for suffix in [""].iter().chain(&COMPANIONS) {
            let companion_file = companion(&file, suffix);
            match fs::symlink_metadata(&companion_file) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                found => require_own(path, &companion_file, &found.map_err(failed)?)?,
            }
        }
    }
    Ok(file)
}

/// Requires that every folder belongs to root, and that others may at most add files to it: they cannot replace root's.
fn require_own_ancestors(store: &Path, folder: &Path) -> Result<()> {
    for folder in folder.ancestors() {
        let found = fs::symlink_metadata(folder);
        let found = found.map_err(|error| StoreError::inaccessible(store, StoreAccess::Write, error))?;
        if found.uid() != 0 {
            return Err(not_own(store, folder, "belongs to another user"));
        }
        if found.mode() & WRITABLE_BY_OTHERS != 0 && found.mode() & STICKY == 0 {
            return Err(not_own(store, folder, "can be written by other users"));
        }
    }
    Ok(())
}

/// Requires that it is not a symbolic link, belongs to root, and is writable only by root.
fn require_own(store: &Path, path: &Path, found: &Metadata) -> Result<()> {
    match () {
        () if found.is_symlink() => Err(not_own(store, path, "is a link")),
        () if found.uid() != 0 => Err(not_own(store, path, "belongs to another user")),
        () if found.mode() & WRITABLE_BY_OTHERS != 0 => Err(not_own(store, path, "can be written by other users")),
        () => Ok(()),
    }
}

fn not_own(store: &Path, found: &Path, why: &'static str) -> StoreError {
    StoreError::Unsafe { path: store.to_owned(), found: found.to_owned(), why }
}
