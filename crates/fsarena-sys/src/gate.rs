//! A gate that workers pass together. Workers are threads or processes.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use fsarena_model::Nanos;
use rustix::thread::futex;

use crate::clock;
use crate::mapping::Mapping;

/// How long the opener sleeps between two checks of who is ready.
const LOOK: Duration = Duration::from_micros(20);

const CLOSED: u32 = 0;
const OPEN: u32 = 1;
const FAILED: u32 = 2;

/// State that the workers share with the code that starts them.
#[repr(C)]
pub struct Flags {
    arrived: AtomicU32,
    opened_at: AtomicU64,
    /// [`CLOSED`], [`OPEN`] or [`FAILED`]. Workers sleep on it (futex(2)): a thousand that look from time to time would
    /// leave no processor to those that are still being started.
    state: AtomicU32,
    /// Set when the workers have to stop.
    pub stop: AtomicBool,
}

impl Flags {
    /// Reports one more worker as ready, and waits until the gate opens; `false` if a worker has failed and it does not
    /// open.
    pub fn pass(&self) -> bool {
        self.arrived.fetch_add(1, Ordering::AcqRel);
        while self.state.load(Ordering::Acquire) == CLOSED {
            // It returns early if the state has changed, and after signals.
            let _ = futex::wait(&self.state, futex::Flags::empty(), CLOSED, None);
        }
        !self.has_failed()
    }

    fn has_failed(&self) -> bool {
        self.state.load(Ordering::Acquire) == FAILED
    }

    fn set_state(&self, state: u32) {
        self.state.store(state, Ordering::Release);
        let _ = futex::wake(&self.state, futex::Flags::empty(), i32::MAX as u32);
    }

    /// When the gate opened; valid for workers that have passed.
    pub fn opened_at(&self) -> Nanos {
        Nanos(self.opened_at.load(Ordering::Acquire))
    }

    /// Reports a failure: no worker passes any more.
    pub fn fail(&self) {
        self.set_state(FAILED);
    }

    /// Opens the gate when `count` workers are ready, unless one fails. `is_alive` returns whether all workers still
    /// run.
    pub fn open_for(&self, count: u32, mut is_alive: impl FnMut() -> bool) {
        while self.arrived.load(Ordering::Acquire) < count && !self.has_failed() {
            if !is_alive() {
                self.fail();
            }
            std::thread::sleep(LOOK);
        }
        self.opened_at.store(clock::now().0, Ordering::Release);
        if !self.has_failed() {
            self.set_state(OPEN);
        }
    }
}

/// [`Flags`] in memory that a forked process shares.
pub struct Gate(Mapping);

impl Gate {
    /// A closed gate.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn new() -> std::io::Result<Self> {
        // Zeroed pages are closed flags: all flags are plain integers.
        Mapping::anonymous(size_of::<Flags>()).map(Self)
    }
}

impl Deref for Gate {
    type Target = Flags;

    fn deref(&self) -> &Flags {
        // SAFETY: the mapping lives as long as this value, is aligned to a page, as large as `Flags`, zeroed, and only
        // accessed through atomics.
        unsafe { self.0.start.cast().as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pass_together_or_none() {
        let gate = Gate::new().expect("memory");
        let passed = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..3).map(|_| scope.spawn(|| gate.pass())).collect();
            gate.open_for(3, || true);
            workers.into_iter().all(|worker| worker.join().expect("no panic"))
        });
        assert!(passed);
        let gate = Gate::new().expect("memory");
        gate.open_for(2, || false);
        assert!(!gate.pass());
    }
}
