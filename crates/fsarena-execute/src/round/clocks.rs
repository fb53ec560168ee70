//! The three clocks of a trial: when its calls returned, when all data was durable, and when the file system was at
//! rest; and the space in use afterwards.
//!
//! A whole run is followed until the file system is at rest. For slices, a further slice runs for this purpose and
//! enters no figure.

use std::collections::BTreeMap;

use fsarena_engine::Tally;
use fsarena_model::{Bytes, Nanos, Reading};

use super::{Clocks, Player, Setting, confined, ready, warm_up};
use crate::{Stage, Trouble};

/// Bytes in use on a contender at rest, before a workload is prepared there; `None` if that is not measured, or
/// unknown.
pub fn used_before(stage: &mut dyn Stage, setting: &Setting<'_>, contender: usize) -> Option<Bytes> {
    if setting.clocks == Clocks::Left || setting.shares.adopts {
        return None;
    }
    stage.rest(contender).ok().flatten()?;
    stage.used(contender)
}

/// Runs a further slice, from rest to rest. A failure here is a failure of the trial.
pub fn of_sliced(stage: &mut dyn Stage, setting: &Setting<'_>, player: &mut Player) {
    if player.failure.is_none() && !setting.is_stopped() {
        player.failure = followed(stage, setting, player).err().map(|trouble| trouble.text);
    }
}

fn followed(stage: &mut dyn Stage, setting: &Setting<'_>, player: &mut Player) -> Result<(), Trouble> {
    ready(stage, setting, player)?;
    stage.settle(player.contender)?;
    if stage.rest(player.contender)?.is_none() {
        return Ok(());
    }
    confined(stage, setting, |_| {
        player.upkeep(setting, |job, stop| job.warm(stop))?;
        warm_up(setting, player)?;
        player.current.clear();
        player.work(setting, setting.workload.timed())
    })?;
    let returned = player.current.elapsed;
    stage.watch(player.contender);
    let settled = stage.settle(player.contender)?;
    player.readings.extend(written("clock.durable", &stage.glance(player.contender), &player.current));
    at_rest(stage, setting, player, (returned, settled))
}

/// Follows a whole run until the file system is at rest. Syncs first, if the run was not synced because it ends by
/// itself.
pub fn of_whole(
    stage: &mut dyn Stage,
    setting: &Setting<'_>,
    player: &mut Player,
    returned: Nanos,
) -> Result<(), Trouble> {
    let settled = match player.settled {
        Some(settled) => settled,
        None => stage.settle(player.contender)?,
    };
    at_rest(stage, setting, player, (returned, settled))
}

fn at_rest(
    stage: &mut dyn Stage,
    setting: &Setting<'_>,
    player: &mut Player,
    (returned, settled): (Nanos, Nanos),
) -> Result<(), Trouble> {
    let contender = player.contender;
    let after = stage.used(contender);
    stage.watch(contender);
    let Some(both) = stage.rest(contender)? else { return Ok(()) };
    let grown = stage.glance(contender);
    // The remount itself takes time even if nothing is left to write; a second remount measures that, and it is
    // subtracted.
    let rest = both.saturating_sub(stage.rest(contender)?.unwrap_or_default());
    let operations = player.current.operations as f64;
    let clocks = [("returned", returned), ("durable", returned + settled), ("rest", returned + settled + rest)];
    for (name, time) in clocks {
        player.readings.extend(reading(&format!("clock.{name}"), time.as_seconds() / operations, "s/op"));
    }
    player.readings.extend(written("clock.rest", &grown, &player.current));
    let logical = stage.logical(contender, setting.workload);
    for (name, used) in [("used", after), ("rest", stage.used(contender))] {
        let share = || Some((used?.0 as f64 - player.used?.0 as f64) / logical?.0 as f64);
        player.readings.extend(share().and_then(|share| reading(&format!("space.{name}"), share, "B/B")));
    }
    Ok(())
}

/// Bytes and flushes that reached the device within the last part of a clock, per operation.
pub fn written(clock: &str, grown: &BTreeMap<String, Reading>, tally: &Tally) -> Vec<(String, Reading)> {
    let per_operation = |of: &str, name: &str, unit: &str| {
        let total = grown.get(of)?.value?;
        reading(&format!("{clock}.{name}"), total / tally.operations as f64, unit)
    };
    let bytes = per_operation("device.written", "written", "bytes/op");
    bytes.into_iter().chain(per_operation("device.flushes", "flushes", "flushes/op")).collect()
}

/// A reading; `None` if the value is not a number, for example without operations or bytes.
fn reading(name: &str, value: f64, unit: &str) -> Option<(String, Reading)> {
    (value.is_finite() && value >= 0.0)
        .then(|| (name.to_owned(), Reading { value: Some(value), unit: unit.to_owned() }))
}
