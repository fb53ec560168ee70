//! The C library's buffered streams (stdio(3)), for measuring programs that use them.

use std::ffi::{CStr, CString, c_char};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;

use crate::{Access, check};

/// A stream that owns its buffer.
pub struct Stream {
    file: NonNull<libc::FILE>,
    /// The C library uses it until the stream is closed.
    _buffer: Box<[u8]>,
}

impl Stream {
    /// Opens the existing file `path` and gives the stream a buffer of `size` bytes (`_IOFBF`). It is closed in programs
    /// that are started.
    ///
    /// # Errors
    /// As fopen(3); if the path has a zero byte.
    pub fn open(path: &Path, access: Access, size: usize) -> io::Result<Self> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        let mode: &CStr = match access {
            Access::ReadOnly => c"re",
            Access::ReadWrite => c"r+e",
        };
        // SAFETY: both are strings that end in a zero byte and outlive the call.
        let file = unsafe { libc::fopen(path.as_ptr(), mode.as_ptr()) };
        let file = NonNull::new(file).ok_or_else(io::Error::last_os_error)?;
        let mut buffer = vec![0; size].into_boxed_slice();
        // SAFETY: the stream is open and nothing was done with it yet; the buffer is `size` bytes long, does not move,
        // and is freed only after the stream was closed (`finish` and `drop`).
        unsafe { libc::setvbuf(file.as_ptr(), buffer.as_mut_ptr().cast::<c_char>(), libc::_IOFBF, size) };
        Ok(Self { file, _buffer: buffer })
    }

    /// Writes all of `bytes` as one element (fwrite(3)).
    ///
    /// # Errors
    /// As fwrite(3).
    #[inline]
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        // SAFETY: the bytes are readable in full, and the stream is open.
        let written = unsafe { libc::fwrite(bytes.as_ptr().cast(), bytes.len(), 1, self.file.as_ptr()) };
        if written == 1 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Fills all of `bytes` as one element (fread(3)).
    ///
    /// # Errors
    /// As fread(3); if the file ends earlier.
    #[inline]
    pub fn read(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        // SAFETY: the bytes are writable in full, and the stream is open.
        let read = unsafe { libc::fread(bytes.as_mut_ptr().cast(), bytes.len(), 1, self.file.as_ptr()) };
        match read {
            1 => Ok(()),
            // SAFETY: the stream is open.
            _ if unsafe { libc::feof(self.file.as_ptr()) } != 0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Passes buffered bytes to the kernel (fflush(3)).
    ///
    /// # Errors
    /// As fflush(3).
    pub fn flush(&mut self) -> io::Result<()> {
        // SAFETY: the stream is open.
        check(unsafe { libc::fflush(self.file.as_ptr()) })
    }

    /// Passes buffered bytes to the kernel and closes the stream (fclose(3)).
    ///
    /// # Errors
    /// As fclose(3); the stream is closed even then.
    pub fn finish(self) -> io::Result<()> {
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: the stream is open, and `drop` will not close it again.
        let outcome = check(unsafe { libc::fclose(this.file.as_ptr()) });
        // SAFETY: the buffer is read out of what will not be dropped, once; the stream that used it is closed.
        drop(unsafe { std::ptr::read(&raw const this._buffer) });
        outcome
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream is open; its buffer is freed after this.
        unsafe { libc::fclose(self.file.as_ptr()) };
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the stream is open, and with it its descriptor, as long as `self` lives.
        unsafe { BorrowedFd::borrow_raw(libc::fileno(self.file.as_ptr())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_bytes_are_read_and_the_end_is_an_error() {
        let file = tempfile::NamedTempFile::new().expect("temporary file");
        let mut stream = Stream::open(file.path(), Access::ReadWrite, 4096).expect("opens");
        stream.write(&[7; 4096]).expect("written");
        stream.write(&[8; 10]).expect("written");
        assert_eq!(file.as_file().metadata().expect("there").len(), 4096, "the rest is buffered");
        stream.flush().expect("flushed");
        assert_eq!(file.as_file().metadata().expect("there").len(), 4106);
        stream.finish().expect("closed");
        let (mut stream, mut bytes) = (Stream::open(file.path(), Access::ReadOnly, 4096).expect("opens"), [0; 4106]);
        stream.read(&mut bytes).expect("read");
        assert_eq!((bytes[0], bytes[4105]), (7, 8));
        assert_eq!(stream.read(&mut bytes).expect_err("over").kind(), io::ErrorKind::UnexpectedEof);
        assert!(Stream::open(Path::new("/no/such"), Access::ReadOnly, 1).is_err());
    }
}
