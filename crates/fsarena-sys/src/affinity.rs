//! Pins a thread to one processor while it is timed, so that migrations are not part of the figures.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Keeps the calling thread on one processor until this is dropped.
pub struct Pinned {
    before: Option<CpuSet>,
}

impl Pinned {
    /// Pins the calling thread to the last processor that it may use: the first ones handle most of the interrupts. If
    /// the kernel refuses, the thread stays free.
    pub fn here() -> Self {
        let before = sched_getaffinity(None).ok();
        let done = before.as_ref().and_then(|allowed| {
            let last = (0..CpuSet::MAX_CPU).rev().find(|processor| allowed.is_set(*processor))?;
            let mut only = CpuSet::new();
            only.set(last);
            sched_setaffinity(None, &only).ok()
        });
        Self { before: before.filter(|_| done.is_some()) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = sched_setaffinity(None, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_on_one_processor_and_free_again_afterwards() {
        let free = sched_getaffinity(None).expect("Linux tells").count();
        let pinned = Pinned::here();
        assert_eq!(sched_getaffinity(None).expect("Linux tells").count(), 1);
        drop(pinned);
        assert_eq!(sched_getaffinity(None).expect("Linux tells").count(), free);
    }
}
