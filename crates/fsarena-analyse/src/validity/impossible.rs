//! Rules for impossible figures: beyond the machine, contradictory, or durable without flushes.

use fsarena_model::{Bytes, CacheState, Durability, DurablePoint, Finding, Trial, probe};

use super::{Evidence, cache};
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
pub fn without_flushes(evidence: &Evidence<'_>) -> Option<Finding> {
    if evidence.class?.durability != Durability::Flushed || evidence.workload.durable == DurablePoint::None {
        return None;
    }
    let flushes = evidence.sum(probe::DEVICE_FLUSHES)?;
    let syncs: f64 = evidence.finished.iter().map(|trial| durability::syncs(evidence.workload, trial)).sum();
    let needed = |trial: &&Trial| durability::fewest_flushes(evidence.workload, trial);
    let is_enough = flushes >= FLUSHES_PER_SYNC * evidence.finished.iter().map(needed).sum::<f64>();
    (!is_enough).then_some(Finding::TooFewFlushes { syncs, flushes })
}

/// More bytes per second than all processors together can copy. Mapped files and trimmed space are not copied.
pub fn beyond_memory(evidence: &Evidence<'_>) -> Option<Finding> {
    let most = evidence.analysis.record.environment.memory_bandwidth?;
    let rate = evidence.finished.iter().map(|trial| trial.bytes() as f64 / trial.seconds()).fold(0.0, f64::max);
    if evidence.workload.traits.copies_nothing || rate <= most {
        return None;
    }
    Some(Finding::FasterThanMemory { rate: Bytes(rate as u64), most: Bytes(most as u64) })
}

/// Much faster than the bare device, although the device carried all bytes according to its counters.
pub fn beyond_device(evidence: &Evidence<'_>) -> Option<Finding> {
    let is_direct = evidence.workload.cache == CacheState::Direct;
    let times = baselines::times_the_device(evidence.own, &evidence.finished)?;
    let is_beyond = is_direct && is_served(evidence) && times > BEYOND_THE_DEVICE;
    is_beyond.then_some(Finding::FasterThanDevice { times })
}

/// Whether the device carried all requested bytes, as far as is known: without help from the page cache or compression.
pub fn is_served(evidence: &Evidence<'_>) -> bool {
    cache::cached(evidence).is_none() && cache::not_direct(evidence).is_none() && !evidence.is_compressed()
}

/// The number of operations times the block size differs from the bytes carried.
pub fn of_another_size(evidence: &Evidence<'_>) -> Option<Finding> {
    let size = evidence.workload.traits.block?;
    let is_off = |trial: &&&Trial| {
        let each = trial.bytes() as f64 / trial.operations() as f64;
        each > 0.0 && (each / size.0 as f64 - 1.0).abs() > OF_THE_SIZE
    };
    let trial = evidence.finished.iter().find(is_off)?;
    let (operations, bytes) = (trial.operations(), Bytes(trial.bytes()));
    Some(Finding::OtherSize { round: trial.round, operations, size, bytes })
}
