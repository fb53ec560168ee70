//! Rules for figures that something other than the file system limits: the host beneath the lane, the device, the
//! processors or the harness.

use fsarena_model::validity::bounds::{DEVICE_SHARE, HARNESS_SHARE, LANE_SHARE, PROCESSOR_SHARE};
use fsarena_model::{ClientFacts, Durability, Measure, Nanos, Validity, ValidityClass, probe};

use super::impossible::is_served;
use super::{Evidence, flag};
use crate::{baselines, durability};

/// Share above which the baseline was not a ceiling: two lanes, one after the other, differ by up to this factor.
const ABOVE_THE_CEILING: f64 = 1.4;
/// Maximum share of all processors' time: counters and clock are not read at the same instant.
const ALL: f64 = 1.1;

/// The host beneath the lane takes a large share of the time.
pub fn lane_bound(evidence: &Evidence<'_>) -> Option<Validity> {
    let cost = evidence.lane_cost.as_ref().filter(|_| !durability::syncs_untimed(evidence.workload))?;
    let beyond_device = cost.back_to_back.saturating_sub(cost.device.unwrap_or_default());
    let seconds = evidence.seconds();
    let share = evidence.sum(probe::DEVICE_FLUSHES)? * beyond_device.as_seconds() / seconds;
    if seconds == 0.0 || share <= LANE_SHARE {
        return None;
    }
    let (host, advice) = match &evidence.record.environment.lanes.host_file_system {
        Some(_) => (
            "the host's file system beneath the lane, with the loop device, takes",
            "; put the lanes on a partition or another host file system",
        ),
        None => ("the loop device on the disk takes", ""),
    };
    let part = match cost.device {
        Some(_) => format!("{host} {beyond_device} of each write and flush ({} with the device)", cost.back_to_back),
        None => format!(
            "a write and flush on the bare lane takes {beyond_device} (how much of it a device beneath takes could not be \
             read)"
        ),
    };
    let text = format!("{part}, about {:.0} % of this cell's time{advice}", (share * 100.0).min(100.0));
    flag(ValidityClass::LaneBound, text)
}

/// The cell is as fast as the bare device without a file system.
pub fn device_bound(evidence: &Evidence<'_>) -> Option<Validity> {
    let share = baselines::ceiling_share(evidence.record, evidence.workload, &evidence.finished)?;
    // Far above the device's rate, the baseline was not a ceiling.
    if !(DEVICE_SHARE..=ABOVE_THE_CEILING).contains(&share) || !is_served(evidence) {
        return None;
    }
    let cap = baselines::cap(evidence.record, evidence.workload);
    let cap = cap.map_or(String::new(), |cap| format!("; it looks like a cap of {cap}"));
    let text = format!(
        "{:.0} % of what the bare device does with the same requests{cap}: a tie here says nothing about the file systems; \
         take more requests at a time, or a faster device",
        share * 100.0
    );
    flag(ValidityClass::DeviceBound, text)
}

/// The processors were busy all the time.
pub fn cpu_bound(evidence: &Evidence<'_>) -> Option<Validity> {
    let cores = f64::from(cores(evidence)?);
    let busy = evidence.sum(probe::CPU_PROCESS)? + evidence.sum(probe::CPU_KERNEL)?;
    let share = busy / (evidence.seconds() * cores);
    // A share above `ALL` is not possible: a program's counters then include work before and after its timed part.
    if !(PROCESSOR_SHARE..=ALL).contains(&share) {
        return None;
    }
    let text = format!(
        "this run and the kernel's threads kept {:.1} of {cores} processors busy: the figure is about processors, not about \
         storage; take fewer threads, or data beyond the cache",
        share * cores
    );
    flag(ValidityClass::CpuBound, text)
}

/// The processors that work: of clients, those of their machines, each once.
fn cores(evidence: &Evidence<'_>) -> Option<u32> {
    let environment = &evidence.record.environment;
    let Some(count) = evidence.workload.clients() else { return environment.cores };
    let mut machines: Vec<&ClientFacts> = environment.clients.iter().take(count as usize).collect();
    machines.sort_by_key(|client| &client.machine.boot);
    machines.dedup_by(|one, other| one.machine.boot.is_some() && one.machine.boot == other.machine.boot);
    machines.iter().map(|client| client.cores).sum()
}

/// The same work takes almost as long without a file system.
pub fn harness_bound(evidence: &Evidence<'_>) -> Option<Validity> {
    // Not for a contender in memory, which is its own baseline.
    evidence.facts.filter(|facts| facts.durability != Durability::Volatile)?;
    let memory = baselines::harness_share(evidence.record, evidence.workload, &evidence.finished);
    let starts = baselines::start_share(evidence.record, evidence.workload, &evidence.finished);
    // The baseline in memory includes the program starts. Without it, the starts are a lower bound.
    if memory.or(starts)? <= HARNESS_SHARE {
        return None;
    }
    let each = Nanos((evidence.seconds() / evidence.operations() * 1e9) as u64);
    let percent = |share: f64| format!("{:.0} %", (share * 100.0).min(100.0));
    let words = match (memory, starts) {
        (Some(memory), None) if evidence.workload.metric.measure == Measure::Printed => {
            format!("the figure is {} of what the same work gives in memory", percent(memory))
        }
        (Some(memory), Some(starts)) => format!(
            "the same work in memory takes {} of its {each} per operation; starting programs that do nothing takes {} of it",
            percent(memory),
            percent(starts)
        ),
        (Some(memory), None) => {
            format!("the same work in memory takes {} of its {each} per operation", percent(memory))
        }
        (None, starts) => format!(
            "starting programs that do nothing takes {} of its {each} per operation",
            percent(starts.unwrap_or_default())
        ),
    };
    let text = format!("{words}: the figure is mostly about the harness, system calls and the kernel's caches");
    flag(ValidityClass::HarnessBound, text)
}
