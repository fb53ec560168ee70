//! What a cell's figures can be trusted for: rules over what the probes read.

use fsarena_model::{
    Bytes, CacheState, ContenderFacts, Durability, DurablePoint, LaneCost, Outcome, Promise, RunRecord, Trial,
    Validity, ValidityClass, Workload,
};

use crate::rate;

/// The share of a cold or direct workload's bytes that the device has to have carried.
const SERVED: f64 = 0.9;
/// The share of a direct workload's bytes from which on the page cache has plainly been used.
const THROUGH_THE_CACHE: f64 = 0.5;
/// The share of a cell's time from which on the host beneath its lane decides the figure.
const LANE_SHARE: f64 = 0.2;
/// The flushes that a sync needs at least; a little under 1, for counters that lag.
const FLUSHES_PER_SYNC: f64 = 0.9;
const PAGE: f64 = 4096.0;

/// All that the rules look at.
struct Evidence<'a> {
    workload: &'a Workload,
    facts: Option<&'a ContenderFacts>,
    lane_cost: Option<&'a LaneCost>,
    trials: &'a [&'a Trial],
}

/// The reasons to read a cell with care, each once.
pub fn of_cell(record: &RunRecord, workload: &Workload, trials: &[&Trial]) -> Vec<Validity> {
    let facts = trials.first().and_then(|trial| record.contenders.iter().find(|facts| facts.label == trial.contender));
    let evidence = Evidence { workload, facts, lane_cost: record.environment.lane_cost.as_ref(), trials };
    let rules: [fn(&Evidence<'_>) -> Option<Validity>; 6] =
        [did_not_finish, cached, not_direct, without_flushes, lane_bound, overloaded];
    rules.iter().filter_map(|rule| rule(&evidence)).collect()
}

fn flag(class: ValidityClass, text: String) -> Option<Validity> {
    Some(Validity { class, text })
}

impl Evidence<'_> {
    /// The sum of a probe over all trials; `None` if it could not be read in one of them.
    fn sum(&self, name: &str) -> Option<f64> {
        let finished = self.trials.iter().filter(|trial| trial.outcome == Outcome::Finished);
        finished.map(|trial| trial.probe(name)).sum()
    }

    fn bytes(&self) -> f64 {
        self.trials.iter().filter(|trial| trial.outcome == Outcome::Finished).map(|trial| trial.bytes() as f64).sum()
    }

    fn seconds(&self) -> f64 {
        self.trials.iter().filter(|trial| trial.outcome == Outcome::Finished).map(|trial| trial.seconds()).sum()
    }

    fn is_compressed(&self) -> bool {
        self.facts.is_some_and(|facts| facts.promises.contains(&Promise::Compression))
    }
}

fn did_not_finish(evidence: &Evidence<'_>) -> Option<Validity> {
    let reason = |trial: &&Trial| match &trial.outcome {
        Outcome::Failed(why) => Some(format!("round {}: {why}", trial.round)),
        Outcome::Finished => None,
    };
    let reasons: Vec<String> = evidence.trials.iter().filter_map(reason).collect();
    let first = reasons.first()?;
    let text = format!("did not finish in {} of {} rounds ({first})", reasons.len(), evidence.trials.len());
    flag(ValidityClass::DidNotFinish, text)
}

fn cached(evidence: &Evidence<'_>) -> Option<Validity> {
    if evidence.workload.cache == CacheState::Warm || evidence.is_compressed() {
        return None;
    }
    let finished = evidence.trials.iter().filter(|trial| trial.outcome == Outcome::Finished);
    let share = |trial: &Trial| Some(carried(evidence.workload.cache, trial)? / trial.bytes() as f64);
    let shares = finished.filter_map(|trial| Some((share(trial)?, trial)));
    let (share, trial) = shares.min_by(|one, other| one.0.total_cmp(&other.0))?;
    if share.is_nan() || share >= SERVED {
        return None;
    }
    let text = format!(
        "in round {} the device carried {:.0} % of the {} that the workload asked for: the rest came from memory",
        trial.round,
        share * 100.0,
        Bytes(trial.bytes())
    );
    flag(ValidityClass::Cached, text)
}

/// Bytes that storage carried for a trial. On a lane of our own its device tells; elsewhere what the kernel accounts to
/// this process. Direct work reads, or writes, or both.
fn carried(cache: CacheState, trial: &Trial) -> Option<f64> {
    let of = |device: &str, process: &str| trial.probe(device).or_else(|| trial.probe(process));
    let read = of("device.read", "process.read")?;
    match cache {
        CacheState::Direct => Some(read + of("device.written", "process.written")?),
        CacheState::Cold | CacheState::Warm => Some(read),
    }
}

fn not_direct(evidence: &Evidence<'_>) -> Option<Validity> {
    if evidence.workload.cache != CacheState::Direct {
        return None;
    }
    let pages = evidence.sum("pages.dirtied").or_else(|| evidence.sum("machine.dirtied"))?;
    let bytes = evidence.bytes();
    if bytes == 0.0 || pages * PAGE < THROUGH_THE_CACHE * bytes {
        return None;
    }
    let text = format!(
        "direct I/O went through the page cache: {} pages of 4 KiB were dirtied for {}; \
         on btrfs `nodatasum` makes it direct",
        pages as u64,
        Bytes(bytes as u64)
    );
    flag(ValidityClass::NotDirect, text)
}

/// A sync that reached no flush cannot have made anything durable on a contender that promises it.
fn without_flushes(evidence: &Evidence<'_>) -> Option<Validity> {
    let promised = evidence.facts.is_some_and(|facts| facts.durability == Durability::Flushed);
    if !promised || evidence.workload.durable == DurablePoint::None {
        return None;
    }
    let flushes = evidence.sum("device.flushes")?;
    let count = |trial: &&Trial| {
        let of = |name: &str| trial.latencies.get(name).map_or(0, |latency| latency.count);
        (of("fsync") + of("fdatasync") + of("syncfs")) as f64
    };
    let syncs: f64 = evidence.trials.iter().filter(|trial| trial.outcome == Outcome::Finished).map(count).sum();
    if flushes >= FLUSHES_PER_SYNC * syncs {
        return None;
    }
    let text = format!("{syncs} syncs reached the device with {flushes} flushes: they cannot have been durable");
    flag(ValidityClass::Impossible, text)
}

fn overloaded(evidence: &Evidence<'_>) -> Option<Validity> {
    rate::overloaded(evidence.trials)
}

fn lane_bound(evidence: &Evidence<'_>) -> Option<Validity> {
    let cost = evidence.lane_cost?;
    let beyond_device = cost.back_to_back.saturating_sub(cost.device.unwrap_or_default());
    let seconds = evidence.seconds();
    let share = evidence.sum("device.flushes")? * beyond_device.as_seconds() / seconds;
    if seconds == 0.0 || share <= LANE_SHARE {
        return None;
    }
    let part = match cost.device {
        Some(_) => format!(
            "the host's file system beneath the lane takes {beyond_device} of each write and flush ({} with the device)",
            cost.back_to_back
        ),
        None => format!(
            "a write and flush on the bare lane takes {beyond_device} (how much of it a device beneath takes could not be \
             read)"
        ),
    };
    let text = format!(
        "{part}, about {:.0} % of this cell's time; put the lanes on a partition or another host file system",
        (share * 100.0).min(100.0)
    );
    flag(ValidityClass::LaneBound, text)
}
