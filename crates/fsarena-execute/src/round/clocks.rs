//! The three clocks of a trial: when its calls returned, when all data was durable, and when the file system was at
//! rest; and the space in use afterwards.
//!
//! A whole run is followed until the file system is at rest. For slices, a further slice runs for this purpose and
//! enters no figure.

use fsarena_engine::{RunStats, Upkeep};
use fsarena_model::{Bytes, Nanos, Probe, ProbeId, Reading, Readings, probe};

use super::{Clocks, Participant, WorkloadRun};
use crate::Result;

/// Smallest size of a workload's files whose space is compared with it: below, the metadata are most of it.
const SMALLEST_FILES: Bytes = Bytes::mib(4);

impl WorkloadRun<'_> {
    /// Bytes in use on a contender at rest, before a workload is prepared there; `None` if that is not measured, or
    /// unknown.
    pub(super) fn used_before(&mut self, contender: usize) -> Option<Bytes> {
        if self.setting.clocks == Clocks::Left || self.setting.shares.adopts {
            return None;
        }
        if self.setting.clocks == Clocks::Read {
            self.testbed.quiesce(contender).ok().flatten()?;
        }
        self.testbed.used(contender)
    }

    /// Reads the space in use after the last slice, which was synced. A further slice of a program would cost too much.
    pub(super) fn read_space(&mut self, participant: &mut Participant) -> Result<()> {
        let after = self.testbed.used(participant.contender);
        let logical = self.testbed.logical(participant.contender, self.setting.workload);
        let share = share(participant, after, logical.filter(|bytes| *bytes >= SMALLEST_FILES));
        participant.readings.extend(share.and_then(|share| reading(probe::SPACE_USED, share)));
        Ok(())
    }

    /// Runs a further slice, from rest to rest.
    pub(super) fn follow(&mut self, participant: &mut Participant) -> Result<()> {
        let (setting, contender) = (self.setting, participant.contender);
        self.ready(participant)?;
        self.testbed.sync(contender)?;
        if self.testbed.quiesce(contender)?.is_none() {
            return Ok(());
        }
        self.confined(|_| {
            participant.upkeep(setting, Upkeep::WarmUp)?;
            participant.warm_up(setting)?;
            participant.current.clear();
            participant.work(setting, setting.workload.timed())?;
            participant.upkeep(setting, Upkeep::End)
        })?;
        let returned = participant.current.elapsed;
        self.testbed.start_counters(contender);
        let synced = self.testbed.sync(contender)?;
        let grown = self.testbed.read_counters(contender);
        participant.readings.extend(written(DURABLE, &grown, &participant.current));
        self.follow_to_rest(participant, returned, synced)
    }

    /// Follows work whose calls returned after `returned`, and that was synced within `synced`, until the file system is
    /// at rest.
    pub(super) fn follow_to_rest(
        &mut self,
        participant: &mut Participant,
        returned: Nanos,
        synced: Nanos,
    ) -> Result<()> {
        let contender = participant.contender;
        let after = self.testbed.used(contender);
        self.testbed.start_counters(contender);
        let Some(both) = self.testbed.quiesce(contender)? else { return Ok(()) };
        let grown = self.testbed.read_counters(contender);
        // The remount itself takes time even if nothing is left to write; a second remount measures that, and it is
        // subtracted.
        let rest = both.saturating_sub(self.testbed.quiesce(contender)?.unwrap_or_default());
        let operations = participant.current.operations as f64;
        let clocks = [
            (probe::CLOCK_RETURNED, returned),
            (probe::CLOCK_DURABLE, returned + synced),
            (probe::CLOCK_QUIESCENT, returned + synced + rest),
        ];
        let clocks = clocks.into_iter().filter_map(|(clock, time)| reading(clock, time.as_seconds() / operations));
        participant.readings.extend(clocks);
        participant.readings.extend(written(QUIESCENT, &grown, &participant.current));
        let logical = self.testbed.logical(contender, self.setting.workload);
        for (probe, used) in [(probe::SPACE_USED, after), (probe::SPACE_QUIESCENT, self.testbed.used(contender))] {
            participant.readings.extend(share(participant, used, logical).and_then(|share| reading(probe, share)));
        }
        Ok(())
    }
}

/// Bytes in use for a byte of the files.
fn share(participant: &Participant, after: Option<Bytes>, logical: Option<Bytes>) -> Option<f64> {
    Some((after?.0 as f64 - participant.used?.0 as f64) / logical?.0 as f64)
}

/// The probes of what reached the device, bytes and flushes, from the return of the calls until all data was durable.
pub const DURABLE: [Probe; 2] = [probe::CLOCK_DURABLE_WRITTEN, probe::CLOCK_DURABLE_FLUSHES];
/// Those from then until the file system was at rest.
const QUIESCENT: [Probe; 2] = [probe::CLOCK_QUIESCENT_WRITTEN, probe::CLOCK_QUIESCENT_FLUSHES];

/// Bytes and flushes that reached the device within the last part of a clock, per operation.
pub fn written(part: [Probe; 2], grown: &Readings, stats: &RunStats) -> impl Iterator<Item = (ProbeId, Reading)> {
    let per_operation = |(of, probe): (Probe, Probe)| {
        let total = grown.get(&of.key())?.value?;
        reading(probe, total / stats.operations as f64)
    };
    [probe::DEVICE_WRITTEN, probe::DEVICE_FLUSHES].into_iter().zip(part).filter_map(per_operation)
}

/// A reading; `None` if the value is not a number, for example without operations or bytes.
fn reading(probe: Probe, value: f64) -> Option<(ProbeId, Reading)> {
    (value.is_finite() && value >= 0.0).then(|| probe.reading(value))
}
