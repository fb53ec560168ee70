//! The memory to which the kernel writes events.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Access;
use crate::mapping::Mapping;

/// The memory that the kernel writes the events of a processor to: a page with positions, then the events
/// (perf_event_open(2), "MMAP layout").
#[derive(Debug)]
pub struct EventRing {
    mapping: Mapping,
    page: usize,
    /// Bytes for events, a power of 2.
    size: usize,
}

/// Offsets of `data_head` and `data_tail` in `struct perf_event_mmap_page`.
const DATA_HEAD: usize = 1024;
const DATA_TAIL: usize = 1032;

impl EventRing {
    /// Maps the ring of `event`, with a power of 2 of `pages` for events.
    ///
    /// # Errors
    /// If the kernel refuses it.
    pub fn map(event: &File, pages: usize) -> io::Result<Self> {
        let page = rustix::param::page_size();
        let mapping = Mapping::new(event, page * (pages + 1), Access::ReadWrite)?;
        Ok(Self { mapping, page, size: page * pages })
    }

    fn position(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: both positions are aligned words within the first page. The kernel accesses them atomically.
        unsafe { self.mapping.start.add(offset).cast().as_ref() }
    }

    /// Moves what is recorded to the end of `bytes`.
    pub fn drain(&mut self, bytes: &mut Vec<u8>) {
        let head = self.position(DATA_HEAD).load(Ordering::Acquire);
        let tail = self.position(DATA_TAIL).load(Ordering::Relaxed);
        let (begin, length) = (tail as usize % self.size, (head - tail) as usize);
        let first = length.min(self.size - begin);
        for (offset, length) in [(begin, first), (0, length - first)] {
            // SAFETY: the range is within the mapping, and the kernel does not write between `tail` and `head`.
            let recorded =
                unsafe { std::slice::from_raw_parts(self.mapping.start.add(self.page + offset).as_ptr(), length) };
            bytes.extend_from_slice(recorded);
        }
        self.position(DATA_TAIL).store(head, Ordering::Release);
    }
}
