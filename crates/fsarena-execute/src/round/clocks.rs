//! The three clocks of a trial: when its calls returned, when all data was durable, and when the file system was at
//! rest; and the space in use afterwards.
//!
//! A whole run is followed until the file system is at rest. For slices, a further slice runs for this purpose and
//! enters no figure.

use std::collections::BTreeMap;

use fsarena_engine::RunStats;
use fsarena_model::{Bytes, Nanos, Reading};

use super::{Clocks, Player, Setting, confined, ready, warm_up};
use crate::{Testbed, TestbedError};

/// Bytes in use on a contender at rest, before a workload is prepared there; `None` if that is not measured, or
/// unknown.
pub fn used_before(testbed: &mut dyn Testbed, setting: &Setting<'_>, contender: usize) -> Option<Bytes> {
    if setting.clocks == Clocks::Left || setting.shares.adopts {
        return None;
    }
    testbed.quiesce(contender).ok().flatten()?;
    testbed.used(contender)
}

/// Runs a further slice, from rest to rest. A failure here is a failure of the trial.
pub fn of_sliced(testbed: &mut dyn Testbed, setting: &Setting<'_>, player: &mut Player) {
    if player.failure.is_none() && !setting.is_stopped() {
        player.failure = followed(testbed, setting, player).err().map(|error| error.text);
    }
}

fn followed(testbed: &mut dyn Testbed, setting: &Setting<'_>, player: &mut Player) -> Result<(), TestbedError> {
    ready(testbed, setting, player)?;
    testbed.sync(player.contender)?;
    if testbed.quiesce(player.contender)?.is_none() {
        return Ok(());
    }
    confined(testbed, setting, |_| {
        player.upkeep(setting, |job, stop| job.warm_up(stop))?;
        warm_up(setting, player)?;
        player.current.clear();
        player.work(setting, setting.workload.timed())
    })?;
    let returned = player.current.elapsed;
    testbed.start_counters(player.contender);
    let synced = testbed.sync(player.contender)?;
    player.readings.extend(written("clock.durable", &testbed.read_counters(player.contender), &player.current));
    at_rest(testbed, setting, player, (returned, synced))
}

/// Follows a whole run until the file system is at rest. Syncs first, if the run was not synced because it ends by
/// itself.
pub fn of_whole(
    testbed: &mut dyn Testbed,
    setting: &Setting<'_>,
    player: &mut Player,
    returned: Nanos,
) -> Result<(), TestbedError> {
    let synced = match player.synced {
        Some(synced) => synced,
        None => testbed.sync(player.contender)?,
    };
    at_rest(testbed, setting, player, (returned, synced))
}

fn at_rest(
    testbed: &mut dyn Testbed,
    setting: &Setting<'_>,
    player: &mut Player,
    (returned, synced): (Nanos, Nanos),
) -> Result<(), TestbedError> {
    let contender = player.contender;
    let after = testbed.used(contender);
    testbed.start_counters(contender);
    let Some(both) = testbed.quiesce(contender)? else { return Ok(()) };
    let grown = testbed.read_counters(contender);
    // The remount itself takes time even if nothing is left to write; a second remount measures that, and it is
    // subtracted.
    let rest = both.saturating_sub(testbed.quiesce(contender)?.unwrap_or_default());
    let operations = player.current.operations as f64;
    let clocks = [("returned", returned), ("durable", returned + synced), ("quiescent", returned + synced + rest)];
    for (name, time) in clocks {
        player.readings.extend(reading(&format!("clock.{name}"), time.as_seconds() / operations, "s/op"));
    }
    player.readings.extend(written("clock.quiescent", &grown, &player.current));
    let logical = testbed.logical(contender, setting.workload);
    for (name, used) in [("used", after), ("quiescent", testbed.used(contender))] {
        let share = || Some((used?.0 as f64 - player.used?.0 as f64) / logical?.0 as f64);
        player.readings.extend(share().and_then(|share| reading(&format!("space.{name}"), share, "B/B")));
    }
    Ok(())
}

/// Bytes and flushes that reached the device within the last part of a clock, per operation.
pub fn written(clock: &str, grown: &BTreeMap<String, Reading>, stats: &RunStats) -> Vec<(String, Reading)> {
    let per_operation = |of: &str, name: &str, unit: &str| {
        let total = grown.get(of)?.value?;
        reading(&format!("{clock}.{name}"), total / stats.operations as f64, unit)
    };
    let bytes = per_operation("device.written", "written", "bytes/op");
    bytes.into_iter().chain(per_operation("device.flushes", "flushes", "flushes/op")).collect()
}

/// A reading; `None` if the value is not a number, for example without operations or bytes.
fn reading(name: &str, value: f64, unit: &str) -> Option<(String, Reading)> {
    (value.is_finite() && value >= 0.0)
        .then(|| (name.to_owned(), Reading { value: Some(value), unit: unit.to_owned() }))
}
