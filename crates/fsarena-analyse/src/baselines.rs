//! Baselines: the share of a cell's time that the same work takes without a file system, and how close a cell comes to
//! the bare device.

use std::collections::BTreeSet;

use fsarena_model::comparison::BaselineRow;
use fsarena_model::validity::{CapUnit, RateCap};
use fsarena_model::{BaselineKind, LaneCost, Measure, Nanos, Outcome, RunRecord, Trial};

use crate::analysis::{Analysis, WorkloadTrials};
use crate::evidence::median;
use crate::{noise, per_operation};

/// Maximum deviation from the bare device's rate, as a share, for contenders at a rate cap.
const ALIKE: f64 = 0.05;
/// Maximum deviation of a cap from a round number, as a share.
const ROUND: f64 = 0.02;

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

/// The share of a cell's time that the same work takes in memory. A figure that the program prints need not include
/// all of the time: then the share follows from that figure here and in memory.
pub(crate) fn harness_share(own: &WorkloadTrials<'_>, trials: &[&Trial]) -> Option<f64> {
    if own.workload.metric.measure == Measure::Printed {
        let value = |trials: &mut dyn Iterator<Item = &Trial>| fsarena_stats::median(trials.filter_map(median));
        let here = value(&mut trials.iter().copied())?;
        let in_memory = value(&mut own.baselines(BaselineKind::Memory))?;
        return Some(own.workload.metric.better.log_ratio(here, in_memory).exp());
    }
    Some(seconds_of(own, BaselineKind::Memory)? / per_operation::seconds(trials.iter().copied())?)
}

/// The share of a cell's time that the same number of program starts takes; `None` for a figure that the program
/// prints, which need not include its start.
pub(crate) fn start_share(own: &WorkloadTrials<'_>, trials: &[&Trial]) -> Option<f64> {
    let workload = own.workload;
    let starts = workload.traits.starts.filter(|_| workload.metric.measure != Measure::Printed)? as f64;
    let operations = trials.iter().map(|trial| trial.operations()).max()? as f64;
    let runs = trials.iter().map(|trial| trial.slices.len()).max()?.max(1) as f64;
    let per_operation = starts * runs / operations;
    Some(seconds_of(own, BaselineKind::Start)? * per_operation / per_operation::seconds(trials.iter().copied())?)
}

/// The share of the bare device's rate that a cell reaches.
pub(crate) fn ceiling_share(own: &WorkloadTrials<'_>, trials: &[&Trial]) -> Option<f64> {
    Some(seconds_of(own, BaselineKind::Device)? / per_operation::seconds(trials.iter().copied())?)
}

/// How many times as fast as the bare device a cell is, by the device's fastest measurement: a disturbed moment cannot
/// lower this bound.
pub(crate) fn times_the_device(own: &WorkloadTrials<'_>, trials: &[&Trial]) -> Option<f64> {
    let all = own.all_baselines(BaselineKind::Device);
    let fastest = all.filter_map(|trial| per_operation::seconds([trial])).reduce(f64::min)?;
    Some(fastest / per_operation::seconds(trials.iter().copied())?)
}

/// The rate cap that limits all contenders and the bare device. `None` if there is no sign of a cap.
pub(crate) fn cap(analysis: &Analysis<'_>, own: &WorkloadTrials<'_>) -> Option<RateCap> {
    let device = seconds_of(own, BaselineKind::Device)?;
    let made = (0..analysis.count()).filter(|contender| analysis.facts[*contender].is_some());
    let all: Option<Vec<f64>> =
        made.map(|contender| per_operation::seconds(own.by_contender[contender].iter().copied())).collect();
    let all = all.filter(|all| all.len() > 1 && all.iter().all(|own| (own / device - 1.0).abs() < ALIKE))?;
    let rate = 1.0 / fsarena_stats::median(all)?;
    let bytes = own.all.iter().find(|trial| trial.operations() > 0)?;
    let megabytes = rate * bytes.bytes() as f64 / bytes.operations() as f64 / 1e6;
    let depth = own.workload.traits.concurrency as f64;
    let latency = Nanos((depth / rate * 1e9) as u64);
    let operations = round(rate).map(|rate| (rate, CapUnit::Operations));
    let (rate, of) = operations.or_else(|| Some((round(megabytes)?, CapUnit::Megabytes)))?;
    Some(RateCap { rate, of, depth, latency })
}

/// The usual size of a cap that `rate` is close to; `None` below 50.
fn round(rate: f64) -> Option<f64> {
    let power = 10_f64.powf(rate.log10().floor());
    let sold = [1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.5, 8.0, 10.0].map(|step| step * power);
    sold.into_iter().find(|sold| rate >= 50.0 && (rate / sold - 1.0).abs() < ROUND)
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
