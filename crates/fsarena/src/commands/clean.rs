//! `fsarena clean`: removes the leftovers of killed runs.

use anyhow::Result;
use fsarena_lane::{Cleared, Go, LaneError, Leftover, Wait, default_folder, loops, take_machine};
use fsarena_place::{note, tell_cleared};
use fsarena_sys::namespace;

/// Removes leftovers, unless a run is in progress.
pub fn run() -> Result<()> {
    // Where /dev does not show loop devices, a mount of this process' own does, which needs root.
    let show = || if namespace::enter_private_mounts().is_ok() { loops::show() } else { Ok(()) };
    let (_machine, mut ledger, mut cleared) =
        take_machine(None, &default_folder()?, Wait::No, &mut |_| Go::Stop, show)?;
    ledger.undo()?;
    if cleared == Cleared::default() {
        note!("nothing was left behind");
    }
    let last = cleared.kept.pop();
    tell_cleared(&cleared);
    match last {
        Some(Leftover { what, why }) => Err(LaneError::Leftover { what, why }.into()),
        None => Ok(()),
    }
}
