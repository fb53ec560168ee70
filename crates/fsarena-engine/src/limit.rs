//! When a run ends.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fsarena_model::Nanos;

/// How often [`watched`] looks.
const LOOK: Duration = Duration::from_millis(20);

/// Whether what takes long beside a run may go on, such as laying out a file: asked for each piece of it.
///
/// # Errors
/// Once somebody wants to stop.
pub fn go_on(stop: &AtomicBool) -> io::Result<()> {
    if stop.load(Ordering::Relaxed) { Err(io::Error::other("somebody wanted to stop")) } else { Ok(()) }
}

/// Does `work` with a wish to stop that comes once `look`, which is asked again and again from another thread, says that it is over.
pub fn watched<T>(mut look: impl FnMut() -> bool + Send, work: impl FnOnce(&AtomicBool) -> T) -> T {
    let (told, is_done) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let watch = scope.spawn(|| {
            while !is_done.load(Ordering::Acquire) {
                if look() {
                    told.store(true, Ordering::Relaxed);
                }
                thread::park_timeout(LOOK);
            }
        });
        let worked = work(&told);
        is_done.store(true, Ordering::Release);
        watch.thread().unpark();
        worked
    })
}

/// When a run ends.
#[derive(Debug, Clone, Copy)]
pub struct Limit<'a> {
    /// After so much time inside the timer; `None`: when the work is done.
    pub time: Option<Nanos>,
    /// As soon as this is set.
    pub stop: &'a AtomicBool,
    /// How much longer everything takes than it would, for who wants to see whether that is found: .05 for 5 %.
    pub handicap: f64,
}

impl<'a> Limit<'a> {
    /// A run without a handicap.
    pub fn new(time: Option<Nanos>, stop: &'a AtomicBool) -> Self {
        Self { time, stop, handicap: 0.0 }
    }

    /// The same run with another end.
    pub fn until(self, time: Option<Nanos>) -> Self {
        Self { time, ..self }
    }

    /// Whether `elapsed` is enough, or somebody wants to stop.
    #[inline]
    pub fn is_reached(&self, elapsed: Nanos) -> bool {
        self.time.is_some_and(|time| elapsed >= time) || self.stop.load(Ordering::Relaxed)
    }
}
