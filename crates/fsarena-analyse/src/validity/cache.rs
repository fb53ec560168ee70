//! Rules for page-cache use that the workload does not intend.

use fsarena_model::validity::bounds::{SERVED, THROUGH_THE_CACHE};
use fsarena_model::{Bytes, CacheState, Durability, Finding, Probe, Trial, probe};

use super::Evidence;

const PAGE: f64 = 4096.0;

/// A cold or direct workload whose bytes the device did not carry. Some engines write as much as they read, or
/// read some records several times; they check by themselves that no part of a file is in memory.
pub fn cached(evidence: &Evidence<'_>) -> Option<Finding> {
    let checks_itself = evidence.workload.traits.verifies_cold;
    if evidence.workload.cache == CacheState::Warm || evidence.is_compressed() || checks_itself {
        return None;
    }
    let is_cold = evidence.workload.cache == CacheState::Cold;
    if let Some(found) = unread(evidence).or_else(|| kept_by_server(evidence)).filter(|_| is_cold) {
        return Some(found);
    }
    let (round, share, bytes) = smallest_share(evidence, |trial| carried(evidence.workload.cache, trial))?;
    Some(Finding::LittleCarried { round, share, bytes })
}

/// The trial of which the smallest share of its bytes is in these, if that is little: its round, share and bytes.
fn smallest_share(evidence: &Evidence<'_>, bytes: impl Fn(&Trial) -> Option<f64>) -> Option<(u32, f64, Bytes)> {
    let share = |trial: &&Trial| Some((trial.round, bytes(trial)? / trial.bytes() as f64, Bytes(trial.bytes())));
    let smallest = evidence.finished.iter().filter_map(share).min_by(|one, other| one.1.total_cmp(&other.1));
    smallest.filter(|(_, share, _)| *share < SERVED)
}

/// A cold workload without byte counts, such as a server, for which the lane's device read nothing. Without a lane the
/// rule cannot decide, because the kernel's accounting of this process does not include the server.
fn unread(evidence: &Evidence<'_>) -> Option<Finding> {
    let is_unread = |trial: &&&Trial| trial.bytes() == 0 && trial.probe(probe::DEVICE_READ) == Some(0.0);
    Some(Finding::NothingRead { round: evidence.finished.iter().find(is_unread)?.round })
}

/// Cold reads that the disks of the file servers did not carry, as far as these are counted.
fn kept_by_server(evidence: &Evidence<'_>) -> Option<Finding> {
    let (round, share, bytes) = smallest_share(evidence, |trial| trial.probe(probe::SERVER_READ))?;
    Some(Finding::LittleReadByServers { round, share, bytes })
}

/// Bytes that the storage carried for a trial: from the device's counters on a lane, on a folder of another machine
/// from those of the network, otherwise from the kernel's accounting of this process. Direct work may read, write or do
/// both.
fn carried(cache: CacheState, trial: &Trial) -> Option<f64> {
    let of = |probes: [Probe; 3]| probes.into_iter().find_map(|probe| trial.probe(probe));
    let read = of([probe::DEVICE_READ, probe::NETWORK_RECEIVED, probe::PROCESS_READ])?;
    match cache {
        CacheState::Direct => Some(read + of([probe::DEVICE_WRITTEN, probe::NETWORK_SENT, probe::PROCESS_WRITTEN])?),
        CacheState::Cold | CacheState::Warm => Some(read),
    }
}

/// Direct I/O that the kernel served through the page cache.
pub fn not_direct(evidence: &Evidence<'_>) -> Option<Finding> {
    if evidence.workload.cache != CacheState::Direct {
        return None;
    }
    let is_silent = evidence.facts.is_some_and(|facts| facts.says_alignment == Some(false));
    // On other file systems a missing alignment proves nothing: network and older file systems do not report it, and
    // btrfs never does.
    let is_memory = evidence.facts.is_some_and(|facts| facts.durability == Durability::Volatile);
    if is_silent && is_memory {
        return Some(Finding::NoDevice);
    }
    let bytes = evidence.bytes();
    let is_much = |through: &f64| bytes > 0.0 && *through >= THROUGH_THE_CACHE * bytes;
    let is_written = evidence.sum(probe::PROCESS_WRITTEN).is_some_and(|written| is_much(&written));
    // Other programs may work on the file system of a directory, so that its dirty pages are less than what is known.
    match evidence.facts.and_then(|facts| facts.direct_writes) {
        Some(true) => None,
        Some(false) => is_written.then_some(Finding::BufferedWrites),
        None => in_parts(evidence).filter(|_| is_written).or_else(|| {
            let pages = evidence.sum(probe::PAGES_DIRTIED).filter(|pages| is_much(&(pages * PAGE)))?;
            Some(Finding::PagesDirtied { pages: pages as u64, bytes: Bytes(bytes as u64) })
        }),
    }
}

/// Blocks that are only parts of what the file system writes directly.
fn in_parts(evidence: &Evidence<'_>) -> Option<Finding> {
    let (unit, block) = evidence.facts?.direct_unit.zip(evidence.workload.traits.block)?;
    (!block.0.is_multiple_of(unit.0)).then_some(Finding::PartsOfUnits { block, unit })
}
