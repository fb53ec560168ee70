//! The three clocks of a trial: when its calls returned, when all data was durable, and when the file system was at
//! rest; and the space in use afterwards.
//!
//! A whole run is followed until the file system is at rest. For slices, a further slice runs for this purpose and
//! enters no figure.

use fsarena_engine::{RunStats, Upkeep};
use fsarena_model::{Bytes, Nanos, Probe, ProbeId, Reading, Readings, probe};

use super::{Clocks, Player, Setting, confined, ready, warm_up};
use crate::{Testbed, TestbedError};

/// Bytes in use on a contender at rest, before a workload is prepared there; `None` if that is not measured, or
/// unknown.
pub fn used_before(testbed: &mut dyn Testbed, setting: &Setting<'_>, contender: usize) -> Option<Bytes> {
    if setting.clocks == Clocks::Left || setting.shares.adopts {
        return None;
    }
    if setting.clocks == Clocks::Read {
        testbed.quiesce(contender).ok().flatten()?;
    }
    testbed.used(contender)
}

/// Smallest size of a workload's files whose space is compared with it: below, the metadata are most of it.
const SMALLEST_FILES: Bytes = Bytes::mib(4);

/// The space in use after the last slice, which was synced. A further slice of a program would cost too much.
pub fn space(testbed: &mut dyn Testbed, setting: &Setting<'_>, player: &mut Player) {
    if player.failure.is_some() || setting.is_stopped() {
        return;
    }
    let after = testbed.used(player.contender);
    let logical = testbed.logical(player.contender, setting.workload).filter(|bytes| *bytes >= SMALLEST_FILES);
    player.readings.extend(share(player, after, logical).and_then(|share| reading(probe::SPACE_USED, share)));
}

/// Bytes in use for a byte of the files.
fn share(player: &Player, after: Option<Bytes>, logical: Option<Bytes>) -> Option<f64> {
    Some((after?.0 as f64 - player.used?.0 as f64) / logical?.0 as f64)
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
        player.upkeep(setting, Upkeep::WarmUp)?;
        warm_up(setting, player)?;
        player.current.clear();
        player.work(setting, setting.workload.timed())
    })?;
    let returned = player.current.elapsed;
    testbed.start_counters(player.contender);
    let synced = testbed.sync(player.contender)?;
    player.readings.extend(written(DURABLE, &testbed.read_counters(player.contender), &player.current));
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
    let clocks = [
        (probe::CLOCK_RETURNED, returned),
        (probe::CLOCK_DURABLE, returned + synced),
        (probe::CLOCK_QUIESCENT, returned + synced + rest),
    ];
    player
        .readings
        .extend(clocks.into_iter().filter_map(|(clock, time)| reading(clock, time.as_seconds() / operations)));
    player.readings.extend(written(QUIESCENT, &grown, &player.current));
    let logical = testbed.logical(contender, setting.workload);
    for (probe, used) in [(probe::SPACE_USED, after), (probe::SPACE_QUIESCENT, testbed.used(contender))] {
        player.readings.extend(share(player, used, logical).and_then(|share| reading(probe, share)));
    }
    Ok(())
}

/// What reached the device within the last part of a clock.
pub struct LastPart {
    written: Probe,
    flushes: Probe,
}

/// From the return of the calls until all data was durable.
pub const DURABLE: LastPart = LastPart { written: probe::CLOCK_DURABLE_WRITTEN, flushes: probe::CLOCK_DURABLE_FLUSHES };
/// From then until the file system was at rest.
const QUIESCENT: LastPart =
    LastPart { written: probe::CLOCK_QUIESCENT_WRITTEN, flushes: probe::CLOCK_QUIESCENT_FLUSHES };

/// Bytes and flushes that reached the device within the last part of a clock, per operation.
pub fn written(part: LastPart, grown: &Readings, stats: &RunStats) -> impl Iterator<Item = (ProbeId, Reading)> {
    let per_operation = |of: Probe, probe: Probe| {
        let total = grown.get(&of.key())?.value?;
        reading(probe, total / stats.operations as f64)
    };
    let bytes = per_operation(probe::DEVICE_WRITTEN, part.written);
    bytes.into_iter().chain(per_operation(probe::DEVICE_FLUSHES, part.flushes))
}

/// A reading; `None` if the value is not a number, for example without operations or bytes.
fn reading(probe: Probe, value: f64) -> Option<(ProbeId, Reading)> {
    (value.is_finite() && value >= 0.0).then(|| probe.reading(value))
}
