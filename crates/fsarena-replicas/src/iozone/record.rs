//! The buffer that all tests use, with marks at the beginning of each page and the check of them.

use std::hint::black_box;
use std::io;

use fsarena_sys::AlignedBuffer;

/// The page size that IOzone assumes.
const PAGE: usize = 4096;
/// The mark. That of IOzone depends on its version.
const MARK: [u8; 8] = [0xA5; 8];
/// The size of a cache line that IOzone assumes.
const LINE: usize = 32;

pub struct Record {
    buffer: AlignedBuffer,
    length: usize,
}

impl Record {
    /// A buffer for records up to `largest` bytes, all of it in memory.
    pub fn new(largest: usize) -> Self {
        let mut record = Self { buffer: AlignedBuffer::new(largest), length: largest };
        record.mark();
        record
    }

    /// Uses records of `length` bytes from now on.
    pub fn resize(&mut self, length: usize) {
        self.length = length;
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[..self.length]
    }

    pub fn mark(&mut self) {
        self.bytes_mut().chunks_mut(PAGE).for_each(|page| page[..MARK.len()].copy_from_slice(&MARK));
    }

    /// Checks that each page has its mark.
    #[inline]
    pub fn check(&self) -> io::Result<()> {
        let is_marked = self.bytes().chunks(PAGE).all(|page| page[..MARK.len()] == MARK);
        if is_marked { Ok(()) } else { Err(unmarked()) }
    }

    /// Brings the record into the processor's cache.
    pub fn fetch(&self) {
        for byte in self.bytes().iter().step_by(LINE) {
            black_box(*byte);
        }
    }
}

#[cold]
fn unmarked() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "what was read is not what was written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_page_is_found() {
        let mut record = Record::new(16 << 10);
        assert!(record.check().is_ok());
        record.bytes_mut()[8192] = 0;
        assert!(record.check().is_err());
        record.resize(1024);
        assert!(record.check().is_ok() && record.bytes().len() == 1024);
        record.resize(16 << 10);
        record.mark();
        assert!(record.check().is_ok());
    }
}
