//! The site that all threads share: how many blogs there are, what has been done, and whether it is over.

use std::fs::File;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counters that all threads add to; nothing else is ordered by them.
#[derive(Debug, Default)]
pub struct Counts {
    /// Blogs that are complete.
    pub written: AtomicU64,
    /// Blogs that were read.
    pub read: AtomicU64,
    /// Articles that were written anew.
    pub rewritten: AtomicU64,
    /// Rounds of comments.
    pub commented: AtomicU64,
    /// Bytes of all files that were written.
    pub bytes_written: AtomicU64,
    /// Bytes that were read.
    pub bytes_read: AtomicU64,
}

/// Adds to one of them.
#[inline]
pub fn add(counter: &AtomicU64, count: u64) {
    counter.fetch_add(count, Ordering::Relaxed);
}

/// What one of them has come to.
pub fn told(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// A site.
#[derive(Debug)]
pub struct Site {
    /// The folder in which the blogs lie.
    pub folder: File,
    /// What has been done.
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

    /// The number of a new blog; `None` if there are to be no more.
    pub fn new_blog(&self) -> Option<u64> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.most).then_some(number)
    }

    /// The number of some blog, by a random number; `None` if there are too few. The newest is never chosen, and not the first either,
    /// whose number 0 stands for none in BlogBench.
    pub fn some_blog(&self, random: u64) -> Option<u64> {
        let last = self.next.load(Ordering::Relaxed).min(self.most).saturating_sub(1);
        (last > 0).then(|| random % last).filter(|number| *number > 0)
    }

    /// Ends it: who is at work finishes the file at hand.
    pub fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Whether it is over.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}
