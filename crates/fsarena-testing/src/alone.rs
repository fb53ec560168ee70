//! Controls which tests may make lanes at the same time.

use std::fs::File;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};

/// Number of tests that may start runs as processes at the same time. Runs wait for more than half of their time, so
/// that three keep two processors busy.
const MACHINES: usize = 3;

static WITHIN_THIS_PROCESS: Mutex<()> = Mutex::new(());

/// The exclusive right to make lanes, held until this is dropped.
#[derive(Debug)]
pub struct Alone {
    _machines: Vec<File>,
    _process: MutexGuard<'static, ()>,
}

/// Waits until no other test of any process has the right to make lanes: a test could not distinguish its own leftovers
/// from what another one has just made.
///
/// # Panics
/// If the lock files in the directory for temporary files cannot be made.
#[must_use]
pub fn alone() -> Alone {
    let process = WITHIN_THIS_PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    let machines = (0..MACHINES).map(|number| {
        let machine = lock_file(number);
        flock(&machine, FlockOperation::LockExclusive).expect("the lock comes free");
        machine
    });
    Alone { _machines: machines.collect(), _process: process }
}

/// The right of a test to start runs as processes, while another test may do so, too. The test has to give them their
/// own namespaces.
#[derive(Debug)]
pub struct Machine(#[expect(dead_code, reason = "it is held")] File);

impl Machine {
    /// Waits until one of these rights is free.
    ///
    /// # Panics
    /// If the lock files in the directory for temporary files cannot be made.
    #[must_use]
    pub fn wait() -> Self {
        let is_taken = |file: &File| flock(file, FlockOperation::NonBlockingLockExclusive).is_ok();
        loop {
            if let Some(file) = (0..MACHINES).map(lock_file).find(is_taken) {
                return Self(file);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn lock_file(number: usize) -> File {
    let path = std::env::temp_dir().join(format!("fsarena-tests-{number}.lock"));
    File::create(path).expect("a lock file")
}
