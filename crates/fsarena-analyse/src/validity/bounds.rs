//! Rules for figures that something other than the file system limits: the host beneath the lane, the device, the
//! processors, the harness, the program's clock, the network, or a single client.

use fsarena_model::comparison::Shares;
use fsarena_model::validity::bounds::{
    CLIENT_SHARE, CLOCK_SHARE, DEVICE_SHARE, HARNESS_SHARE, LANE_SHARE, LINK_SHARE, PROCESSOR_SHARE, SKEWED_SHARE,
};
use fsarena_model::{ClientFacts, Durability, Finding, LaneCost, Measure, Nanos, Outcome, Trial, Workload, probe};

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

/// A step of the program's clock is a large part of the measured time.
pub fn few_steps(evidence: &Evidence<'_>) -> Option<Finding> {
    let step = evidence.workload.traits.clock_step?;
    let share = fsarena_stats::median(shares(evidence.workload, evidence.finished.iter().copied()))?;
    (share > CLOCK_SHARE).then_some(Finding::FewSteps { step, share })
}

/// How far the logarithm of a cell's figure may be off, since the program's clock counts in steps: infinite if the time
/// may have been no step at all.
pub fn uncertainty<'a>(workload: &Workload, trials: impl IntoIterator<Item = &'a Trial>) -> f64 {
    let logarithms: Vec<f64> = shares(workload, trials).into_iter().map(|share| -(1.0 - share).ln()).collect();
    logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64
}

/// The share of each slice that a step of the program's clock is, at most 1; none if the clock is fine.
fn shares<'a>(workload: &Workload, trials: impl IntoIterator<Item = &'a Trial>) -> Vec<f64> {
    use Measure::{MeanLatencyMicroseconds, P99LatencyMicroseconds, Printed};
    // Programs count latencies, and what they print, more finely.
    let is_of_time = !matches!(workload.metric.measure, MeanLatencyMicroseconds | P99LatencyMicroseconds | Printed);
    let Some(step) = workload.traits.clock_step.filter(|_| is_of_time) else { return Vec::new() };
    let finished = trials.into_iter().filter(|trial| trial.outcome == Outcome::Finished);
    let elapsed = finished.flat_map(|trial| &trial.slices).map(|slice| slice.elapsed);
    elapsed.map(|elapsed| step.as_seconds() / elapsed.max(step).as_seconds()).collect()
}

/// One client did far less than the others in most rounds.
pub fn uneven(evidence: &Evidence<'_>) -> Option<Finding> {
    let slowest: Vec<_> = evidence.finished.iter().filter_map(|trial| trial.clients.as_ref()?.slowest()).collect();
    let slow: Vec<_> = slowest.iter().filter(|slowest| slowest.share < CLIENT_SHARE).collect();
    let client = slow.first()?.client;
    let own: Vec<f64> = slow.iter().filter(|slow| slow.client == client).map(|slow| slow.share).collect();
    if 2 * own.len() <= slowest.len() {
        return None;
    }
    Some(Finding::SlowClient {
        client: name(&evidence.analysis.record.environment.clients, client),
        rounds: own.len() as u32,
        of: slowest.len() as u32,
        share: fsarena_stats::median(own)?,
    })
}

/// The clients rarely started together.
pub fn skewed(evidence: &Evidence<'_>) -> Option<Finding> {
    let works = || evidence.finished.iter().filter_map(|trial| Some((trial, trial.clients.as_ref()?)));
    let slices: u32 = works().map(|(_, work)| work.skewed).sum();
    let of = slices + works().map(|(trial, _)| trial.slices.len() as u32).sum::<u32>();
    let worst = works().map(|(_, work)| work.skew).fold(0.0, f64::max);
    let is_often = f64::from(slices) > SKEWED_SHARE * f64::from(of);
    is_often.then_some(Finding::StartsApart { slices, of, worst })
}

/// The network carried almost as much as it can.
pub fn network_bound(evidence: &Evidence<'_>) -> Option<Finding> {
    let clients = f64::from(evidence.workload.clients()?);
    let links = evidence.analysis.record.environment.clients.iter().map(|client| client.machine.link_mbit);
    let slowest = links.collect::<Option<Vec<u64>>>()?.into_iter().min()? as f64 * 1e6 / 8.0;
    let busiest = evidence.sum(probe::NETWORK_RECEIVED)?.max(evidence.sum(probe::NETWORK_SENT)?);
    let share = busiest / evidence.seconds() / clients / slowest;
    (share >= LINK_SHARE).then_some(Finding::LinkLimit { share, mbit: slowest * 8.0 / 1e6 })
}

/// `client 2 (node2)`, or its command if its host is unknown.
fn name(clients: &[ClientFacts], client: usize) -> String {
    let known = clients.get(client).map(|facts| facts.machine.host.clone().unwrap_or(facts.command.clone()));
    format!("client {}{}", client + 1, known.map(|known| format!(" ({known})")).unwrap_or_default())
}
