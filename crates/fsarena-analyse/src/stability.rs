//! The stability of cells: over rounds, within a round, and after another contender's slice. Reported only; it changes
//! no verdict.

mod scatter;
mod words;

use std::collections::BTreeMap;

use fsarena_model::comparison::{Cell, Change};
use fsarena_model::{Better, Label, Measure, Metric, Outcome, Plan, Slice, Trial, Workload};
use fsarena_stats::{Before, SteadyEffect, Step, carry_over, outliers, own_trends, within_rounds};

use crate::analysis::{Analysis, WorkloadTrials};
use crate::evidence::Field;
use crate::looks::Standing;

pub(crate) use scatter::scatter;
pub use words::notes;

/// The probability that a run without any instability reports one in any of its cells; for each of the three questions.
const ALPHA: f64 = 0.05;

/// The trials that finished in a round that counts.
fn finished<'a>(own: &WorkloadTrials<'a>, trials: &[&'a Trial]) -> impl Iterator<Item = &'a Trial> {
    trials.iter().copied().filter(|trial| trial.outcome == Outcome::Finished && own.counts(trial.round))
}

/// Each cell's share of [`ALPHA`].
fn share(plan: &Plan) -> f64 {
    ALPHA / (plan.workloads.len() * plan.contenders.len()).max(1) as f64
}

/// For each trial of `label`, its slices with the kind of slice that preceded each; `trials` holds the trials of all
/// contenders.
fn steps(workload: &Workload, trials: &[&Trial], label: &Label) -> Vec<Vec<Step>> {
    let places = trials
        .iter()
        .flat_map(|trial| trial.slices.iter().map(|slice| ((trial.round, slice.position), &trial.contender)));
    let order: BTreeMap<(u32, u32), &Label> = places.collect();
    let of = |trial: &&Trial| {
        let step = |slice: &Slice| {
            let before = order.get(&(trial.round, slice.position.checked_sub(1)?))?;
            Some(Step {
                position: f64::from(slice.position),
                after: if *before == label { Before::Own } else { Before::Other },
                y: workload.metric.better.oriented_ln(slice.value),
            })
        };
        trial.slices.iter().filter_map(step).filter(|step| step.y.is_finite()).collect()
    };
    trials.iter().filter(|trial| trial.contender == *label).map(of).collect()
}

/// Fills in the stability of all cells, by workload, then contender.
pub(crate) fn judge(analysis: &Analysis<'_>, standing: &Standing, cells: &mut [Vec<Cell>]) {
    for (own, cells) in analysis.workloads.iter().zip(cells) {
        judge_workload(analysis, own, cells);
        trends(&analysis.record.plan, standing, own.index, cells);
    }
}

fn judge_workload(analysis: &Analysis<'_>, own: &WorkloadTrials<'_>, cells: &mut [Cell]) {
    let ln = |value: f64| own.workload.metric.better.oriented_ln(value);
    let slices = |trial: &Trial| trial.slices.iter().map(|slice| ln(slice.value)).collect::<Vec<f64>>();
    let (all, alpha): (Vec<&Trial>, f64) = (finished(own, &own.all).collect(), share(&analysis.record.plan));
    for (cell, trials) in cells.iter_mut().zip(&own.by_contender) {
        cell.stability.whole_time = whole_time(own.workload, cell, finished(own, trials));
        let trials: Vec<Vec<f64>> = finished(own, trials).map(slices).collect();
        cell.stability.within_round = change(within_rounds(&trials, alpha));
        cell.stability.carry_over = change(carry_over(&steps(own.workload, &all, &cell.contender), alpha));
        cell.stability.outliers = far_rounds(cell, &own.excluded);
        cell.stability.excluded = own.excluded.clone();
    }
}

/// How many times better all operations over all of their time are than the cell's median.
fn whole_time<'a>(workload: &Workload, cell: &Cell, trials: impl Iterator<Item = &'a Trial>) -> Option<f64> {
    let Metric { measure, better, .. } = workload.metric;
    // A rate is weighted with the time of its slice, a time with the operations: both give all of one by all of the other.
    let weight = |slice: &Slice| match better {
        Better::Higher => slice.elapsed.as_seconds(),
        Better::Lower => slice.operations as f64,
    };
    let mean = |trial: &Trial| {
        let weights: f64 = trial.slices.iter().map(weight).sum();
        trial.slices.iter().map(|slice| weight(slice) * slice.value).sum::<f64>() / weights
    };
    let whole = fsarena_stats::median(trials.map(mean).filter(|mean| mean.is_finite()))?;
    let ratio = better.log_ratio(whole, cell.figure.median?).exp();
    let is_of_all = !matches!(measure, Measure::Printed | Measure::P99LatencyMicroseconds);
    (is_of_all && ratio.is_normal()).then_some(ratio)
}

fn far_rounds(cell: &Cell, excluded: &[u32]) -> Vec<u32> {
    let rounds = (1..).zip(&cell.by_round).filter(|(round, _)| !excluded.contains(round));
    let (labels, logs): (Vec<u32>, Vec<f64>) =
        rounds.filter_map(|(round, value)| Some((round, value.as_ref()?.ln()))).unzip();
    outliers(&logs).into_iter().map(|index| labels[index]).collect()
}

fn trends(plan: &Plan, standing: &Standing, workload: usize, cells: &mut [Cell]) {
    for Field { members, rounds, .. } in standing.fields(workload).map(|judged| &judged.field) {
        let rounds: Vec<(u32, Vec<f64>)> = rounds.iter().map(|row| (row.round, row.values.clone())).collect();
        // `own_trends` controls the error over all contenders of the workload together.
        let trends = own_trends(&rounds, share(plan) * members.len() as f64);
        for (member, trend) in members.iter().zip(trends) {
            cells[*member].stability.trend = change(trend);
        }
    }
}

/// The effect as a ratio; `None` if it or a bound is not a normal number.
fn change(effect: Option<SteadyEffect>) -> Option<Change> {
    let SteadyEffect { size, interval } = effect?;
    let (low, high) = interval.ratios();
    let change = Change { ratio: size.exp(), low, high };
    [change.ratio, change.low, change.high].iter().all(|ratio| ratio.is_normal()).then_some(change)
}
