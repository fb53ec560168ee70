//! Memory that is really there: a hypervisor may have taken back what the guest left free for a while, and gives it
//! back page by page, on first touch, at the cost of whoever touches it.

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use fsarena_model::Bytes;

/// Touches `size` bytes of free memory and frees them again, so that the next to be allocated (by the page cache, say)
/// are backed. At most half of what is available: it must not cost anybody theirs.
///
/// It takes huge pages where the kernel gives them: a hypervisor takes back free memory in such large pieces only, and
/// a large piece that is freed is the first to be taken again (`__free_one_page` of `mm/page_alloc.c`).
pub fn back(size: Bytes) {
    let length = size.0.min(available() / 2) as usize;
    if length == 0 {
        return;
    }
    // SAFETY: a new private mapping at an address of the kernel's choice overlaps nothing.
    let mapped =
        unsafe { mmap_anonymous(std::ptr::null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE) };
    let Ok(start) = mapped else { return };
    // SAFETY: all three calls name the mapping of just now, in full, and nothing refers to its content.
    unsafe {
        let _ = madvise(start, length, Advice::LinuxHugepage);
        let _ = madvise(start, length, Advice::LinuxPopulateWrite);
        let _ = munmap(start, length);
    }
}

/// `MemAvailable`, in bytes; 0 if the kernel does not say (proc_meminfo(5)).
fn available() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_and_something_can_be_backed() {
        back(Bytes(0));
        back(Bytes::mib(3));
    }
}
