//! io_uring: reads and writes of registered files through registered memory, many at a time (io_uring(7)).

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

use io_uring::{IoUring, opcode, types};

use crate::AlignedBuffer;

/// A ring with its files and its memory. The memory is divided into buffers of equal size. An operation uses one of
/// them; while it is in flight, only the kernel may access that buffer.
pub struct Ring {
    ring: IoUring,
    memory: AlignedBuffer,
    buffer_size: usize,
    in_flight: Vec<bool>,
    flying: usize,
    _files: Vec<File>,
}

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    /// From the file into the buffer.
    Read,
    /// From the buffer into the file.
    Write,
}

/// A completed operation.
#[derive(Debug)]
pub struct UringCompletion {
    /// The buffer that it used, which is free again.
    pub buffer: usize,
    /// Bytes transferred, or the error.
    pub result: io::Result<u32>,
}

impl Ring {
    /// A ring for at most `depth` concurrent operations on `files`, with `buffers` buffers of `buffer_size` bytes.
    ///
    /// # Errors
    /// If the kernel has no io_uring, or it is not allowed (sysctl kernel.io_uring_disabled), or the memory cannot be
    /// registered (RLIMIT_MEMLOCK).
    pub fn new(files: Vec<File>, depth: u32, buffers: usize, buffer_size: usize) -> io::Result<Self> {
        let ring = Self::build(depth)?;
        let mut memory = AlignedBuffer::new(buffers * buffer_size);
        let vector = libc::iovec { iov_base: memory.as_mut_ptr().cast(), iov_len: memory.len() };
        // SAFETY: the memory stays where it is and lives until the ring is gone: `Drop` waits for all operations, and
        // fields are dropped in order, the ring first.
        unsafe { ring.submitter().register_buffers(&[vector])? };
        let descriptors: Vec<i32> = files.iter().map(AsRawFd::as_raw_fd).collect();
        ring.submitter().register_files(&descriptors)?;
        Ok(Self { ring, memory, buffer_size, in_flight: vec![false; buffers], flying: 0, _files: files })
    }

    /// Completions are processed in the system call that waits for them, without interrupting a thread; older kernels
    /// cannot.
    fn build(depth: u32) -> io::Result<IoUring> {
        let entries = depth.next_power_of_two();
        let modern = IoUring::builder().setup_single_issuer().setup_defer_taskrun().build(entries);
        modern.or_else(|_| IoUring::new(entries))
    }

    /// The content of a buffer that is not in flight.
    ///
    /// # Panics
    /// If it is in flight.
    #[inline]
    pub fn buffer(&mut self, buffer: usize) -> &mut [u8] {
        assert!(!self.in_flight[buffer], "a buffer in flight is the kernel's");
        &mut self.memory[buffer * self.buffer_size..][..self.buffer_size]
    }

    /// All of the memory, while nothing is in flight.
    ///
    /// # Panics
    /// If an operation is in flight.
    pub fn memory(&mut self) -> &mut [u8] {
        assert_eq!(self.flying, 0, "nothing is in flight");
        &mut self.memory
    }

    /// Whether an operation uses the buffer.
    #[inline]
    pub fn is_in_flight(&self, buffer: usize) -> bool {
        self.in_flight[buffer]
    }

    /// Number of operations that are in flight or wait to be submitted.
    #[inline]
    pub fn flying(&self) -> usize {
        self.flying
    }

    /// Queues an operation of `length` bytes; [`Ring::submit`] passes it to the kernel.
    ///
    /// # Panics
    /// If the buffer is in flight or too small, or the ring is full.
    #[inline]
    pub fn push(&mut self, transfer: Transfer, file: u32, offset: u64, buffer: usize, length: usize) {
        assert!(length <= self.buffer_size, "it fits into the buffer");
        let start = self.buffer(buffer).as_mut_ptr();
        let (file, length) = (types::Fixed(file), length as u32);
        let entry = match transfer {
            Transfer::Read => opcode::ReadFixed::new(file, start, length, 0).offset(offset).build(),
            Transfer::Write => opcode::WriteFixed::new(file, start, length, 0).offset(offset).build(),
        };
        self.in_flight[buffer] = true;
        self.flying += 1;
        // SAFETY: the entry names registered files and a buffer of `self.memory`, which `in_flight` protects from any
        // other access until the kernel has finished with it.
        let pushed = unsafe { self.ring.submission().push(&entry.user_data(buffer as u64)) };
        pushed.expect("no more operations than the ring was made for");
    }

    /// Submits what was pushed and waits until at least `wait` operations have ended.
    ///
    /// # Errors
    /// As io_uring_enter(2).
    #[inline]
    pub fn submit(&mut self, wait: usize) -> io::Result<()> {
        loop {
            match self.ring.submit_and_wait(wait) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other.map(drop),
            }
        }
    }

    /// Submits what was pushed and waits until an operation has ended, but no longer than `time`.
    ///
    /// # Errors
    /// As io_uring_enter(2).
    pub fn submit_for(&mut self, time: Duration) -> io::Result<()> {
        let time = types::Timespec::from(time);
        let arguments = types::SubmitArgs::new().timespec(&time);
        match self.ring.submitter().submit_with_args(1, &arguments) {
            Err(error) if matches!(error.raw_os_error(), Some(libc::ETIME | libc::EINTR)) => Ok(()),
            other => other.map(drop),
        }
    }

    /// A completed operation, if there is one.
    #[inline]
    pub fn reap(&mut self) -> Option<UringCompletion> {
        let entry = self.ring.completion().next()?;
        let buffer = entry.user_data() as usize;
        self.in_flight[buffer] = false;
        self.flying -= 1;
        let result = u32::try_from(entry.result()).map_err(|_| io::Error::from_raw_os_error(-entry.result()));
        Some(UringCompletion { buffer, result })
    }
}

impl Drop for Ring {
    /// Waits for all operations: the kernel may write to the memory until the last one has ended.
    fn drop(&mut self) {
        while self.flying > 0 {
            if self.submit(1).is_err() {
                std::process::abort();
            }
            while self.reap().is_some() {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn many_writes_and_reads_go_where_they_should() {
        let target = tempfile::tempfile().expect("temporary file");
        let mut ring = Ring::new(vec![target.try_clone().expect("a descriptor")], 8, 8, 4096).expect("io_uring");
        for buffer in 0..8 {
            ring.buffer(buffer).fill(buffer as u8 + 1);
            ring.push(Transfer::Write, 0, buffer as u64 * 4096, buffer, 4096);
        }
        ring.submit(8).expect("submitted");
        let ended: Vec<UringCompletion> = std::iter::from_fn(|| ring.reap()).collect();
        assert!(ended.iter().all(|ended| ended.result.as_ref().is_ok_and(|bytes| *bytes == 4096)));
        assert_eq!((ended.len(), ring.flying()), (8, 0));
        let mut block = [0; 4096];
        target.read_exact_at(&mut block, 5 * 4096).expect("written");
        assert_eq!(block, [6; 4096]);
        ring.push(Transfer::Read, 0, 3 * 4096, 0, 4096);
        assert!(ring.is_in_flight(0));
        ring.submit(1).expect("submitted");
        assert_eq!(ring.reap().map(|ended| ended.buffer), Some(0));
        assert_eq!(ring.buffer(0)[0], 4);
    }

    #[test]
    fn an_error_comes_back_with_its_operation() {
        let mut ring = Ring::new(vec![File::open("/dev/null").expect("there")], 1, 1, 4096).expect("io_uring");
        ring.push(Transfer::Write, 0, 0, 0, 4096);
        ring.submit(1).expect("submitted");
        let ended = ring.reap().expect("ended");
        assert_eq!(ended.result.expect_err("open for reading").raw_os_error(), Some(libc::EBADF));
    }
}
