//! Baselines: the share of a cell's time that the same work takes without a file system, and how close a cell comes to
//! the bare device.

use std::collections::BTreeSet;

use fsarena_model::comparison::{BaselineRow, Shares};
use fsarena_model::{BaselineKind, LaneCost, Measure, Nanos, Outcome, RunRecord, Trial};

use crate::analysis::{Analysis, WorkloadTrials};
use crate::evidence::median;
use crate::{noise, per_operation};

/// The cost of a write and flush on the lanes: the median over rounds, or the value of the survey.
pub fn lane_cost(record: &RunRecord) -> Option<LaneCost> {
    let surveyed = record.environment.lanes.cost.clone();
    let costs: Vec<&LaneCost> = record.rounds.iter().filter_map(|facts| facts.lane_cost.as_ref()).collect();
    let of = |pick: fn(&LaneCost) -> Option<f64>| fsarena_stats::median(costs.iter().filter_map(|cost| pick(cost)));
    let nanos = |pick: fn(&LaneCost) -> Option<f64>| of(pick).map(|value| Nanos(value as u64));
    let (Some(back_to_back), Some(paced)) =
        (nanos(|cost| Some(cost.back_to_back.0 as f64)), nanos(|cost| Some(cost.paced.0 as f64)))
    else {
        return surveyed;
    };
    Some(LaneCost {
        back_to_back,
        paced,
        device: nanos(|cost| cost.device.map(|device| device.0 as f64)),
        host_bytes: of(|cost| cost.host_bytes),
        host_flushes: of(|cost| cost.host_flushes),
    })
}

/// The shares of the time and the rate of finished trials that baselines account for, without that of the lane.
pub(crate) fn shares(own: &WorkloadTrials<'_>, finished: &[&Trial]) -> Shares {
    let seconds = per_operation::seconds(finished.iter().copied());
    let of = |kind, times: f64| Some(seconds_of(own, kind)? * times / seconds?);
    // A figure that the program prints need not include all of the time, nor the starts.
    let is_printed = own.workload.metric.measure == Measure::Printed;
    let starts = starts_per_operation(own, finished).filter(|_| !is_printed);
    Shares {
        harness: if is_printed { of_the_figure(own, finished) } else { of(BaselineKind::Memory, 1.0) },
        ceiling: of(BaselineKind::Device, 1.0),
        start: starts.and_then(|starts| of(BaselineKind::Start, starts)),
        lane: None,
    }
}

/// What the figure in memory is of the figure here.
fn of_the_figure(own: &WorkloadTrials<'_>, finished: &[&Trial]) -> Option<f64> {
    let value = |trials: &mut dyn Iterator<Item = &Trial>| fsarena_stats::median(trials.filter_map(median));
    let here = value(&mut finished.iter().copied())?;
    let in_memory = value(&mut own.baselines(BaselineKind::Memory))?;
    Some(own.workload.metric.better.log_ratio(here, in_memory).exp())
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
    let trials: Vec<&Trial> = own.baselines(kind).collect();
    let seconds_per_operation = per_operation::seconds(trials.iter().copied());
    let (value, unit) = match kind {
        BaselineKind::Start => (seconds_per_operation.map(|seconds| 1.0 / seconds), "programs/s".to_owned()),
        BaselineKind::Memory | BaselineKind::Device => {
            (fsarena_stats::median(trials.iter().filter_map(|trial| median(trial))), workload.metric.unit.clone())
        }
    };
    let rounds = trials.len() as u32;
    let name = workload.name.to_string();
    (rounds > 0).then_some(BaselineRow { workload: name, kind, median: value, unit, seconds_per_operation, rounds })
}

/// Whether a baseline counts. One that was measured while the machine was busy, or whose slices vary too much, would
/// make the contenders look bad.
pub fn counts(record: &RunRecord, trial: &Trial) -> bool {
    trial.outcome == Outcome::Finished && is_steady(trial) && !noise::is_noisy(record, trial)
}

/// Maximum ratio of a baseline's fastest slice to its slowest.
const STEADY: f64 = 4.0;

/// Whether the slices agree. Measured: 672 and 19,631 requests per second of one device within a second, without steal
/// time and without other programs at work.
fn is_steady(trial: &Trial) -> bool {
    let values = || trial.slices.iter().map(|slice| slice.value);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    trial.slices.is_empty() || most <= STEADY * least
}

fn seconds_of(own: &WorkloadTrials<'_>, kind: BaselineKind) -> Option<f64> {
    per_operation::seconds(own.baselines(kind))
}
