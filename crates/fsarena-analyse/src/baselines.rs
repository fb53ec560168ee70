//! Baselines: the share of a cell's time that the same work takes without a file system, and how close a cell comes to
//! the bare device.

use std::collections::BTreeSet;

use fsarena_model::comparison::BaselineRow;
use fsarena_model::validity::{CapUnit, RateCap};
use fsarena_model::{BaselineKind, Label, LaneCost, Measure, Nanos, Outcome, RunRecord, Trial, Workload};

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
pub fn harness_share(record: &RunRecord, workload: &Workload, trials: &[&Trial]) -> Option<f64> {
    if workload.metric.measure == Measure::Printed {
        let value = |trials: &mut dyn Iterator<Item = &Trial>| fsarena_stats::median(trials.filter_map(median));
        let here = value(&mut trials.iter().copied())?;
        let in_memory = value(&mut of_kind(record, workload, BaselineKind::Memory))?;
        let better = workload.metric.better;
        return Some((better.oriented_ln(here) - better.oriented_ln(in_memory)).exp());
    }
    Some(seconds_of(record, workload, BaselineKind::Memory)? / per_operation::seconds(trials.iter().copied())?)
}

/// The share of a cell's time that the same number of program starts takes; `None` for a figure that the program
/// prints, which need not include its start.
pub fn start_share(record: &RunRecord, workload: &Workload, trials: &[&Trial]) -> Option<f64> {
    let starts = workload.traits.starts.filter(|_| workload.metric.measure != Measure::Printed)? as f64;
    let operations = trials.iter().map(|trial| trial.operations()).max()? as f64;
    let runs = trials.iter().map(|trial| trial.slices.len()).max()?.max(1) as f64;
    let per_operation = starts * runs / operations;
    Some(
        seconds_of(record, workload, BaselineKind::Start)? * per_operation
            / per_operation::seconds(trials.iter().copied())?,
    )
}

/// The share of the bare device's rate that a cell reaches.
pub fn ceiling_share(record: &RunRecord, workload: &Workload, trials: &[&Trial]) -> Option<f64> {
    Some(seconds_of(record, workload, BaselineKind::Device)? / per_operation::seconds(trials.iter().copied())?)
}

/// How many times as fast as the bare device a cell is, by the device's fastest measurement: a disturbed moment cannot
/// lower this bound.
pub fn times_the_device(record: &RunRecord, workload: &Workload, trials: &[&Trial]) -> Option<f64> {
    let all = all_of_kind(record, workload, BaselineKind::Device);
    let fastest = all.filter_map(|trial| per_operation::seconds([trial])).reduce(f64::min)?;
    Some(fastest / per_operation::seconds(trials.iter().copied())?)
}

/// The rate cap that limits all contenders and the bare device. `None` if there is no sign of a cap.
pub fn cap(record: &RunRecord, workload: &Workload) -> Option<RateCap> {
    let device = seconds_of(record, workload, BaselineKind::Device)?;
    let of_label = |label: &Label| {
        let is_of = move |trial: &&Trial| trial.workload == workload.name && trial.contender == *label;
        per_operation::seconds(record.trials.iter().filter(is_of))
    };
    let all: Option<Vec<f64>> = record.contenders.iter().map(|facts| of_label(&facts.label)).collect();
    let all = all.filter(|all| all.len() > 1 && all.iter().all(|own| (own / device - 1.0).abs() < ALIKE))?;
    let rate = 1.0 / fsarena_stats::median(all)?;
    let bytes = record.trials.iter().find(|trial| trial.workload == workload.name && trial.operations() > 0)?;
    let megabytes = rate * bytes.bytes() as f64 / bytes.operations() as f64 / 1e6;
    let depth = workload.traits.concurrency as f64;
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
pub fn rows(record: &RunRecord) -> Vec<BaselineRow> {
    let kinds: BTreeSet<BaselineKind> = record.baselines.iter().map(|baseline| baseline.kind).collect();
    let rows =
        record.plan.workloads.iter().flat_map(|workload| kinds.iter().filter_map(|kind| row(record, workload, *kind)));
    rows.collect()
}

fn row(record: &RunRecord, workload: &Workload, kind: BaselineKind) -> Option<BaselineRow> {
    let trials: Vec<&Trial> = of_kind(record, workload, kind).collect();
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

/// The baselines of a workload at a place, also those that do not count.
pub fn all_of_kind<'a>(
    record: &'a RunRecord,
    workload: &'a Workload,
    kind: BaselineKind,
) -> impl Iterator<Item = &'a Trial> {
    let there = record.baselines.iter().filter(move |baseline| baseline.kind == kind);
    there.map(|baseline| &baseline.trial).filter(move |trial| trial.workload == workload.name)
}

fn of_kind<'a>(record: &'a RunRecord, workload: &'a Workload, kind: BaselineKind) -> impl Iterator<Item = &'a Trial> {
    all_of_kind(record, workload, kind).filter(move |trial| counts(record, trial))
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

fn seconds_of(record: &RunRecord, workload: &Workload, kind: BaselineKind) -> Option<f64> {
    per_operation::seconds(of_kind(record, workload, kind))
}
