//! Rules for impossible figures: beyond the machine, contradictory, or durable without flushes.

use fsarena_model::{Bytes, CacheState, Durability, DurablePoint, Trial, Validity, ValidityClass, probe};

use super::{Evidence, cache, flag};
use crate::{baselines, durability};

/// Minimum number of flushes per needed flush; slightly below 1, because counters lag.
const FLUSHES_PER_SYNC: f64 = 0.9;
/// Maximum rate of work that reaches the device, as a multiple of the bare device's rate, which a few slices on another
/// lane measured.
const BEYOND_THE_DEVICE: f64 = 2.5;
/// Maximum relative deviation of bytes per operation from the block size.
const OF_THE_SIZE: f64 = 0.02;

/// Syncs without flushes cannot have made data durable on a contender that guarantees durability. Concurrent syncs may
/// share a flush.
pub fn without_flushes(evidence: &Evidence<'_>) -> Option<Validity> {
    let label = &evidence.facts?.label;
    let guaranteed = durability::of_label(evidence.record, label) == Some(Durability::Flushed);
    if !guaranteed || evidence.workload.durable == DurablePoint::None {
        return None;
    }
    let flushes = evidence.sum(probe::DEVICE_FLUSHES)?;
    let syncs: f64 = evidence.finished.iter().map(|trial| durability::syncs(evidence.workload, trial)).sum();
    let needed = |trial: &&Trial| durability::fewest_flushes(evidence.workload, trial);
    if flushes >= FLUSHES_PER_SYNC * evidence.finished.iter().map(needed).sum::<f64>() {
        return None;
    }
    let text = format!("{syncs} syncs reached the device with {flushes} flushes: they cannot have been durable");
    flag(ValidityClass::Impossible, text)
}

/// More bytes per second than all processors together can copy. Mapped files and trimmed space are not copied.
pub fn beyond_memory(evidence: &Evidence<'_>) -> Option<Validity> {
    let most = evidence.record.environment.memory_bandwidth?;
    let rate = evidence.finished.iter().map(|trial| trial.bytes() as f64 / trial.seconds()).fold(0.0, f64::max);
    if evidence.workload.traits.copies_nothing || rate <= most {
        return None;
    }
    let (rate, most) = (Bytes(rate as u64), Bytes(most as u64));
    flag(ValidityClass::Impossible, format!("{rate} per second, where this machine's processors can copy {most}"))
}

/// Much faster than the bare device, although the device carried all bytes according to its counters.
pub fn beyond_device(evidence: &Evidence<'_>) -> Option<Validity> {
    let is_direct = evidence.workload.cache == CacheState::Direct;
    let share = baselines::ceiling_share(evidence.record, evidence.workload, &evidence.finished)?;
    if !is_direct || !is_served(evidence) || share <= BEYOND_THE_DEVICE {
        return None;
    }
    let text =
        format!("{share:.1} times as fast as the bare device with the same requests, though the device carried it all");
    flag(ValidityClass::Impossible, text)
}

/// Whether the device carried all requested bytes, as far as is known: without help from the page cache or compression.
pub fn is_served(evidence: &Evidence<'_>) -> bool {
    cache::cached(evidence).is_none() && cache::not_direct(evidence).is_none() && !evidence.is_compressed()
}

/// The number of operations times the block size differs from the bytes carried.
pub fn of_another_size(evidence: &Evidence<'_>) -> Option<Validity> {
    let size = evidence.workload.traits.block?.0 as f64;
    let is_off = |trial: &&&Trial| {
        let each = trial.bytes() as f64 / trial.operations() as f64;
        each > 0.0 && (each / size - 1.0).abs() > OF_THE_SIZE
    };
    let trial = evidence.finished.iter().find(is_off)?;
    let text = format!(
        "round {}: {} operations of {} are not {}",
        trial.round,
        trial.operations(),
        Bytes(size as u64),
        Bytes(trial.bytes())
    );
    flag(ValidityClass::Impossible, text)
}
