//! Memory aligned for direct I/O.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// The alignment of every buffer and offset of direct I/O, in bytes: enough for every sector size in use.
pub const ALIGNMENT: usize = 4096;

/// A zeroed buffer whose address is a multiple of [`ALIGNMENT`].
pub struct AlignedBuffer {
    start: NonNull<u8>,
    layout: Layout,
}

impl AlignedBuffer {
    /// A buffer of `len` bytes.
    ///
    /// # Panics
    /// If `len` is 0 or does not fit into an address space.
    pub fn new(len: usize) -> Self {
        assert!(len > 0, "an aligned buffer has at least one byte");
        let layout = Layout::from_size_align(len, ALIGNMENT).expect("a buffer fits into the address space");
        // SAFETY: the layout's size is not zero, as asserted above.
        let start = unsafe { alloc_zeroed(layout) };
        let start = NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout));
        Self { start, layout }
    }
}

impl Drop for AlignedBuffer {
    fn drop(&mut self) {
        // SAFETY: `start` came from `alloc_zeroed` with this very layout and is freed once.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

impl Deref for AlignedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: `start` points to `layout.size()` initialised bytes that this value owns.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
    }
}

impl DerefMut for AlignedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }
}

// SAFETY: the buffer owns its memory and has no interior mutability.
unsafe impl Send for AlignedBuffer {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_aligned_zeroed_and_writable() {
        let mut buffer = AlignedBuffer::new(10_000);
        assert_eq!(buffer.as_ptr() as usize % ALIGNMENT, 0);
        assert!(buffer.iter().all(|byte| *byte == 0));
        buffer[9_999] = 7;
        assert_eq!(buffer[9_999], 7);
    }
}
