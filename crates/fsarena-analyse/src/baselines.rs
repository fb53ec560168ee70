//! Baselines: the share of a cell's time that the same work takes without a file system, how close a cell comes to the
//! bare device, and how much of a workload's time is at stake: what the slowest contender needs beyond the same work in
//! memory.

use std::collections::BTreeSet;

use fsarena_model::comparison::{BaselineRow, Shares};
use fsarena_model::{BaselineKind, Estimate, LaneCost, Measure, Nanos, Outcome, RunRecord, Trial, Workload};
use fsarena_stats::LogEstimate;

use crate::analysis::{Analysis, WorkloadTrials};
use crate::evidence::{median, ratio};
use crate::{noise, per_operation};

/// The cost of a write and flush on the lanes: the median over rounds, or the value of the survey.
pub fn lane_cost(record: &RunRecord) -> Option<LaneCost> {
    let costs: Vec<&LaneCost> = record.rounds.iter().filter_map(|facts| facts.lane_cost.as_ref()).collect();
    if costs.is_empty() {
        return record.environment.lanes.cost.clone();
    }
    let of = |pick: fn(&LaneCost) -> Option<f64>| fsarena_stats::median(costs.iter().filter_map(|cost| pick(cost)));
    let nanos = |pick: fn(&LaneCost) -> Option<f64>| of(pick).map(|value| Nanos(value as u64));
    Some(LaneCost {
        back_to_back: nanos(|cost| Some(cost.back_to_back.0 as f64))?,
        paced: nanos(|cost| Some(cost.paced.0 as f64))?,
        device: nanos(|cost| cost.device.map(|device| device.0 as f64)),
        host_bytes: of(|cost| cost.host_bytes),
        host_flushes: of(|cost| cost.host_flushes),
    })
}

/// The shares of the time and the rate of finished trials that baselines account for, without that of the lane: each is
/// the median over the rounds that have both, since the machine itself may be slower in one round than in another.
pub(crate) fn shares(own: &WorkloadTrials<'_>, finished: &[&Trial]) -> Shares {
    let share = |kind, of: &dyn Fn(&Trial, &Trial) -> Option<f64>| {
        let baseline = |trial: &Trial| own.baselines(kind).find(|baseline| baseline.round == trial.round);
        fsarena_stats::median(finished.iter().filter_map(|trial| of(baseline(trial)?, trial)))
    };
    let of_time = |kind| share(kind, &of_the_time);
    // A figure that the program prints need not include all of the time, nor the starts.
    let is_printed = own.workload.metric.measure == Measure::Printed;
    let starts = starts_per_operation(own, finished).filter(|_| !is_printed);
    let better = own.workload.metric.better;
    let of_the_figure = |in_memory: &_, here: &_| Some(better.log_ratio(median(here)?, median(in_memory)?).exp());
    Shares {
        harness: if is_printed { share(BaselineKind::Memory, &of_the_figure) } else { of_time(BaselineKind::Memory) },
        ceiling: of_time(BaselineKind::Device),
        start: starts.and_then(|starts| Some(of_time(BaselineKind::Start)? * starts)),
        lane: None,
    }
}

/// The time of an operation of a baseline, of that of a trial.
fn of_the_time(baseline: &Trial, trial: &Trial) -> Option<f64> {
    Some(per_operation::seconds([baseline])? / per_operation::seconds([trial])?)
}

fn starts_per_operation(own: &WorkloadTrials<'_>, finished: &[&Trial]) -> Option<f64> {
    let starts = own.workload.traits.starts? as f64;
    let operations = finished.iter().map(|trial| trial.operations()).max()? as f64;
    let runs = finished.iter().map(|trial| trial.slices.len()).max()?.max(1) as f64;
    Some(starts * runs / operations)
}

/// How many times as fast as the bare device a cell is, by the device's fastest measurement: a disturbed moment cannot
/// lower this bound.
pub(crate) fn times_the_device(own: &WorkloadTrials<'_>, trials: &[&Trial]) -> Option<f64> {
    let all = own.all_baselines(BaselineKind::Device);
    let fastest = all.filter_map(|trial| per_operation::seconds([trial])).reduce(f64::min)?;
    Some(fastest / per_operation::seconds(trials.iter().copied())?)
}

/// All baselines, combined over rounds, in the plan's order of workloads.
pub(crate) fn rows(analysis: &Analysis<'_>) -> Vec<BaselineRow> {
    let kinds: BTreeSet<BaselineKind> = analysis.record.baselines.iter().map(|baseline| baseline.kind).collect();
    analysis.workloads.iter().flat_map(|own| kinds.iter().filter_map(|kind| row(own, *kind))).collect()
}

fn row(own: &WorkloadTrials<'_>, kind: BaselineKind) -> Option<BaselineRow> {
    let workload = own.workload;
    let seconds_per_operation = per_operation::seconds(own.baselines(kind));
    let (value, unit) = match kind {
        BaselineKind::Start => (seconds_per_operation.map(|seconds| 1.0 / seconds), "programs/s".to_owned()),
        BaselineKind::Memory | BaselineKind::Device => {
            (fsarena_stats::median(own.baselines(kind).filter_map(median)), workload.metric.unit.clone())
        }
    };
    let rounds = own.baselines(kind).count() as u32;
    let name = workload.name.to_string();
    (rounds > 0).then_some(BaselineRow { workload: name, kind, median: value, unit, seconds_per_operation, rounds })
}

/// Whether a baseline counts. One that was measured while the machine was busy, or whose slices vary too much, would
/// make the contenders look bad.
pub fn counts(record: &RunRecord, trial: &Trial) -> bool {
    trial.outcome == Outcome::Finished && is_steady(trial) && !noise::is_noisy(record, trial)
}

/// How many times as long the same work in memory took in its slowest round as in its fastest, of the rounds in which
/// the machine was not busy: the median over the workloads with enough rounds. `None` if no workload has them.
pub(crate) fn spread_in_memory(analysis: &Analysis<'_>) -> Option<f64> {
    let spread = |own: &WorkloadTrials<'_>| {
        let rounds = own.baselines(BaselineKind::Memory).filter_map(|trial| per_operation::seconds([trial]));
        let seconds: Vec<f64> = rounds.collect();
        let (least, most) =
            seconds.iter().fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), it| (low.min(*it), high.max(*it)));
        (seconds.len() >= ENOUGH).then_some(most / least)
    };
    fsarena_stats::median(analysis.workloads.iter().filter_map(spread))
}

/// Number of rounds in memory whose spread tells about the machine.
const ENOUGH: usize = 3;

/// Maximum ratio of a baseline's fastest slice to its slowest.
const STEADY: f64 = 4.0;

/// Whether the slices agree. Measured: 672 and 19,631 requests per second of one device within a second, without steal
/// time and without other programs at work.
fn is_steady(trial: &Trial) -> bool {
    let values = || trial.slices.iter().map(|slice| slice.value);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    trial.slices.is_empty() || most <= STEADY * least
}

/// Largest difference that is at stake where the programs, and not the file system, take the time.
const SMALL: f64 = 0.1;

/// How many times as long the slowest contender takes as the same work in memory, with the pointwise 95 % interval over
/// the rounds that have both. `None` without a baseline in memory, and for figures that a program prints, which need
/// not be its time.
pub(crate) fn at_stake(own: &WorkloadTrials<'_>) -> Option<Estimate> {
    if own.workload.metric.measure == Measure::Printed {
        return None;
    }
    // Also of a busy machine: each round compares both under the same load.
    let in_memory: Vec<&Trial> = own.all_baselines(BaselineKind::Memory).collect();
    let log = |trial: &Trial| {
        let same_round = in_memory.iter().copied().find(|other| other.round == trial.round)?;
        Some(-of_the_time(same_round, trial)?.ln())
    };
    let logs = |contender| own.counted(contender).into_iter().filter_map(log).collect::<Vec<f64>>();
    let all = (0..own.by_contender.len()).map(logs);
    let means = all.filter_map(|logs| Some((LogEstimate::mean_of(&logs)?, logs.len())));
    let (mean, rounds) = means.max_by(|(one, _), (other, _)| one.estimate.total_cmp(&other.estimate))?;
    Some(ratio(Some(mean.estimate), (rounds > 1).then(|| mean.pointwise())))
}

/// The largest difference between contenders, as far as the 95 % interval of what is at stake shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// All are equal within the margin, because none can be faster than the work in memory.
    Equal,
    /// It is so small that further rounds are not worth their time.
    Small,
    /// It may be large, or is not known.
    Large,
}

/// The bound of a workload's differences.
pub(crate) fn bound(analysis: &Analysis<'_>, own: &WorkloadTrials<'_>) -> Bound {
    let margin = analysis.record.plan.margin.0;
    match at_stake(own).and_then(|stake| stake.high).map(|high| high - 1.0) {
        Some(most) if most <= margin => Bound::Equal,
        Some(most) if most <= SMALL => Bound::Small,
        _ => Bound::Large,
    }
}

/// Whether further measurements in memory may show that little is at stake, or that all contenders are equal.
pub fn may_be_small(record: &RunRecord, workload: &Workload) -> bool {
    let analysis = Analysis::new(record);
    let Some(own) = analysis.workload(&workload.name) else { return false };
    let low = at_stake(own).and_then(|stake| stake.low);
    low.is_some_and(|low| low - 1.0 <= SMALL) && bound(&analysis, own) != Bound::Equal
}
