//! When a run ends, and how much it is slowed down.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use std::{io, thread};

use fsarena_model::Nanos;

/// Interval at which [`watched`] calls `look`.
const LOOK: Duration = Duration::from_millis(20);

/// Checks the stop flag during long work outside of a run, such as laying out a file. It is called for each piece of
/// the work.
///
/// # Errors
/// Once `stop` is set.
pub fn go_on(stop: &AtomicBool) -> io::Result<()> {
    if stop.load(Ordering::Relaxed) { Err(io::Error::other("it was asked to stop")) } else { Ok(()) }
}

/// Runs `work` with a stop flag. Another thread calls `look` repeatedly, and sets the flag when `look` returns `true`.
pub fn watched<T>(mut look: impl FnMut() -> bool + Send, work: impl FnOnce(&AtomicBool) -> T) -> T {
    let stop = &AtomicBool::new(false);
    thread::scope(|scope| {
        // The thread ends when this end of the channel is dropped, also if `work` panics.
        let (_end, is_over) = mpsc::channel::<()>();
        scope.spawn(move || {
            loop {
                if look() {
                    stop.store(true, Ordering::Relaxed);
                }
                if is_over.recv_timeout(LOOK) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
        });
        work(stop)
    })
}

/// When a run ends.
#[derive(Debug, Clone, Copy)]
pub struct Limit<'a> {
    /// Maximum time inside the timer; `None` until the work is done.
    pub time: Option<Nanos>,
    /// The stop flag. The run ends as soon as it is set.
    pub stop: &'a AtomicBool,
}

impl<'a> Limit<'a> {
    /// The limit of a run.
    pub fn new(time: Option<Nanos>, stop: &'a AtomicBool) -> Self {
        Self { time, stop }
    }

    /// Whether `elapsed` reaches the limit, or the stop flag is set.
    #[inline]
    pub fn is_reached(&self, elapsed: Nanos) -> bool {
        self.time.is_some_and(|time| elapsed >= time) || self.stop.load(Ordering::Relaxed)
    }
}
