//! One test at a time on the machine.

use std::fs::File;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{FlockOperation, flock};

static WITHIN_THIS_PROCESS: Mutex<()> = Mutex::new(());

/// The right to make lanes, as long as it lives.
#[derive(Debug)]
pub struct Alone {
    _machine: File,
    _process: MutexGuard<'static, ()>,
}

/// Waits until no other test of any process has the right to make lanes: what a test leaves behind could not be told from
/// what another one has just made.
///
/// # Panics
/// If the lock file in the directory for temporary files cannot be made.
#[must_use]
pub fn alone() -> Alone {
    let process = WITHIN_THIS_PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    let machine = File::create(std::env::temp_dir().join("fsarena-tests.lock")).expect("a lock file");
    flock(&machine, FlockOperation::LockExclusive).expect("the lock comes free");
    Alone { _machine: machine, _process: process }
}
