//! Estimated durations, before and during a run.

use fsarena_model::{Bytes, CacheState, Mode, Nanos, Often, Plan, Precondition, Rate, Rounds, Workload};

use crate::RunError;

/// Part of the budget that is reserved for unmounting, checking and removing everything at the end.
pub const CLOSING: Nanos = Nanos::seconds(3);
/// Time that a workload takes for one contender in addition to its slices: creating and removing its files.
const AROUND_A_WORKLOAD: Nanos = Nanos::millis(350);
/// Time to measure a contender's peak rate, for a rate that is a percentage of the peak.
const PEAK: Nanos = Nanos::millis(500);
/// Duration of a slice that ends when its work is done, including its preparation.
const OPEN_ENDED_SLICE: Nanos = Nanos::millis(400);
/// Time to make, mount and check a contender.
const AROUND_A_CONTENDER: Nanos = Nanos::millis(300);
/// Time to write a gigabyte of a lane.
const GIGABYTE: Nanos = Nanos::millis(700);

/// Duration of random writes until a device is steady, if it becomes steady soon.
const PRECONDITIONING: Nanos = Nanos::seconds(10);

/// Estimated duration of a round of all workloads, before anything is measured.
pub fn estimated_round(plan: &Plan) -> Nanos {
    estimated_round_of(plan, &(0..plan.workloads.len()).collect::<Vec<usize>>())
}

/// Estimated duration of a round of these workloads (indices in the plan), before anything is measured.
pub fn estimated_round_of(plan: &Plan, workloads: &[usize]) -> Nanos {
    let contenders = plan.contenders.len() as f64;
    let always = if plan.measuring.baselines == Often::Always { baselines(plan, workloads) } else { 0.0 };
    let seconds = weight(plan, workloads) * contenders + always;
    Nanos((seconds * 1e9) as u64 + AROUND_A_CONTENDER.0 * plan.contenders.len() as u64)
}

/// Refuses a budget that is too short for a round that takes so long.
///
/// # Errors
/// [`RunError::Budget`].
pub fn require_time(plan: &Plan, round: Nanos, budget: Nanos) -> Result<(), RunError> {
    let round = round + estimated_setup(plan);
    if round > budget { Err(RunError::Budget { budget, round }) } else { Ok(()) }
}

/// Estimated seconds of a round for baselines and the three clocks. A whole run is itself followed until the file
/// system is at rest; for slices a further slice runs.
fn baselines(plan: &Plan, workloads: &[usize]) -> f64 {
    let contenders = plan.contenders.len() as f64;
    let of = |workload: &Workload| {
        let (each, around) = (slice(workload).as_seconds(), AROUND_A_WORKLOAD.as_seconds());
        let (slices, clocks) = if workload.mode == Mode::Whole { (1.0, 0.0) } else { (2.0, contenders) };
        kinds_of_baselines(workload) as f64 * (slices * each + around) + clocks * each
    };
    workloads.iter().map(|index| of(&plan.workloads[*index])).sum()
}

/// Maximum number of places in which the baselines of a workload run.
fn kinds_of_baselines(workload: &Workload) -> usize {
    let is_direct = workload.cache == CacheState::Direct;
    let places = [workload.traits.runs_in_memory, is_direct, workload.traits.starts.is_some()];
    places.into_iter().filter(|is_there| *is_there).count()
}

/// The weight of these workloads (indices in the plan) in a round: estimated seconds per contender. A slice that is
/// traced comes in addition, and of work that runs as a whole a further run with files of its own.
pub fn weight(plan: &Plan, workloads: &[usize]) -> f64 {
    let traced = |workload: &Workload| match workload.mode {
        _ if !plan.measuring.explained => Nanos(0),
        Mode::Whole => around(workload),
        Mode::Sliced => slice(workload),
    };
    let of = |workload: &Workload| (around(workload) + traced(workload)).as_seconds();
    workloads.iter().map(|index| of(&plan.workloads[*index])).sum()
}

/// Estimated duration of writing the lanes, and of preconditioning them if the plan asks for it.
pub fn estimated_setup(plan: &Plan) -> Nanos {
    let count = fsarena_lane::made_lanes(plan) as u64;
    let gigabytes = (count * plan.lanes.size.0.div_ceil(Bytes::mib(1).0)) as f64 / 1024.0;
    let (times, random) = match plan.lanes.precondition {
        Precondition::None => (1.0, Nanos(0)),
        Precondition::Snia => (3.0, PRECONDITIONING),
    };
    Nanos((GIGABYTE.0 as f64 * gigabytes * times) as u64) + random + Nanos::seconds(1)
}

/// The number of rounds of a plan. Within a budget it is estimated, before anything is measured; the first round always
/// runs.
pub fn planned_rounds(plan: &Plan) -> u32 {
    let budget = match plan.rounds {
        Rounds::Exactly(count) => return count,
        Rounds::Within(budget) => budget,
    };
    let time = budget.saturating_sub(reserved(plan));
    u32::try_from(time.0 / round_with_reserve(plan).0.max(1)).unwrap_or(u32::MAX).max(1)
}

/// The time budget within which this many rounds probably fit.
pub fn budget_for(plan: &Plan, rounds: u32) -> Nanos {
    reserved(plan) + Nanos(round_with_reserve(plan).0.saturating_mul(u64::from(rounds)))
}

fn round_with_reserve(plan: &Plan) -> Nanos {
    RoundTime { took: estimated_round(plan), weight: 1.0 }.expected(1.0)
}

/// The part of a budget that is not for rounds.
pub fn reserved(plan: &Plan) -> Nanos {
    estimated_setup(plan) + CLOSING
}

fn around(workload: &Workload) -> Nanos {
    let slice = slice(workload);
    let slices = if workload.mode == Mode::Whole { 1 } else { u64::from(workload.slices) };
    let is_of_peak = matches!(workload.rate(), Some(Rate::Percent(_)));
    let peak = if is_of_peak { PEAK } else { Nanos(0) };
    Nanos(slice.0 * slices) + AROUND_A_WORKLOAD + peak
}

fn slice(workload: &Workload) -> Nanos {
    let slice = match workload.timed_ms {
        0 => OPEN_ENDED_SLICE,
        timed => Nanos::millis(workload.warm_up_ms + timed + 10),
    };
    slice + workload.traits.extra_time
}

/// How long a round took, and the weight ([`weight`]) of its workloads.
#[derive(Debug, Clone, Copy)]
pub struct RoundTime {
    pub took: Nanos,
    pub weight: f64,
}

impl RoundTime {
    /// Expected duration of a further round of this weight, with a reserve of 5 %.
    pub fn expected(self, weight: f64) -> Nanos {
        let share = if self.weight > 0.0 { weight / self.weight } else { 1.0 };
        Nanos((self.took.0 as f64 * share * 1.05) as u64)
    }
}

/// The workload that keeps most data at a time; `None` without workloads. Of equals the first.
pub fn largest(workloads: &[Workload]) -> Option<&Workload> {
    workloads.iter().rev().max_by_key(|workload| workload.traits.peak)
}

/// Maximum share of a lane that data may fill: copy-on-write file systems need room for overwrites.
pub const FILL: f64 = 0.6;

/// Whether the files of a workload stay until their file system is made again in the next round. Removing what programs
/// wrote takes up to a third of a round, and what a file system removes later would be in the time of other work. The
/// lanes have to have room for the files of all workloads.
pub fn leaves_files(plan: &Plan, workload: &Workload) -> bool {
    let has_room = left_files(plan).0 as f64 <= plan.lanes.size.0 as f64 * FILL;
    is_slice_of_program(workload) && plan.lanes.shared.is_own() && has_room
}

/// The most data on a lane at a time if the files of all programs that run in slices stay.
pub fn left_files(plan: &Plan) -> Bytes {
    let (stay, go): (Vec<&Workload>, Vec<&Workload>) =
        plan.workloads.iter().partition(|workload| is_slice_of_program(workload));
    let largest = go.iter().map(|workload| workload.traits.peak.0).max().unwrap_or(0);
    Bytes(stay.iter().map(|workload| workload.traits.peak.0).sum::<u64>() + largest)
}

fn is_slice_of_program(workload: &Workload) -> bool {
    workload.mode == Mode::Sliced && workload.traits.program.is_some()
}

/// The first workload whose direct I/O is not in multiples of `sector`, with its block size; `None` if all are.
pub fn unaligned(workloads: &[Workload], sector: Bytes) -> Option<(Bytes, &Workload)> {
    let block = |workload: &'_ Workload| workload.traits.direct_block.filter(|block| !block.0.is_multiple_of(sector.0));
    workloads.iter().find_map(|workload| Some((block(workload)?, workload)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_with_half_of_the_workloads_takes_half_as_long() {
        let last = RoundTime { took: Nanos::seconds(20), weight: 8.0 };
        assert_eq!((last.expected(8.0), last.expected(4.0)), (Nanos::seconds(21), Nanos::millis(10_500)));
    }
}
