//! Checks the file of a store and its folder before SQLite opens the file: opening a database may already write to it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::{self, DirBuilder, File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use fsarena_sys::fault;
use rustix::fs::{Access, access};

use crate::schema::{self, StoreContent};
use crate::{Result, StoreAccess, StoreError};

/// Suffixes of the files that SQLite keeps next to the store.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Closing a file takes away all locks that this process has on it (fcntl_locking(2)), also those of SQLite's
/// connections, without which other processes damage a store. So a file is not closed as long as it has connections.
static OPEN: Mutex<BTreeMap<FileNumber, OpenFile>> = Mutex::new(BTreeMap::new());

/// The numbers of a file's device and inode.
type FileNumber = (u64, u64);

#[derive(Default)]
struct OpenFile {
    connections: usize,
    looked_at: Vec<File>,
}

fn open_files() -> MutexGuard<'static, BTreeMap<FileNumber, OpenFile>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection to a file.
#[derive(Debug)]
pub struct Connected(FileNumber);

impl Connected {
    /// Called before the connection has a lock.
    pub fn to(path: &Path) -> std::io::Result<Self> {
        let found = fs::metadata(path)?;
        let number = (found.dev(), found.ino());
        open_files().entry(number).or_default().connections += 1;
        Ok(Self(number))
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut open = open_files();
        if let Entry::Occupied(mut file) = open.entry(self.0) {
            file.get_mut().connections -= 1;
            if file.get().connections == 0 {
                file.remove();
            }
        }
    }
}

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

/// Reads the header of the file (<https://www.sqlite.org/fileformat2.html#the_database_header>).
///
/// # Errors
/// If it is not a database, or is one of another program or of another format.
pub fn look(path: &Path, access: StoreAccess) -> Result<StoreContent> {
    let failed = |error: std::io::Error| StoreError::inaccessible(path, access, error);
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(StoreContent::Nothing),
        found => found.map_err(failed)?,
    };
    if !found.is_file() {
        return Err(StoreError::NoFile { path: path.to_owned() });
    }
    let mut open = open_files();
    let file = File::open(path).map_err(failed)?;
    let mut header = [0_u8; 100];
    let length = file.read_at(&mut header, 0);
    if let Some(own) = open.get_mut(&(found.dev(), found.ino())) {
        own.looked_at.push(file);
    }
    let number = |at: usize| i64::from(i32::from_be_bytes([0, 1, 2, 3].map(|byte| header[at + byte])));
    let (application, version, pages, schema) = (number(68), number(60), number(28), number(40));
    match length.map_err(failed)? {
        0 => Ok(StoreContent::Nothing),
        100 if header.starts_with(b"SQLite format 3\0") => {
            // An empty database has at most one page, and no schema.
            schema::judge(path, application, version, pages <= 1 && schema == 0)
        }
        _ => Err(StoreError::damaged(path, "it is not an SQLite file")),
    }
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
