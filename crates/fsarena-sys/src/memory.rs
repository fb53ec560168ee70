//! Memory that a hypervisor backs. It may have taken back what the guest left free for a while, and returns it page by
//! page on first touch, at the cost of the process that touches it.

use std::path::PathBuf;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use fsarena_model::Bytes;

use crate::cgroup;

/// Touches `size` bytes of free memory and frees them again, so that the next allocations, for example of the page
/// cache, are backed. Touches at most half of the available memory, so that other programs do not lose theirs.
///
/// Uses huge pages if the kernel provides them: a hypervisor takes back free memory in such large pieces only, and a
/// large piece that is freed is the first to be allocated again (`__free_one_page` of `mm/page_alloc.c`).
pub fn back(size: Bytes) {
    // What is available takes half a millisecond to read; most slices need none.
    if size.0 == 0 {
        return;
    }
    let length = size.0.min(available().unwrap_or_default().0 / 2) as usize;
    // SAFETY: a new private mapping at an address of the kernel's choice overlaps nothing. One of no bytes fails.
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

/// Returns memory that this process has freed to the kernel. Memory that a process keeps makes each fork(2) of it
/// longer: after a library had kept 300 MB, starting a program took 20 ms instead of 1 ms.
pub fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: malloc_trim(3) takes the allocator's own locks, and touches only what is free.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Memory that is available without swapping (`MemAvailable`, proc_meminfo(5)), and that the limits of this process'
/// control groups leave; `None` if the kernel does not report it.
pub fn available() -> Option<Bytes> {
    Some(limited()?.0)
}

/// All memory of this machine (`MemTotal`, proc_meminfo(5)); `None` if the kernel does not report it.
pub fn total() -> Option<Bytes> {
    of_machine("MemTotal:")
}

/// The line of /proc/meminfo that begins with `name`.
fn of_machine(name: &str) -> Option<Bytes> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(Bytes::kib(line.trim().strip_suffix("kB")?.trim().parse().ok()?))
}

/// The same as [`available`], and the control group whose limit leaves no more; `None` for the group if no limit
/// matters.
pub fn limited() -> Option<(Bytes, Option<PathBuf>)> {
    let available = of_machine("MemAvailable:")?;
    let room = cgroup::memory_room().filter(|room| room.free <= available);
    Some(room.map_or((available, None), |room| (room.free, Some(room.group))))
}
