//! Files mapped into memory.

use std::os::fd::AsFd;
use std::ptr::NonNull;

use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

use crate::Access;

/// A shared mapping of a file. A page that is unavailable, because of an error of the device or lack of space, ends the
/// process with SIGBUS: map only in a process that may end (see [`crate::fork`]).
#[derive(Debug)]
pub struct Mapping {
    pub(crate) start: NonNull<u8>,
    length: usize,
}

// SAFETY: the mapping belongs to the process, not to a thread.
unsafe impl Send for Mapping {}
// SAFETY: `&self` only reads, and is not told which bytes others change meanwhile.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps the first `length` bytes of `file`, which has at least this length and is open for `access`.
    ///
    /// # Errors
    /// As mmap(2).
    pub fn new(file: impl AsFd, length: usize, access: Access) -> std::io::Result<Self> {
        let access = match access {
            Access::ReadOnly => ProtFlags::READ,
            Access::ReadWrite => ProtFlags::READ | ProtFlags::WRITE,
        };
        // SAFETY: a new mapping at an address of the kernel's choice overlaps nothing.
        let start = unsafe { mmap(std::ptr::null_mut(), length, access, MapFlags::SHARED, file, 0)? };
        Ok(Self { start: NonNull::new(start.cast()).expect("a mapping is not at address 0"), length })
    }

    /// Maps zeroed memory that forked processes share.
    pub(crate) fn anonymous(length: usize) -> std::io::Result<Self> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice overlaps nothing.
        let start = unsafe { mmap_anonymous(std::ptr::null_mut(), length, access, MapFlags::SHARED)? };
        Ok(Self { start: NonNull::new(start.cast()).expect("a mapping is not at address 0"), length })
    }

    /// Copies the bytes from `offset` on into `buffer`.
    ///
    /// # Panics
    /// If they are not within the mapping.
    #[inline]
    pub fn read(&self, offset: u64, buffer: &mut [u8]) {
        let offset = self.check(offset, buffer.len());
        // SAFETY: the range was checked; the buffer cannot overlap with it, for it is a `&mut` to other memory. Others
        // may change the file meanwhile: then the bytes are a mixture, which no type forbids.
        unsafe { self.start.add(offset).copy_to_nonoverlapping(NonNull::from(&mut *buffer).cast(), buffer.len()) }
    }

    /// Copies `bytes` to `offset`.
    ///
    /// # Panics
    /// If they do not fit into the mapping, or it is for reading only.
    #[inline]
    pub fn write(&mut self, offset: u64, bytes: &[u8]) {
        let offset = self.check(offset, bytes.len());
        // SAFETY: as in `read`.
        unsafe { self.start.add(offset).copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) }
    }

    #[inline]
    fn check(&self, offset: u64, length: usize) -> usize {
        let end = usize::try_from(offset).ok().and_then(|offset| offset.checked_add(length));
        assert!(end.is_some_and(|end| end <= self.length), "within the mapping");
        offset as usize
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` with this length, and no reference into it exists.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_bytes_are_read_and_in_the_file() {
        let file = tempfile::NamedTempFile::new().expect("temporary file");
        file.as_file().set_len(8192).expect("room");
        let mut mapping = Mapping::new(&file, 8192, Access::ReadWrite).expect("mapped");
        mapping.write(4096, b"abc");
        let mut buffer = [0; 3];
        mapping.read(4096, &mut buffer);
        assert_eq!(&buffer, b"abc");
        assert_eq!(&std::fs::read(file.path()).expect("there")[4096..4099], b"abc");
        let beyond = std::panic::catch_unwind(|| mapping.read(8190, &mut [0; 3]));
        assert!(beyond.is_err());
    }
}
