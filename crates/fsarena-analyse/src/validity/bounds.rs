//! Rules for figures that something other than the file system limits: the host beneath the lane, the device, the
//! processors or the harness.

use fsarena_model::comparison::Shares;
use fsarena_model::validity::bounds::{DEVICE_SHARE, HARNESS_SHARE, LANE_SHARE, PROCESSOR_SHARE};
use fsarena_model::{ClientFacts, Durability, Finding, LaneCost, Measure, Nanos, probe};

use super::Evidence;
use super::impossible::is_served;
use crate::probes::SHORTEST_FLUSHING;

/// Share above which the baseline was not a ceiling: two lanes, one after the other, differ by up to this factor.
const ABOVE_THE_CEILING: f64 = 1.4;
/// Maximum share of all processors' time: counters and clock are not read at the same instant.
const ALL: f64 = 1.1;

/// The host beneath the lane takes a large share of the time.
pub fn lane_bound(evidence: &Evidence<'_>) -> Option<Finding> {
    let cost = evidence.analysis.lane_cost.as_ref()?;
    let share = lane_share(evidence).filter(|share| *share > LANE_SHARE)?;
    let has_file_system = evidence.analysis.record.environment.lanes.host_file_system.is_some();
    let with_device = cost.device.map(|_| cost.back_to_back);
    Some(Finding::HostBelowLane { share, each: beyond_device(cost), with_device, has_file_system })
}

/// What a write and flush on the lane takes, beyond the device if that is known.
fn beyond_device(cost: &LaneCost) -> Nanos {
    cost.back_to_back.saturating_sub(cost.device.unwrap_or_default())
}

/// The share of the time that flushes take on the lane, beyond the device if that is known; 0 to 1.
pub fn lane_share(evidence: &Evidence<'_>) -> Option<f64> {
    let cost = evidence.analysis.lane_cost.as_ref().filter(|_| !evidence.workload.traits.syncs_untimed)?;
    let taken = evidence.sum(probe::DEVICE_FLUSHES)? * beyond_device(cost).as_seconds();
    // The cost is that of other moments: flushes took no more than the device's statistics have.
    let flushing = evidence.sum(probe::DEVICE_FLUSHING).filter(|flushing| *flushing >= SHORTEST_FLUSHING);
    let share = flushing.map_or(taken, |flushing| taken.min(flushing)) / evidence.seconds();
    share.is_finite().then_some(share.min(1.0))
}

/// The cell is as fast as the bare device without a file system.
pub fn device_bound(evidence: &Evidence<'_>) -> Option<Finding> {
    let share = evidence.shares.ceiling?;
    // Far above the device's rate, the baseline was not a ceiling.
    let is_bound = (DEVICE_SHARE..=ABOVE_THE_CEILING).contains(&share) && is_served(evidence);
    is_bound.then_some(Finding::DeviceLimit { share })
}

/// The processors were busy all the time.
pub fn cpu_bound(evidence: &Evidence<'_>) -> Option<Finding> {
    let cores = cores(evidence)?;
    let busy = evidence.sum(probe::CPU_PROCESS)? + evidence.sum(probe::CPU_KERNEL)?;
    let share = busy / (evidence.seconds() * f64::from(cores));
    // A share above `ALL` is not possible: a program's counters then include work before and after its timed part.
    let is_bound = (PROCESSOR_SHARE..=ALL).contains(&share);
    is_bound.then(|| Finding::ProcessorsBusy { busy: share.min(1.0) * f64::from(cores), of: cores })
}

/// The processors that work: of clients, those of their machines, each once.
fn cores(evidence: &Evidence<'_>) -> Option<u32> {
    let environment = &evidence.analysis.record.environment;
    let Some(count) = evidence.workload.clients() else { return environment.cores };
    let mut machines: Vec<&ClientFacts> = environment.clients.iter().take(count as usize).collect();
    machines.sort_by_key(|client| &client.machine.boot);
    machines.dedup_by(|one, other| one.machine.boot.is_some() && one.machine.boot == other.machine.boot);
    machines.iter().map(|client| client.cores).sum()
}

/// The same work takes almost as long without a file system.
pub fn harness_bound(evidence: &Evidence<'_>) -> Option<Finding> {
    // Not for a contender in memory, which is its own baseline.
    evidence.facts.filter(|facts| facts.durability != Durability::Volatile)?;
    // Of real work it is no flaw: it is what is at stake.
    if !evidence.workload.title.is_empty() {
        return None;
    }
    let Shares { harness: memory, start: starts, .. } = evidence.shares;
    // The baseline in memory includes the program starts. Without it, the starts are a lower bound.
    if memory.or(starts)? <= HARNESS_SHARE {
        return None;
    }
    let each = Nanos((evidence.seconds() / evidence.operations() * 1e9) as u64);
    let is_score = evidence.workload.metric.measure == Measure::Printed;
    Some(Finding::MostlyHarness { memory, starts, each, is_score })
}
