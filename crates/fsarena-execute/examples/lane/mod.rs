//! One lane for an example, in the default folder.

use anyhow::{Context, Result};
use fsarena_lane::{Go, LaneSet};
use fsarena_model::{Bytes, LanePlan, Medium, Plan, Storage};
use fsarena_stats::Summary;
use fsarena_sys::namespace;

/// Lets `act` use a lane of this size for a contender, and removes it afterwards.
///
/// # Errors
/// If this is not root, or the lane cannot be made or removed; and the errors of `act`.
pub fn with_lane(contender: &str, size: Bytes, act: impl FnOnce(&mut LaneSet) -> Result<()>) -> Result<()> {
    let folder = fsarena_lane::default_folder()?;
    let enter = || namespace::enter_private_mounts().context("a mount namespace of its own; run as root");
    let (_machine, ledger, _) =
        fsarena_lane::take_machine(None, &folder, fsarena_lane::Wait::Yes, &mut |_| Go::On, enter)?;
    let plan = Plan {
        lanes: LanePlan::new(Storage::Directory(fsarena_lane::DEFAULT_FOLDER.into()), size, Medium::Nvme),
        ..Plan::of(vec![fsarena_catalog::contender(contender)?])
    };
    let mut lane_set = LaneSet::open(Vec::new(), plan, ledger, &mut |_| Go::On)?;
    let done = act(&mut lane_set);
    lane_set.close()?;
    done
}

/// A median, with its interval if it is known; a dash if there is none.
pub fn words(summary: Option<Summary>) -> String {
    let interval = |one: Summary| Some(format!(" [{:.3}, {:.3}]", one.low?, one.high?));
    summary.map_or_else(|| "–".to_owned(), |one| format!("{:.3}{}", one.median, interval(one).unwrap_or_default()))
}
