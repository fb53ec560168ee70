//! The machine, locked for one run.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Error, Result};
use fsarena_lane::{Cleared, Go, LaneError, Ledger, Leftover, Wait, default_folder};
use fsarena_sys::machine::{Holder, MachineLock};

use crate::note;

/// The lock on the machine for one run, and the ledger of the things that the run creates.
pub struct Locked {
    /// The ledger of the run.
    pub ledger: Ledger,
    /// The lock, until this is dropped.
    pub machine: MachineLock,
}

/// Locks the machine, calls `locked`, and removes the leftovers of dead runs; `None` if the run is stopped while it
/// waits. Processes of the same `session` may share the machine.
///
/// # Errors
/// [`LaneError::Busy`] if another run has the machine and this one may not `wait`; those of `locked`.
pub fn take_machine(
    session: Option<&str>,
    wait: bool,
    stop: &AtomicBool,
    locked: impl FnOnce() -> Result<()>,
) -> Result<Option<Locked>> {
    let wait = if wait { Wait::Yes } else { Wait::No };
    let mut announced = None;
    let mut waiting = |holder: Option<&Holder>| {
        // A holder that is seen after another one is a new run.
        let process = Some(holder.map(|holder| holder.process));
        if std::mem::replace(&mut announced, process) != process {
            let busy = LaneError::Busy { holder: holder.cloned().map(Box::new) };
            note!("waiting: {busy}");
            let end = holder.map(|holder| format!("; `kill {}` ends that run and clears up", holder.process));
            note!("hint: this run begins when that one has ended; Ctrl-C leaves{}", end.unwrap_or_default());
        }
        if stop.load(Ordering::Relaxed) { Go::Stop } else { Go::On }
    };
    match fsarena_lane::take_machine(session, &default_folder()?, wait, &mut waiting, locked) {
        Err(error) if is_busy(&error) && stop.load(Ordering::Relaxed) => Ok(None),
        taken => {
            let (machine, ledger, cleared) = taken?;
            tell_cleared(&cleared);
            Ok(Some(Locked { ledger, machine }))
        }
    }
}

/// Whether another run has the machine.
pub fn is_busy(error: &Error) -> bool {
    matches!(error.downcast_ref(), Some(LaneError::Busy { .. }))
}

/// Reports which leftovers of earlier runs were removed, and which could not be removed.
pub fn tell_cleared(cleared: &Cleared) {
    for what in &cleared.removed {
        note!("left by an earlier run: {what}");
    }
    for Leftover { what, why } in &cleared.kept {
        note!("warning: an earlier run left {what}, which cannot be cleared away: {why}");
    }
}
