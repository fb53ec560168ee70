//! The state that all threads share: the number of blogs, the counters, and whether the run is over.

use std::fs::File;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counters that all threads add to. They order no other memory accesses.
#[derive(Debug, Default)]
pub struct Counts {
    /// Blogs that are complete.
    pub written: AtomicU64,
    /// Blogs that were read.
    pub read: AtomicU64,
    /// Rounds in which an article, and sometimes a picture, was rewritten.
    pub rewritten: AtomicU64,
    /// Rounds of comments.
    pub commented: AtomicU64,
    /// Bytes of all files that were written.
    pub bytes_written: AtomicU64,
    /// Bytes that were read.
    pub bytes_read: AtomicU64,
}

/// Adds `count` to a counter.
#[inline]
pub fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}

/// The value of a counter.
pub fn told(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// A site: a folder of blogs, and the state that the threads share.
#[derive(Debug)]
pub struct Site {
    /// The folder that holds the blogs.
    pub folder: File,
    /// The counters of the work.
    pub counts: Counts,
    next: AtomicU64,
    most: u64,
    over: AtomicBool,
}

impl Site {
    /// A site without blogs.
    pub fn new(folder: File, most: u64) -> Self {
        let (next, over) = (AtomicU64::new(0), AtomicBool::new(false));
        Self { folder, counts: Counts::default(), next, most, over }
    }

    /// Reserves the number of a new blog. `None` if the maximum number of blogs is reached.
    pub fn new_blog(&self) -> Option<u64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.most).then_some(number)
    }

    /// Chooses an existing blog with a random number. `None` if there are too few, or if the choice is number 0, which
    /// means no blog in BlogBench. The newest blog is never chosen.
    pub fn some_blog(&self, random: u64) -> Option<u64> {
        let last = self.next.load(Ordering::Relaxed).min(self.most).saturating_sub(1);
        (last > 0).then(|| random % last).filter(|number| *number > 0)
    }

    /// Ends the run. Each thread finishes its current file.
    pub fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Whether the run is over.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}
