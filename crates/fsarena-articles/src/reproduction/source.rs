//! The figure of a source: a trial, or steps of a trial.

use std::collections::BTreeMap;

use crate::article::{Quantity, Source};
use crate::reproduction::{Context, MeasuredFigure};
use fsarena_model::{Label, Outcome, Step, Trial, Workload};
use fsarena_stats::{Summary, cell_summary};

use super::figures::MetricAt;
use crate::quantities::{self, DoneWork};

/// A figure by round.
pub type ByRound = BTreeMap<u32, f64>;

/// The figure of a metric from the source in each round that counts and has the figure; `None` if none has.
pub fn by_round(context: &Context<'_>, source: &Source, metric_at: MetricAt<'_>, label: &Label) -> Option<ByRound> {
    let MetricAt { metric, at, .. } = metric_at;
    let steps = if metric.steps.is_empty() { &source.steps } else { &metric.steps };
    let (source, wanted) = (&Source { steps: steps.clone(), ..source.clone() }.at(at), metric.quantity?);
    let workload = context.record.plan.workloads.iter().find(|workload| workload.name == source.workload)?;
    let trials = context.analysis.counted_trials(&source.workload, label).into_iter();
    let kept = trials.filter(|trial| trial.outcome == Outcome::Finished);
    let jobs = jobs(workload, wanted);
    let figure = |trial: &Trial| Some((trial.round, of_trial(trial, workload, source, wanted)? / jobs));
    let rounds: ByRound = kept.filter_map(figure).collect();
    (!rounds.is_empty()).then_some(rounds)
}

/// Whether the first of the sources that has trials in rounds that count ran out of time, a result behind all others: in
/// most of these rounds, or in one of them if none finished.
pub fn is_out_of_time(context: &Context<'_>, sources: &[&Source], at: Option<&str>, label: &Label) -> bool {
    let mut each = sources.iter().map(|source| context.analysis.counted_trials(&source.at(at).workload, label));
    let trials = each.find(|trials| !trials.is_empty()).unwrap_or_default();
    let late = trials.iter().filter(|trial| matches!(trial.outcome, Outcome::OutOfTime(_))).count();
    let has_finished = trials.iter().any(|trial| trial.outcome == Outcome::Finished);
    late > 0 && (!has_finished || 2 * late > trials.len())
}

/// The number of jobs that processor time is divided by. fio reports processor time per job; the native engine measures
/// the sum over its threads.
fn jobs(workload: &Workload, wanted: Quantity) -> f64 {
    let is_of_all = workload.engine == "data" && matches!(wanted, Quantity::Processor | Quantity::System);
    let threads = workload.parameters.get("threads").and_then(serde_json::Value::as_f64);
    threads.filter(|_| is_of_all).unwrap_or(1.0).max(1.0)
}

/// The figure over all rounds; `is_valid` says whether the cell allows a verdict.
pub fn measured(by_round: &ByRound, is_valid: bool) -> Option<MeasuredFigure> {
    let values: Vec<f64> = by_round.values().copied().collect();
    let Summary { median, low, high } = cell_summary(&values)?;
    Some(MeasuredFigure { median, low, high, rounds: values.len() as u32, is_valid })
}

fn of_trial(trial: &Trial, workload: &Workload, source: &Source, wanted: Quantity) -> Option<f64> {
    if source.steps.is_empty() {
        return quantities::quantity(trial, workload.metric.measure, wanted);
    }
    let named = source.steps.iter().map(|name| trial.steps.iter().find(|step| step.name == *name));
    let steps = named.collect::<Option<Vec<&Step>>>()?;
    of_steps(&steps, source.synced, wanted)
}

/// The figure of several steps taken together. A step whose sync was not timed adds no sync time.
fn of_steps(steps: &[&Step], with_sync: bool, wanted: Quantity) -> Option<f64> {
    let sync = |step: &Step| if with_sync { step.synced.unwrap_or_default().as_seconds() } else { 0.0 };
    let done = DoneWork {
        seconds: steps.iter().map(|step| step.elapsed.as_seconds() + sync(step)).sum(),
        bytes: steps.iter().map(|step| step.bytes as f64).sum(),
        operations: steps.iter().map(|step| step.operations as f64).sum(),
    };
    done.quantity(wanted).filter(|value| value.is_finite() && *value > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_model::Nanos;

    #[test]
    fn steps_are_added_up_with_their_syncs_where_that_is_asked_for() {
        let step = |synced| Step {
            name: "create".to_owned(),
            operations: 10,
            bytes: 1 << 20,
            elapsed: Nanos::millis(500),
            synced,
            written: None,
        };
        let (one, two) = (step(Some(Nanos::millis(1000))), step(None));
        let of = |with_sync, wanted| of_steps(&[&one, &two], with_sync, wanted);
        assert_eq!(of(false, Quantity::Seconds), Some(1.0));
        assert_eq!(of(true, Quantity::Milliseconds), Some(2000.0));
        assert_eq!(of(true, Quantity::MegabytesPerSecond), Some(1.0));
        assert_eq!(of(false, Quantity::DecimalMegabytesPerSecond), Some(2.097152));
        assert_eq!(of(false, Quantity::OperationsPerSecond), Some(20.0));
        assert_eq!(of(false, Quantity::Processor), None);
    }
}
