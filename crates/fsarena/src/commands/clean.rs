//! `fsarena clean`: removes the leftovers of killed runs.

use anyhow::Result;
use fsarena_lane::{Cleared, Go, LaneError, Leftover, Wait, default_folder, loops, take_machine};
use fsarena_sys::namespace;

use crate::exit::Ended;
use crate::note::note;

/// Removes leftovers, unless a run is in progress.
pub fn run() -> Result<Ended> {
    // Where /dev does not show loop devices, a mount of this process' own does, which needs root.
    if namespace::enter_private_mounts().is_ok() {
        loops::show()?;
    }
    let (_machine, mut ledger, mut cleared) = take_machine(None, &default_folder()?, Wait::No, &mut |_| Go::Stop)?;
    ledger.undo()?;
    if cleared == Cleared::default() {
        note!("nothing was left behind");
    }
    let last = cleared.kept.pop();
    tell(&cleared);
    match last {
        Some(Leftover { what, why }) => Err(LaneError::Leftover { what, why }.into()),
        None => Ok(Ended::Well),
    }
}

/// Reports which leftovers of earlier runs were removed, and which could not be removed.
pub fn tell(cleared: &Cleared) {
    for what in &cleared.removed {
        note!("left by an earlier run: {what}");
    }
    for left in &cleared.kept {
        note!("warning: an earlier run left {}, which cannot be cleared away: {}", left.what, left.why);
    }
}
