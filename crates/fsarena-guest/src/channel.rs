//! The disk with the lanes and the connection to the agent: both are open files without a name, so nothing is left when
//! this process or QEMU ends.

use std::fs::{File, OpenOptions};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;

use fsarena_model::Storage;
use rustix::fs::{MemfdFlags, OFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};

use crate::GuestError;

/// A connection: the host's end, and QEMU's.
pub fn pair() -> Result<(UnixStream, OwnedFd), GuestError> {
    let (host, guest) = UnixStream::pair().map_err(GuestError::io("make", "a socket pair"))?;
    Ok((host, guest.into()))
}

/// An empty file in `storage`, without a name.
pub fn empty(storage: &Storage) -> Result<File, GuestError> {
    let Storage::Directory(path) = storage else { return memory("fsarena-lanes") };
    let flags = OFlags::TMPFILE.bits() as i32;
    let made = OpenOptions::new().read(true).write(true).mode(0o600).custom_flags(flags).open(path);
    made.map_err(GuestError::io("create a file in", path))
}

/// A disk of a guest, whose content the host reads and writes.
#[derive(Debug)]
pub struct RawDisk {
    /// The content.
    pub content: File,
    /// Where QEMU logs all requests, if it does (its driver `blklogwrites`).
    pub log: Option<File>,
}

/// A file in memory.
pub fn memory(name: &str) -> Result<File, GuestError> {
    let made = memfd_create(name, MemfdFlags::CLOEXEC);
    made.map(File::from).map_err(|error| GuestError::io("create", "a file in memory")(error.into()))
}

/// Lets a program that is started next inherit `file`.
pub fn inherit(file: impl AsFd) -> Result<(), GuestError> {
    fcntl_setfd(file, FdFlags::empty()).map_err(|error| GuestError::io("pass on", "an open file")(error.into()))
}
