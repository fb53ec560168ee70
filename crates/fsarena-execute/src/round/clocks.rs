//! The three clocks of a trial: when its calls returned, when all data was durable, and when the file system was at
//! rest; and the space in use afterwards.
//!
//! A whole run is followed until the file system is at rest. For slices, a further slice runs for this purpose and
//! enters no figure.

use fsarena_engine::{RunStats, Upkeep};
use fsarena_model::{Bytes, Nanos, Probe, ProbeId, Reading, Readings, probe};

use super::{Clocks, Participant, Setting, confined, ready, warm_up};
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
pub fn space(testbed: &mut dyn Testbed, setting: &Setting<'_>, participant: &mut Participant) {
    if participant.failure.is_some() || setting.is_stopped() {
        return;
    }
    let after = testbed.used(participant.contender);
    let logical = testbed.logical(participant.contender, setting.workload).filter(|bytes| *bytes >= SMALLEST_FILES);
    participant.readings.extend(share(participant, after, logical).and_then(|share| reading(probe::SPACE_USED, share)));
}

/// Bytes in use for a byte of the files.
fn share(participant: &Participant, after: Option<Bytes>, logical: Option<Bytes>) -> Option<f64> {
    Some((after?.0 as f64 - participant.used?.0 as f64) / logical?.0 as f64)
}

/// Runs a further slice, from rest to rest. A failure here is a failure of the trial.
pub fn of_sliced(testbed: &mut dyn Testbed, setting: &Setting<'_>, participant: &mut Participant) {
    if participant.failure.is_none() && !setting.is_stopped() {
        participant.failure = followed(testbed, setting, participant).err().map(|error| error.text);
    }
}

fn followed(
    testbed: &mut dyn Testbed,
    setting: &Setting<'_>,
    participant: &mut Participant,
) -> Result<(), TestbedError> {
    ready(testbed, setting, participant)?;
    testbed.sync(participant.contender)?;
    if testbed.quiesce(participant.contender)?.is_none() {
        return Ok(());
    }
    confined(testbed, setting, |_| {
        participant.upkeep(setting, Upkeep::WarmUp)?;
        warm_up(setting, participant)?;
        participant.current.clear();
        participant.work(setting, setting.workload.timed())
    })?;
    let returned = participant.current.elapsed;
    testbed.start_counters(participant.contender);
    let synced = testbed.sync(participant.contender)?;
    participant.readings.extend(written(DURABLE, &testbed.read_counters(participant.contender), &participant.current));
    at_rest(testbed, setting, participant, (returned, synced))
}

/// Follows a whole run until the file system is at rest. Syncs first, if the run was not synced because it ends by
/// itself.
pub fn of_whole(
    testbed: &mut dyn Testbed,
    setting: &Setting<'_>,
    participant: &mut Participant,
    returned: Nanos,
) -> Result<(), TestbedError> {
    let synced = match participant.synced {
        Some(synced) => synced,
        None => testbed.sync(participant.contender)?,
    };
    at_rest(testbed, setting, participant, (returned, synced))
}

fn at_rest(
    testbed: &mut dyn Testbed,
    setting: &Setting<'_>,
    participant: &mut Participant,
    (returned, synced): (Nanos, Nanos),
) -> Result<(), TestbedError> {
    let contender = participant.contender;
    let after = testbed.used(contender);
    testbed.start_counters(contender);
    let Some(both) = testbed.quiesce(contender)? else { return Ok(()) };
    let grown = testbed.read_counters(contender);
    // The remount itself takes time even if nothing is left to write; a second remount measures that, and it is
    // subtracted.
    let rest = both.saturating_sub(testbed.quiesce(contender)?.unwrap_or_default());
    let operations = participant.current.operations as f64;
    let clocks = [
        (probe::CLOCK_RETURNED, returned),
        (probe::CLOCK_DURABLE, returned + synced),
        (probe::CLOCK_QUIESCENT, returned + synced + rest),
    ];
    participant
        .readings
        .extend(clocks.into_iter().filter_map(|(clock, time)| reading(clock, time.as_seconds() / operations)));
    participant.readings.extend(written(QUIESCENT, &grown, &participant.current));
    let logical = testbed.logical(contender, setting.workload);
    for (probe, used) in [(probe::SPACE_USED, after), (probe::SPACE_QUIESCENT, testbed.used(contender))] {
        participant.readings.extend(share(participant, used, logical).and_then(|share| reading(probe, share)));
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
