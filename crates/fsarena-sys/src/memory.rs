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
    let length = size.0.min(available().unwrap_or_default().0 / 2) as usize;
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

/// Gives memory that this process has freed back to the kernel. What a process keeps makes each fork(2) of it longer: after a
/// library had kept 300 MB, starting a program took 20 ms instead of 1 ms.
pub fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: malloc_trim(3) takes the allocator's own locks, and touches only what is free.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Memory that can be had without swapping (`MemAvailable`, proc_meminfo(5)); `None` if the kernel does not say.
pub fn available() -> Option<Bytes> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(Bytes::kib(kib))
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
