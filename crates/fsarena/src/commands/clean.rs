//! `fsarena clean`: takes away what killed runs have left behind.

use anyhow::Result;
use fsarena_lane::{Cleared, Go, Ledger, Wait, default_folder};

use crate::exit::Ended;
use crate::note::note;

/// Clears up, unless a run is under way.
pub fn run() -> Result<Ended> {
    let (mut ledger, mut cleared) = Ledger::open(&default_folder()?, Wait::No, &mut || Go::Stop)?;
    cleared.extend(fsarena_apps::clear());
    ledger.undo()?;
    match cleared.is_empty() {
        true => note!("nothing was left behind"),
        false => tell(&cleared),
    }
    Ok(Ended::Well)
}

/// Says what of an earlier run was taken away.
pub fn tell(cleared: &Cleared) {
    for what in cleared {
        note!("cleared away, left by an earlier run: {what}");
    }
}
