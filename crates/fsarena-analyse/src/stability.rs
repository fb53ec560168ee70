//! The stability of cells, over rounds and within a round. Reported only; it changes no verdict.

use fsarena_model::comparison::{Cell, Change};
use fsarena_model::event::Note;
use fsarena_model::{Better, Measure, Metric, Outcome, Plan, Severity, Slice, Trial, Workload};
use fsarena_stats::{SteadyEffect, own_trends, within_rounds};

use crate::analysis::{Analysis, WorkloadTrials};
use crate::evidence::Field;
use crate::looks::Standing;

/// The probability that a run without any instability reports one in any of its cells; for each of both questions.
const ALPHA: f64 = 0.05;

/// Smallest relative change within a round that is reported, even if smaller ones are proved.
const NOTEWORTHY: f64 = 0.02;
/// Smallest relative difference between the typical slice and all of the time that is reported.
const OTHERWISE: f64 = 0.2;
/// Relative difference below which two figures are equal.
const ROUNDING: f64 = 1e-9;
/// Maximum number of cells named in a sentence.
const NAMED: usize = 4;

/// The trials that finished in a round that counts.
fn finished<'a>(own: &WorkloadTrials<'a>, trials: &[&'a Trial]) -> impl Iterator<Item = &'a Trial> {
    trials.iter().copied().filter(|trial| trial.outcome == Outcome::Finished && own.counts(trial.round))
}

/// Each cell's share of [`ALPHA`].
fn share(plan: &Plan) -> f64 {
    ALPHA / (plan.workloads.len() * plan.contenders.len()).max(1) as f64
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
    let alpha = share(&analysis.record.plan);
    for (cell, trials) in cells.iter_mut().zip(&own.by_contender) {
        cell.stability.whole_time = whole_time(own.workload, cell, finished(own, trials));
        let trials: Vec<Vec<f64>> = finished(own, trials).map(slices).collect();
        cell.stability.within_round = change(within_rounds(&trials, alpha));
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

/// The notes; empty if all cells are stable.
pub fn notes(cells: &[Vec<Cell>]) -> Vec<Note> {
    let large = |change: &Change| change.is_proved() && (change.ratio.ln().abs() > f64::ln_1p(NOTEWORTHY));
    let trends = named(cells, |cells, cell| {
        let trend = cell.stability.trend.filter(Change::is_proved).filter(|_| drifts_most(cells, cell))?;
        Some(format!("becomes {}", words(&trend, "with each round")))
    });
    let within = named(cells, |_, cell| {
        let change = cell.stability.within_round.filter(large)?;
        Some(format!("becomes {}", words(&change, "from its first slices to its last")))
    });
    let whole = named(cells, |_, cell| {
        let ratio = cell.stability.whole_time.filter(|ratio| ratio.ln().abs() > f64::ln_1p(OTHERWISE))?;
        Some(format!("is {ratio:.1} times as fast"))
    });
    let whole = whole.map(|cells| {
        let typical = "figures and verdicts are about the typical slice, and some slices are far from it";
        format!("{typical}; over all of its time, compared with its typical slice, {cells}")
    });
    let sentences = [
        (Severity::Warning, whole),
        (Severity::Warning, trends.map(|text| format!("drift, measured against the other contenders: {text}"))),
        (Severity::Info, within.map(|text| format!("not steady within a round: {text}"))),
    ];
    sentences.into_iter().filter_map(|(severity, text)| Some(Note { severity, text: text? })).collect()
}

/// Whether the contender of `cell` drifts most of the `cells` of its workload; the first of equals. Drift is relative to
/// the other contenders, so the drift of one appears with the opposite sign in the others.
fn drifts_most(cells: &[Cell], cell: &Cell) -> bool {
    let drift = |cell: &Cell| cell.stability.trend.map_or(0.0, |trend| trend.ratio.ln().abs());
    let most = cells.iter().map(drift).fold(0.0, f64::max);
    let first = cells.iter().find(|rival| drift(rival) > most * (1.0 - ROUNDING));
    first.is_some_and(|first| first.contender == cell.contender)
}

/// `xfs in create-fsync …; …`, for at most [`NAMED`] cells.
fn named(cells: &[Vec<Cell>], what: impl Fn(&[Cell], &Cell) -> Option<String>) -> Option<String> {
    let all: Vec<String> = cells
        .iter()
        .flat_map(|own| own.iter().filter_map(|cell| Some((cell, what(own, cell)?))))
        .map(|(cell, what)| format!("{} in {} {what}", cell.contender, cell.workload))
        .collect();
    let more = all.len().saturating_sub(NAMED);
    let rest = (more > 0).then(|| format!("and {more} more"));
    let parts: Vec<&str> = all.iter().take(NAMED).chain(&rest).map(String::as_str).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// `1.2 % slower with each round [0.8, 1.7]`.
fn words(change: &Change, when: &str) -> String {
    let (word, sign) = if change.ratio < 1.0 { ("slower", -1.0) } else { ("faster", 1.0) };
    let percent = |ratio: f64| format!("{:.1}", sign * (ratio - 1.0) * 100.0).replace('-', "−");
    let (near, far) = if sign < 0.0 { (change.high, change.low) } else { (change.low, change.high) };
    format!("{} % {word} {when} [{}, {}]", percent(change.ratio), percent(near), percent(far))
}
