//! Folders and files outside the timer: opens, syncs, makes, removes and drops them from memory.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_model::DurablePoint;
use fsarena_sys::resident;
use rand::Rng;
use rustix::fs::{Advice, Mode, OFlags, fadvise, fdatasync, fsync, mkdirat, syncfs};
use rustix::param::page_size;

use crate::{EngineError, Operation, go_on};

/// Opens a folder for work relative to it, or a file to be read.
pub fn open(path: &Path) -> Result<File, EngineError> {
    File::open(path).map_err(EngineError::io(format!("open {}", path.display())))
}

/// Writes all data of the file system that holds `folder` to its device.
pub fn sync(folder: impl AsFd) -> Result<(), EngineError> {
    syncfs(folder).map_err(EngineError::io("syncfs"))
}

/// As [`sync`], for the folder `path`.
pub fn sync_at(path: &Path) -> Result<(), EngineError> {
    sync(open(path)?)
}

/// Makes an empty folder `name` in `parent`. Removes an existing folder of that name first.
pub fn renew(parent: &Path, name: &str) -> Result<(), EngineError> {
    let path = parent.join(name);
    if path.exists() {
        fs::remove_dir_all(&path).map_err(EngineError::io(format!("remove {name}")))?;
    }
    let parent = open(parent)?;
    mkdirat(&parent, name, Mode::RWXU).map_err(EngineError::io(format!("mkdir {name}")))?;
    sync(&parent)
}

/// Writes a file of `size` random bytes, and syncs it. Returns an error once `stop` is set.
///
/// # Errors
/// If it cannot be written, or `stop` is set.
pub fn write_random(path: &Path, size: u64, random: &mut impl Rng, stop: &AtomicBool) -> io::Result<()> {
    let (mut file, mut piece, mut left) = (File::create(path)?, vec![0; 1 << 20], size);
    while left > 0 {
        go_on(stop)?;
        let length = left.min(piece.len() as u64) as usize;
        random.fill_bytes(&mut piece[..length]);
        file.write_all(&piece[..length])?;
        left -= length as u64;
    }
    file.sync_all()
}

/// Removes a file or a link. Does nothing if it does not exist.
///
/// # Errors
/// If the file system returns an error.
pub fn unlink(path: &Path) -> Result<(), EngineError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(EngineError::io(format!("unlink {}", path.display()))(error))
        }
        _ => Ok(()),
    }
}

/// Flags of open(2) for a file that is created and written once.
pub fn create_flags() -> OFlags {
    OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC
}

/// Flags of open(2) that make each write to a file durable, if the workload asks for that.
pub fn sync_flags(durable: DurablePoint) -> OFlags {
    match durable {
        DurablePoint::OSync => OFlags::SYNC,
        DurablePoint::ODsync => OFlags::DSYNC,
        _ => OFlags::empty(),
    }
}

/// Makes a file durable by `call`: fdatasync(2), or fsync(2).
#[inline]
pub fn sync_file(file: impl AsFd, call: Operation) -> Result<(), EngineError> {
    match call {
        Operation::Fdatasync => fdatasync(file).map_err(EngineError::io("fdatasync")),
        _ => fsync(file).map_err(EngineError::io("fsync")),
    }
}

/// Maximum number of attempts: a page that is in use at that moment stays.
const PATIENCE: u32 = 10;

/// Drops the pages of a file of `size` bytes from memory, and checks that none are left.
///
/// # Errors
/// [`EngineError::StaysInMemory`] if pages are left, as on a tmpfs.
pub fn make_cold(path: &Path, size: u64) -> Result<(), EngineError> {
    let file = File::open(path).map_err(EngineError::io("open a file to forget it"))?;
    let mut left = 0;
    for _ in 0..PATIENCE {
        fsync(&file).map_err(EngineError::io("fsync a file to forget it"))?;
        fadvise(&file, 0, None, Advice::DontNeed).map_err(EngineError::io("posix_fadvise(POSIX_FADV_DONTNEED)"))?;
        let found = resident::pages(&file, size);
        left = found.map_err(EngineError::io("look whether a file is in memory, which is needed for cold reads"))?;
        if left == 0 {
            return Ok(());
        }
    }
    let pages = size.div_ceil(page_size() as u64);
    Err(EngineError::StaysInMemory { file: path.display().to_string(), left, pages })
}

/// Asks the kernel to drop the data of all files in and below `directory`, as far as they are on the device. The kernel
/// need not comply, and inodes and names stay in memory.
///
/// # Errors
/// If a folder cannot be listed, or a file cannot be opened, or once `stop` is set.
pub fn drop_all_cached(directory: &Path, stop: &AtomicBool) -> Result<(), EngineError> {
    for entry in fs::read_dir(directory).map_err(EngineError::io("list the files"))? {
        go_on(stop).map_err(EngineError::io("drop files from memory"))?;
        let entry = entry.map_err(EngineError::io("list the files"))?;
        let kind = entry.file_type().map_err(EngineError::io("look at a file"))?;
        if kind.is_dir() {
            drop_all_cached(&entry.path(), stop)?;
        } else if kind.is_file() {
            fadvise(open(&entry.path())?, 0, None, Advice::DontNeed).map_err(EngineError::io("fadvise"))?;
        }
    }
    Ok(())
}

/// Drops clean pages, names and inodes of the whole machine, which takes root (proc_sys_vm(5)).
pub fn drop_all_caches() -> std::io::Result<()> {
    fs::write("/proc/sys/vm/drop_caches", "3\n")
}

/// Syncs the file system of `directory` and drops the caches of the machine, which takes root. Without root, it asks
/// the kernel to drop the data of the directory's files; names and inodes then stay in memory.
///
/// # Errors
/// If the file system fails, or once `stop` is set.
pub fn sync_and_drop_caches(directory: &Path, stop: &AtomicBool) -> Result<(), EngineError> {
    sync_at(directory)?;
    drop_all_caches().or_else(|_| drop_all_cached(directory, stop))
}
