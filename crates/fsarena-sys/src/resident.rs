//! Counts the pages of a file that are in memory (mincore(2)), and closes files with an error code.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, IntoRawFd, OwnedFd};

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::param::page_size;

use crate::check;

/// Number of pages of the first `length` bytes of `file` that are in memory. The file is mapped for that and not
/// touched.
///
/// # Errors
/// As mmap(2) and mincore(2): some network file systems cannot map files.
pub fn pages(file: &File, length: u64) -> io::Result<u64> {
    let length = usize::try_from(length).map_err(|_| io::ErrorKind::InvalidInput)?;
    if length == 0 {
        return Ok(0);
    }
    // SAFETY: a new mapping at an address of the kernel's choice overlaps nothing.
    let start = unsafe { mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::PRIVATE, file.as_fd(), 0)? };
    let mut states = vec![0_u8; length.div_ceil(page_size())];
    // SAFETY: the range is the mapping of just now, and there is a byte for each of its pages.
    let counted = check(unsafe { libc::mincore(start, length, states.as_mut_ptr()) });
    // SAFETY: nothing refers to the mapping.
    let _ = unsafe { munmap(start, length) };
    counted.map(|()| states.iter().filter(|state| **state & 1 == 1).count() as u64)
}

/// Closes a file and returns the result of close(2), which dropping a `File` ignores: some file systems report a failed
/// write only then.
///
/// # Errors
/// As close(2); the file is closed even then.
pub fn close(file: impl Into<OwnedFd>) -> io::Result<()> {
    let descriptor = file.into().into_raw_fd();
    // SAFETY: the caller passed the only owner of the descriptor, and no other code has it any more.
    check(unsafe { libc::close(descriptor) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_pages_are_in_memory() {
        let file = tempfile::tempfile().expect("temporary file");
        rustix::io::write(&file, &[1; 10_000]).expect("written");
        assert_eq!(pages(&file, 10_000).expect("known"), 10_000_u64.div_ceil(page_size() as u64));
        assert_eq!(pages(&file, 0).expect("known"), 0);
        close(file).expect("closed");
    }
}
