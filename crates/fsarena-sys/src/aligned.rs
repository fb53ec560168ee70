//! Memory aligned for direct I/O.

use std::ops::{Deref, DerefMut};

/// The alignment of every buffer and offset of direct I/O, in bytes: enough for every sector size in use.
pub const ALIGNMENT: usize = 4096;

/// A zeroed buffer whose address is a multiple of [`ALIGNMENT`].
pub struct AlignedBuffer {
    blocks: Box<[Block]>,
    len: usize,
}

#[repr(C, align(4096))]
struct Block([u8; ALIGNMENT]);

impl AlignedBuffer {
    /// A buffer of `len` bytes.
    pub fn new(len: usize) -> Self {
        // SAFETY: zeros are valid bytes.
        Self { blocks: unsafe { Box::new_zeroed_slice(len.div_ceil(ALIGNMENT)).assume_init() }, len }
    }
}

impl Deref for AlignedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the blocks are at least `len` initialised bytes that this value owns.
        unsafe { std::slice::from_raw_parts(self.blocks.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for AlignedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.blocks.as_mut_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_aligned_zeroed_and_writable() {
        let mut buffer = AlignedBuffer::new(10_000);
        assert_eq!((buffer.as_ptr() as usize % ALIGNMENT, buffer.len()), (0, 10_000));
        assert!(buffer.iter().all(|byte| *byte == 0));
        buffer[9_999] = 7;
        assert_eq!(buffer[9_999], 7);
    }
}
