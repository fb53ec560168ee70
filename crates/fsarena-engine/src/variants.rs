//! Variants of workloads. In the other cache state: the same reads, with their data either on the device only (cold) or
//! all in memory (warm). As an open loop: the same work at a given rate, with latency as the metric.

use fsarena_model::{Better, CacheState, Measure, Metric, Mode, Rate, Relation, Variant, Workload};
use serde_json::Value;

use crate::EngineError;

/// Duration of a whole run that reads from memory, milliseconds. A single pass is too short to average out its noise.
const WHOLE_FROM_MEMORY: u64 = 400;
/// Minimum warm-up of a slice that reads from memory, or of an open loop, milliseconds.
const WARM_UP: u64 = 25;
/// Minimum duration of a slice that follows a remount, milliseconds, and maximum number of such slices in a round.
const COLD_MS: u64 = 90;
const COLD_SLICES: u32 = 4;

/// Why a workload has only one cache state if it does not read through the page cache.
pub const NO_READS: &str = "it reads no files that are there through the page cache, cold or warm";
/// Why random reads have no cold variant if some places are likelier than others.
pub const AGAIN: &str = "some of its places come again and again, and are then in memory: it cannot be cold";

/// The error for a workload that has only one cache state, with the reason.
pub fn one_cache(workload: &Workload, why: &'static str) -> EngineError {
    EngineError::OneCache { workload: workload.name.to_string(), why }
}

/// The variant of `workload` in the state `cache`, named `NAME@cold` or `NAME@warm`. `once` is a parameter, with its
/// value, of work that is cold only once: a second pass would read from memory, so a whole run reads all of it. The
/// engine has to check whether it accepts the variant.
///
/// # Errors
/// If the workload is already in that state, or if one of the two states is direct.
pub fn cached(workload: &Workload, cache: CacheState, once: Option<(&str, bool)>) -> Result<Workload, EngineError> {
    if workload.cache == cache || [workload.cache, cache].contains(&CacheState::Direct) {
        return Err(one_cache(workload, NO_READS));
    }
    let is_cold = cache == CacheState::Cold;
    let how = match (is_cold, once.is_some()) {
        (true, true) => "with nothing in memory: the lane was mounted again before, and all is read once, in one piece",
        (true, false) => "with nothing in memory: the lane is mounted again before",
        (false, _) => "with all that it reads in memory: it was read before, untimed",
    };
    let why = match is_cold {
        true => {
            "After a restart, or where the files are larger than memory: the layout on the device and read-ahead decide. \
             The host's or the drive's own cache is not cleared."
        }
        false => "Reading again what was just read: the kernel's caches decide, and no device is involved.",
    };
    let mut other = Workload {
        name: workload.name.variant(cache),
        measures: format!("The same as `{}`, {how}.", workload.name),
        why: why.to_owned(),
        cache,
        agrees_from_ms: None,
        variant: Some(Variant { of: workload.name.to_string(), relation: Relation::Cache }),
        ..workload.clone()
    };
    match (is_cold, once.is_some()) {
        (true, true) => (other.mode, other.warm_up_ms, other.timed_ms) = (Mode::Whole, 0, 0),
        // The lane is remounted before each slice. A warm-up would bring the data of the timed part into memory.
        (true, false) => {
            (other.warm_up_ms, other.slices) = (0, workload.slices.min(COLD_SLICES));
            other.timed_ms = if workload.timed_ms == 0 { 0 } else { workload.timed_ms.max(COLD_MS) };
        }
        (false, _) if workload.mode == Mode::Whole && workload.timed_ms == 0 => other.timed_ms = WHOLE_FROM_MEMORY,
        (false, _) => other.warm_up_ms = workload.warm_up_ms.max(WARM_UP),
    }
    if let Some((name, value)) = once {
        other.parameters[name] = Value::from(value);
    }
    Ok(other)
}

/// Minimum time of the timed part of an open loop, milliseconds: a queue needs time to build up.
const SHORTEST: u64 = 500;
/// Maximum number of slices of an open loop.
const SLICES: u32 = 4;

/// Names of the parameters in all engines that can keep a rate.
const RATE: &str = "rate";
const RATE_PERCENT: &str = "rate-percent";

/// The variant of `workload` at `rate`, named `NAME@RATE`. The engine has to check whether it accepts the variant.
///
/// # Errors
/// If the workload is an open loop already, or has no table of parameters.
pub fn paced(workload: &Workload, rate: Rate) -> Result<Workload, EngineError> {
    let timed_ms = if workload.timed_ms == 0 { 0 } else { workload.timed_ms.max(SHORTEST) };
    Ok(Workload {
        name: workload.name.variant(rate),
        measures: paced_measures(workload, rate, timed_ms),
        metric: Metric {
            name: "mean-latency".to_owned(),
            unit: "µs".to_owned(),
            measure: Measure::MeanLatencyMicroseconds,
            better: Better::Lower,
        },
        timed_ms,
        warm_up_ms: if timed_ms == 0 { workload.warm_up_ms } else { workload.warm_up_ms.max(WARM_UP) },
        slices: workload.slices.min(SLICES),
        parameters: with_rate(workload, rate)?,
        variant: Some(Variant { of: workload.name.to_string(), relation: Relation::Rate(rate) }),
        ..workload.clone()
    })
}

fn with_rate(workload: &Workload, rate: Rate) -> Result<Value, EngineError> {
    let mut parameters = workload.parameters.clone();
    let refused = |what| Err(EngineError::parameters(&workload.name, what));
    let Some(table) = parameters.as_object_mut() else { return refused("a table is expected") };
    if table.contains_key(RATE) || table.contains_key(RATE_PERCENT) {
        return refused("it keeps a rate of its own, so it cannot be given another");
    }
    let (name, value) = match rate {
        Rate::Percent(percent) => (RATE_PERCENT, percent),
        Rate::PerSecond(number) => (RATE, number),
    };
    table.insert(name.to_owned(), Value::from(value));
    Ok(parameters)
}

fn paced_measures(workload: &Workload, rate: Rate, timed_ms: u64) -> String {
    let load = match rate {
        Rate::Percent(percent) => format!("{percent} % of what the contender itself can do, measured in each round"),
        Rate::PerSecond(number) => format!("{number} operations per second"),
    };
    let slices = match timed_ms {
        0 => String::new(),
        timed => format!(" Slices of {timed} ms, so that a queue can build up."),
    };
    format!(
        "The mean latency of the operations of `{}` when they begin at a rate of {load}, whatever became of the ones \
         before (open loop). Latency is counted from the intended start: waiting for one's turn is part of it.{slices}",
        workload.name
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine;

    fn workload(name: &str) -> Workload {
        let toml = std::fs::read_to_string(format!("../../catalog/workloads/{name}.toml")).expect("in the catalogue");
        toml::from_str(&toml).expect("well-formed")
    }

    fn other(name: &str, cache: CacheState) -> Result<Workload, EngineError> {
        let workload = workload(name);
        engine(&workload.engine).expect("there").with_cache(&workload, cache)
    }

    #[test]
    fn cold_variants_of_ordered_reads_read_everything_once() {
        for name in ["stat-tree", "read-tree", "readdir-tree", "open-tree", "xattr-get-tree"] {
            let cold = other(name, CacheState::Cold).expect("it reads");
            assert_eq!((cold.name.as_str(), cold.cache), (format!("{name}@cold").as_str(), CacheState::Cold));
            assert_eq!((cold.mode, cold.warm_up_ms, cold.timed_ms), (Mode::Whole, 0, 0), "{name}");
            assert_eq!(cold.parameters["once"], true);
            assert!(cold.measures.contains(&format!("`{name}`")) && cold.agrees_from_ms.is_none());
            assert_eq!(cold.variant, Some(Variant { of: name.to_owned(), relation: Relation::Cache }));
        }
        let scan = Workload { mode: Mode::Sliced, timed_ms: 90, cache: CacheState::Warm, ..workload("seqread-cold") };
        let cold = engine(&scan.engine).expect("there").with_cache(&scan, CacheState::Cold).expect("it reads");
        assert_eq!((cold.mode, cold.timed_ms, &cold.parameters["repeat"]), (Mode::Whole, 0, &Value::from(false)));
    }

    #[test]
    fn random_reads_stay_in_slices_without_a_first_part_when_cold() {
        let mut random = workload("randread-4k-zipf-cached");
        let skewed = other("randread-4k-zipf-cached", CacheState::Cold).expect_err("refused").to_string();
        assert!(skewed.contains("come again"), "{skewed}");
        random.parameters["distribution"] = Value::from("uniform");
        let cold = engine(&random.engine).expect("there").with_cache(&random, CacheState::Cold).expect("it reads");
        assert_eq!((cold.mode, cold.warm_up_ms, cold.timed_ms), (Mode::Sliced, 0, 90));
    }

    #[test]
    fn warm_variants_of_cold_reads_repeat() {
        let scan = other("seqread-cold", CacheState::Warm).expect("it reads");
        assert_eq!((scan.name.as_str(), scan.mode, scan.timed_ms), ("seqread-cold@warm", Mode::Sliced, 10));
        assert_eq!(scan.parameters["repeat"], true);
        let mapped = other("mmap-read-4k-cold", CacheState::Warm).expect("it reads");
        assert_eq!((mapped.mode, mapped.warm_up_ms, mapped.timed_ms), (Mode::Sliced, WARM_UP, 90));
    }

    #[test]
    fn direct_work_writes_and_the_same_cache_state_are_refused() {
        for (name, cache) in [
            ("randread-4k", CacheState::Cold),
            ("seqwrite-fsync", CacheState::Cold),
            ("create-syncfs", CacheState::Cold),
            ("rename-syncfs", CacheState::Cold),
            ("sqlite-insert", CacheState::Cold),
            ("seqread-cold", CacheState::Cold),
            ("stat-tree", CacheState::Warm),
            ("stat-tree", CacheState::Direct),
        ] {
            let refused = other(name, cache).expect_err("refused").to_string();
            assert!(refused.contains(&format!("`{name}`")), "{refused}");
        }
    }
}
