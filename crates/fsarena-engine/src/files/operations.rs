//! All operations of this engine. A new one is one line of [`OPERATIONS`] and one function.

use std::ffi::CStr;
use std::fs::File;
use std::io::{Read as _, Write as _};

use fsarena_model::DurablePoint;
use fsarena_sys::AlignedBuffer;
use rustix::fs::{
    AtFlags, Mode, OFlags, RawDir, Timespec, Timestamps, XattrFlags, chmodat, lgetxattr, linkat, lsetxattr, openat,
    renameat, statat, symlinkat, unlinkat, utimensat,
};

use super::durability::{Syncable, sync_within};
use super::job;
use super::names::{Folders, Paths, Shape};
use super::parameters::FilesPlan;
use super::sizes::Sizes;
use super::tree::{ATTRIBUTE, ATTRIBUTE_LENGTH, DIRECTORY, FILE, attribute, create_file, make_directory};
use super::walk::{ObjectVisit, VisitOrder, WalkGround};
use crate::contents::Contents;
use crate::meter::Meter;
use crate::{EngineError, Job, Operation, folder};

/// An operation of this engine.
pub struct OperationEntry {
    pub operation: Operation,
    pub ground: WalkGround,
    /// How each operation can be made durable.
    pub sync: Syncable,
    /// Opens a job that does it.
    pub open: fn(FilesPlan) -> Box<dyn Job>,
}

impl OperationEntry {
    /// Whether the operation changes nothing.
    pub fn only_reads(&self) -> bool {
        self.sync == Syncable::Never
    }
}

/// Each line: the operation, the objects on which it works, how it can be made durable, what a worker keeps for it,
/// and the function that does one. The function is known where a job is opened, so that the loop of the worker calls
/// it directly.
static OPERATIONS: &[OperationEntry] = {
    use Syncable::{Batch, Directory, File, Never};
    use VisitOrder::{InOrder, Random};
    use WalkGround::{Directories, Files, FilesWithAttribute, Log, NewFiles, NewOthers, UsedDirectories, UsedFiles};
    &[
        entry(Operation::Create, NewFiles, File, |plan| job::open(plan, creator, create)),
        entry(Operation::Open, Files(Random), Never, |plan| job::open(plan, files, open)),
        entry(Operation::Stat, Files(Random), Never, |plan| job::open(plan, files, stat)),
        entry(Operation::Read, Files(Random), Never, |plan| job::open(plan, reader, read)),
        entry(Operation::Write, Files(Random), File, |plan| job::open(plan, writer, write)),
        entry(Operation::Append, Log, File, |plan| job::open(plan, writer, append)),
        entry(Operation::Rename, Files(InOrder), Directory, |plan| job::open(plan, |plan, _| pair(plan, b'g'), rename)),
        entry(Operation::Link, UsedFiles, Directory, |plan| job::open(plan, |plan, _| pair(plan, b'l'), link)),
        entry(Operation::Symlink, NewOthers, Directory, |plan| job::open(plan, symlinks, symlink)),
        entry(Operation::Chmod, Files(Random), Batch, |plan| job::open(plan, files, chmod)),
        entry(Operation::Utimes, Files(Random), Batch, |plan| job::open(plan, files, utimes)),
        entry(Operation::SetXattr, FilesWithAttribute, Batch, |plan| job::open(plan, full_paths, set_xattr)),
        entry(Operation::GetXattr, FilesWithAttribute, Never, |plan| job::open(plan, full_paths, get_xattr)),
        entry(Operation::Readdir, Directories, Never, |plan| job::open(plan, lister, readdir)),
        entry(Operation::Delete, UsedFiles, Directory, |plan| job::open(plan, files, delete)),
        entry(Operation::Mkdir, NewOthers, Directory, |plan| job::open(plan, directories, mkdir)),
        entry(Operation::Rmdir, UsedDirectories, Directory, |plan| job::open(plan, directories, rmdir)),
    ]
};

const fn entry(
    operation: Operation,
    ground: WalkGround,
    sync: Syncable,
    open: fn(FilesPlan) -> Box<dyn Job>,
) -> OperationEntry {
    OperationEntry { operation, ground, sync, open }
}

/// The entry of `operation`; `None` if this engine does not support it.
pub fn find(operation: Operation) -> Option<&'static OperationEntry> {
    OPERATIONS.iter().find(|entry| entry.operation == operation)
}

/// The bytes that an operation read or wrote.
type Done = Result<u64, EngineError>;

/// The outcome of the system call `act`, which moves no bytes.
#[inline]
fn without_bytes<T>(called: rustix::io::Result<T>, act: &'static str) -> Done {
    called.map(|_| 0).map_err(EngineError::io(act))
}

fn files(plan: &FilesPlan, _worker: u32) -> Paths {
    Paths::new(&plan.shape, FILE)
}

fn directories(plan: &FilesPlan, _worker: u32) -> Paths {
    Paths::new(&plan.shape, DIRECTORY)
}

/// Extended attributes are read and set by full paths: kernels before 6.13 have no other call that does not need an
/// open file.
fn full_paths(plan: &FilesPlan, worker: u32) -> Paths {
    Paths::below(&plan.tree_of(worker), &plan.shape, FILE)
}

/// Two paths of each file; of a symbolic link its target, which does not exist, and its own.
struct FilePaths {
    old: Paths,
    new: Paths,
}

fn pair(plan: &FilesPlan, letter: u8) -> FilePaths {
    FilePaths { old: Paths::new(&plan.shape, FILE), new: Paths::new(&plan.shape, letter) }
}

fn symlinks(plan: &FilesPlan, _worker: u32) -> FilePaths {
    let plain = Shape { depth: 0, fan_out: 1, ..plan.shape };
    FilePaths { old: Paths::new(&plain, FILE), new: Paths::new(&plan.shape, b's') }
}

struct FileReader {
    paths: Paths,
    sizes: Sizes,
    buffer: AlignedBuffer,
}

fn reader(plan: &FilesPlan, _worker: u32) -> FileReader {
    let sizes = plan.sizes();
    FileReader { paths: Paths::new(&plan.shape, FILE), sizes, buffer: AlignedBuffer::new(sizes.largest()) }
}

struct FileWriter {
    paths: Paths,
    sizes: Sizes,
    contents: Contents,
    flags: OFlags,
    durable: DurablePoint,
}

fn writer(plan: &FilesPlan, worker: u32) -> FileWriter {
    FileWriter {
        paths: Paths::new(&plan.shape, FILE),
        sizes: plan.sizes(),
        contents: Contents::new(plan.recipe(), worker),
        flags: OFlags::WRONLY | OFlags::CLOEXEC | folder::sync_flags(plan.workload.durable),
        durable: plan.workload.durable,
    }
}

fn creator(plan: &FilesPlan, worker: u32) -> FileWriter {
    FileWriter { flags: folder::create_flags() | folder::sync_flags(plan.workload.durable), ..writer(plan, worker) }
}

/// Size of the buffer for getdents(2), bytes: that of the GNU C library.
const NAMES: usize = 32 << 10;

struct Lister {
    folders: Folders,
    buffer: Vec<u8>,
}

fn lister(plan: &FilesPlan, _worker: u32) -> Lister {
    Lister { folders: Folders::new(&plan.shape), buffer: Vec::with_capacity(NAMES) }
}

/// Creates a file: open, write, fsync if each is made durable, close.
#[inline]
fn create(own: &mut FileWriter, root: &File, visit: ObjectVisit, meter: &mut Meter<'_>) -> Done {
    let size = own.sizes.of(visit.number);
    let file = create_file(root, own.paths.of(visit.number), own.flags, own.contents.piece(size))?;
    sync_within(&file, own.durable, meter)?;
    Ok(size as u64)
}

#[inline]
fn open(paths: &mut Paths, root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    without_bytes(openat(root, paths.of(visit.number), flags, Mode::empty()), "open")
}

#[inline]
fn stat(paths: &mut Paths, root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    without_bytes(statat(root, paths.of(visit.number), AtFlags::SYMLINK_NOFOLLOW), "stat")
}

/// Reads a whole file: open, read, close.
#[inline]
fn read(own: &mut FileReader, root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let file = openat(root, own.paths.of(visit.number), flags, Mode::empty()).map_err(EngineError::io("open"))?;
    let buffer = &mut own.buffer[..own.sizes.of(visit.number)];
    File::from(file).read_exact(buffer).map_err(EngineError::io("read"))?;
    Ok(buffer.len() as u64)
}

/// Overwrites a whole file: open, write, fsync if each is made durable, close.
#[inline]
fn write(own: &mut FileWriter, root: &File, visit: ObjectVisit, meter: &mut Meter<'_>) -> Done {
    let path = own.paths.of(visit.number);
    let mut file = openat(root, path, own.flags, Mode::empty()).map(File::from).map_err(EngineError::io("open"))?;
    let bytes = own.contents.piece(own.sizes.of(visit.number));
    file.write_all(bytes).map_err(EngineError::io("write"))?;
    sync_within(&file, own.durable, meter)?;
    Ok(bytes.len() as u64)
}

/// Appends a record to a file that stays open, as a log does.
#[inline]
fn append(own: &mut FileWriter, mut log: &File, _visit: ObjectVisit, meter: &mut Meter<'_>) -> Done {
    let bytes = own.contents.piece(own.sizes.largest());
    log.write_all(bytes).map_err(EngineError::io("append"))?;
    sync_within(log, own.durable, meter)?;
    Ok(bytes.len() as u64)
}

/// Renames a file within its directory: all files once, then all back.
#[inline]
fn rename(own: &mut FilePaths, root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    let (here, there) = (own.old.of(visit.number), own.new.of(visit.number));
    let (from, to) = if visit.pass.is_multiple_of(2) { (here, there) } else { (there, here) };
    without_bytes(renameat(root, from, root, to), "rename")
}

/// Gives a file a second name (a hard link).
#[inline]
fn link(own: &mut FilePaths, root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    let (old, new) = (own.old.of(visit.number), own.new.of(visit.number));
    without_bytes(linkat(root, old, root, new, AtFlags::empty()), "link")
}

/// Makes a symbolic link to a name in the same directory.
#[inline]
fn symlink(own: &mut FilePaths, root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    let (target, path) = (own.old.of(visit.number), own.new.of(visit.number));
    without_bytes(symlinkat(target, root, path), "symlink")
}

/// Changes the permissions of a file. Each pass sets other permissions than the pass before.
#[inline]
fn chmod(paths: &mut Paths, root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    let others = if visit.pass.is_multiple_of(2) { Mode::RGRP } else { Mode::empty() };
    let mode = Mode::RUSR | Mode::WUSR | others;
    without_bytes(chmodat(root, paths.of(visit.number), mode, AtFlags::empty()), "chmod")
}

/// Sets the times of a file: one second later in each pass.
#[inline]
fn utimes(paths: &mut Paths, root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    /// The times that the first pass sets, seconds since 1970.
    const FIRST: i64 = 1_000_000_000;
    let time = Timespec { tv_sec: FIRST + i64::from(visit.pass), tv_nsec: 0 };
    let times = Timestamps { last_access: time, last_modification: time };
    without_bytes(utimensat(root, paths.of(visit.number), &times, AtFlags::SYMLINK_NOFOLLOW), "utimes")
}

#[inline]
fn set_xattr(paths: &mut Paths, _root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    let value = attribute(visit.number, visit.pass.wrapping_add(1));
    let path = paths.of(visit.number);
    lsetxattr(path, ATTRIBUTE, &value, XattrFlags::REPLACE).map_err(EngineError::io("setxattr"))?;
    Ok(value.len() as u64)
}

#[inline]
fn get_xattr(paths: &mut Paths, _root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    let mut value = [0_u8; ATTRIBUTE_LENGTH];
    let length = lgetxattr(paths.of(visit.number), ATTRIBUTE, &mut value).map_err(EngineError::io("getxattr"))?;
    Ok(length as u64)
}

/// Reads a directory: open, all names by getdents(2), close. The files themselves are not accessed.
#[inline]
fn readdir(own: &mut Lister, root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    list(root, own.folders.of(visit.number), &mut own.buffer).map(|_| 0)
}

/// Reads a directory. Returns the number of its names, including `.` and `..`.
#[inline]
fn list(root: &File, path: &CStr, buffer: &mut Vec<u8>) -> Result<u32, EngineError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = openat(root, path, flags, Mode::empty()).map_err(EngineError::io("open a directory"))?;
    let mut entries = RawDir::new(&folder, buffer.spare_capacity_mut());
    let mut names = 0;
    while let Some(entry) = entries.next() {
        entry.map_err(EngineError::io("readdir"))?;
        names += 1;
    }
    Ok(names)
}

#[inline]
fn delete(paths: &mut Paths, root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    without_bytes(unlinkat(root, paths.of(visit.number), AtFlags::empty()), "unlink")
}

#[inline]
fn mkdir(paths: &mut Paths, root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    make_directory(root, paths.of(visit.number)).map(|()| 0)
}

#[inline]
fn rmdir(paths: &mut Paths, root: &File, visit: ObjectVisit, _meter: &mut Meter<'_>) -> Done {
    without_bytes(unlinkat(root, paths.of(visit.number), AtFlags::REMOVEDIR), "rmdir")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_are_read_in_as_many_calls_as_it_takes() {
        let place = tempfile::tempdir().expect("temporary folder");
        (0..300).for_each(|number| drop(File::create(place.path().join(format!("f{number}"))).expect("created")));
        let root = File::open(place.path()).expect("opened");
        assert_eq!(list(&root, c".", &mut Vec::with_capacity(NAMES)).expect("read"), 302);
        assert_eq!(list(&root, c".", &mut Vec::with_capacity(1024)).expect("read"), 302);
        assert!(list(&root, c"f0", &mut Vec::with_capacity(1024)).is_err());
    }
}
