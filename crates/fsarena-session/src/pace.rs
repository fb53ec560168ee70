//! How long things take, before and while they run.

use fsarena_apps::engine_of;
use fsarena_engine::EngineError;
use fsarena_model::{Bytes, CacheState, Mode, Nanos, Often, Plan, Precondition, Rate, Workload};

/// What is kept of the budget for unmounting, checking and taking everything away.
pub const CLOSING: Nanos = Nanos::seconds(3);
/// What a workload takes beside its slices: making and removing its files, for one contender.
const AROUND_A_WORKLOAD: Nanos = Nanos::millis(350);
/// Finding out what a contender can do, for a rate that is a percentage of it.
const PEAK: Nanos = Nanos::millis(500);
/// A slice that ends when its work is done, with what comes before it.
const OPEN_ENDED_SLICE: Nanos = Nanos::millis(400);
/// Making, mounting and checking a contender.
const AROUND_A_CONTENDER: Nanos = Nanos::millis(300);
/// Writing a gigabyte of a lane.
const GIGABYTE: Nanos = Nanos::millis(700);

/// Writing at random until a device is steady, if it soon is.
const PRECONDITIONING: Nanos = Nanos::seconds(10);

/// About how long a round of all workloads takes, before anything was measured.
pub fn estimated_round(plan: &Plan) -> Nanos {
    estimated_round_of(plan, &(0..plan.workloads.len()).collect::<Vec<usize>>())
}

/// About how long a round of these workloads, by number, takes, before anything was measured.
pub fn estimated_round_of(plan: &Plan, workloads: &[usize]) -> Nanos {
    let contenders = plan.contenders.len() as f64;
    let always = if plan.beside == Often::Always { beside(plan, workloads) } else { 0.0 };
    let seconds = weight(plan, workloads) * contenders + always;
    Nanos((seconds * 1e9) as u64 + AROUND_A_CONTENDER.0 * plan.contenders.len() as u64)
}

/// About how many seconds of a round are for references and the three clocks. Whole runs are followed to rest themselves; of slices a further one
/// is.
fn beside(plan: &Plan, workloads: &[usize]) -> f64 {
    let contenders = plan.contenders.len() as f64;
    let of = |workload: &Workload| {
        let (each, around) = (slice(workload).as_seconds(), AROUND_A_WORKLOAD.as_seconds());
        let (slices, clocks) = if workload.mode == Mode::Whole { (1.0, 0.0) } else { (2.0, contenders) };
        references(workload) as f64 * (slices * each + around) + clocks * each
    };
    workloads.iter().map(|index| of(&plan.workloads[*index])).sum()
}

/// In how many places the same work is done for reference, at most.
fn references(workload: &Workload) -> usize {
    let Some(engine) = fsarena_apps::engine(&workload.engine) else { return 0 };
    let is_direct = workload.cache == CacheState::Direct;
    let places = [engine.has_floor_in_memory(workload), is_direct, engine.starts(workload).is_some()];
    places.into_iter().filter(|is_there| *is_there).count()
}

/// How much these workloads, by number, weigh in a round: about as many seconds per contender.
pub fn weight(plan: &Plan, workloads: &[usize]) -> f64 {
    workloads.iter().map(|index| around(&plan.workloads[*index]).as_seconds()).sum()
}

/// About how long it takes to write the lanes, and to precondition them where the plan has that.
pub fn estimated_setup(plan: &Plan) -> Nanos {
    let count = fsarena_lane::made_lanes(plan) as u64;
    let gigabytes = (count * plan.lane_size.0.div_ceil(Bytes::mib(1).0)) as f64 / 1024.0;
    let (times, random) = match plan.precondition {
        Precondition::None => (1.0, Nanos(0)),
        Precondition::Snia => (3.0, PRECONDITIONING),
    };
    Nanos((GIGABYTE.0 as f64 * gigabytes * times) as u64) + random + Nanos::seconds(1)
}

fn around(workload: &Workload) -> Nanos {
    let slice = slice(workload);
    let slices = if workload.mode == Mode::Whole { 1 } else { u64::from(workload.slices) };
    let is_of_peak = workload.variant.as_ref().is_some_and(|variant| matches!(variant.rate, Rate::Percent(_)));
    let peak = if is_of_peak { PEAK } else { Nanos(0) };
    Nanos(slice.0 * slices) + AROUND_A_WORKLOAD + peak
}

fn slice(workload: &Workload) -> Nanos {
    let slice = match workload.timed_ms {
        0 => OPEN_ENDED_SLICE,
        timed => Nanos::millis(workload.warm_up_ms + timed + 10),
    };
    let added = fsarena_apps::engine(&workload.engine).map_or(Nanos(0), |engine| engine.adds(workload));
    slice + added
}

/// Whether a further round fits: the last one took `last` for workloads that weigh `then`, and these weigh `now`.
pub fn fits(left: Nanos, last: Nanos, then: f64, now: f64) -> bool {
    left >= expected(last, then, now) + CLOSING
}

/// How long a further round will probably take, with a twentieth to spare.
pub fn expected(last: Nanos, then: f64, now: f64) -> Nanos {
    let share = if then > 0.0 { now / then } else { 1.0 };
    Nanos((last.0 as f64 * share * 1.05) as u64)
}

/// The most data that each of the workloads keeps at a time on a lane, or in a directory.
///
/// # Errors
/// If a workload's parameters are not understood, or its engine does not exist.
pub fn data(workloads: &[Workload]) -> Result<Vec<Bytes>, EngineError> {
    workloads.iter().map(|workload| engine_of(workload)?.demand(workload)).collect()
}

/// The most of [`data`], with the workload that needs it.
///
/// # Errors
/// As [`data`].
pub fn required_space(workloads: &[Workload]) -> Result<Option<(Bytes, &Workload)>, EngineError> {
    let all = data(workloads)?.into_iter().zip(workloads);
    Ok(all.rev().max_by_key(|(bytes, _)| *bytes))
}

/// The first workload whose direct I/O is not in multiples of `sector`, with its block.
///
/// # Errors
/// As [`required_space`].
pub fn unaligned(workloads: &[Workload], sector: Bytes) -> Result<Option<(Bytes, &Workload)>, EngineError> {
    for workload in workloads {
        let block = engine_of(workload)?.direct_block(workload)?;
        if let Some(block) = block.filter(|block| !block.0.is_multiple_of(sector.0)) {
            return Ok(Some((block, workload)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_with_half_of_the_workloads_takes_half_as_long() {
        assert!(fits(Nanos::seconds(14), Nanos::seconds(20), 8.0, 4.0));
        assert!(!fits(Nanos::seconds(14), Nanos::seconds(20), 8.0, 8.0));
        assert_eq!(expected(Nanos::seconds(20), 8.0, 8.0), Nanos::seconds(21));
    }
}
