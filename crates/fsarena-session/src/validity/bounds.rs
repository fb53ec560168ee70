//! What decides a figure, where that is not the file system: the host beneath the lane, the device, the processors, or the
//! harness.

use fsarena_model::{Durability, Nanos, Validity, ValidityClass};

use super::impossible::is_served;
use super::{Evidence, flag};
use crate::{durability, references};

/// The share of a cell's time from which on the host beneath its lane decides the figure.
const LANE_SHARE: f64 = 0.2;
/// The share of the bare device's rate from which on the device decides. Two slices of a reference vary by some percent.
const AT_THE_CEILING: f64 = 0.9;
/// Above it the reference was no ceiling: two lanes, one after the other, differ by up to so much.
const ABOVE_THE_CEILING: f64 = 1.4;
/// The share of all processors' time from which on they were full.
const FULL: f64 = 0.9;
/// The share of a cell's time from which on the harness decides.
const HARNESS_SHARE: f64 = 0.5;

/// The host beneath the lane takes much of the time.
pub fn lane_bound(evidence: &Evidence<'_>) -> Option<Validity> {
    let cost = evidence.lane_cost.as_ref().filter(|_| !durability::syncs_untimed(evidence.workload))?;
    let beyond_device = cost.back_to_back.saturating_sub(cost.device.unwrap_or_default());
    let seconds = evidence.seconds();
    let share = evidence.sum("device.flushes")? * beyond_device.as_seconds() / seconds;
    if seconds == 0.0 || share <= LANE_SHARE {
        return None;
    }
    let (host, advice) = match &evidence.record.environment.host_file_system {
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

/// As fast as the device without any file system.
pub fn device_bound(evidence: &Evidence<'_>) -> Option<Validity> {
    let share = references::ceiling_share(evidence.record, evidence.workload, &evidence.finished)?;
    // Far above it the reference was no ceiling.
    if !(AT_THE_CEILING..=ABOVE_THE_CEILING).contains(&share) || !is_served(evidence) {
        return None;
    }
    let cap = references::cap(evidence.record, evidence.workload);
    let cap = cap.map_or(String::new(), |cap| format!("; it looks like a cap of {cap}"));
    let text = format!(
        "{:.0} % of what the bare device does with the same requests{cap}: a tie here says nothing about the file systems; \
         take more requests at a time, or a faster device",
        share * 100.0
    );
    flag(ValidityClass::DeviceBound, text)
}

/// The processors had no time left, and nothing waited for the device.
pub fn cpu_bound(evidence: &Evidence<'_>) -> Option<Validity> {
    let cores = f64::from(evidence.record.environment.cores?);
    let busy = evidence.sum("cpu.process")? + evidence.sum("cpu.kernel")?;
    let share = busy / (evidence.seconds() * cores);
    if share.is_nan() || share < FULL {
        return None;
    }
    let text = format!(
        "this run and the kernel's threads kept {:.1} of {cores} processors busy: the figure is about processors, not about \
         storage; take fewer threads, or data beyond the cache",
        share * cores
    );
    flag(ValidityClass::CpuBound, text)
}

/// The same work takes about as long where there is no file system to speak of.
pub fn harness_bound(evidence: &Evidence<'_>) -> Option<Validity> {
    // Of what is in memory itself this goes without saying.
    evidence.facts.filter(|facts| facts.durability != Durability::Volatile)?;
    let memory = references::harness_share(evidence.record, evidence.workload, &evidence.finished);
    let starts = references::start_share(evidence.record, evidence.workload, &evidence.finished);
    // What was done in memory says all of it; where nothing was, the starts say a part.
    if memory.or(starts)? <= HARNESS_SHARE {
        return None;
    }
    let each = Nanos((evidence.seconds() / evidence.operations() * 1e9) as u64);
    let percent = |share: f64| format!("{:.0} %", (share * 100.0).min(100.0));
    let words = match (memory, starts) {
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
