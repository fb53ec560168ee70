//! Tests of explanations: an option that avoids work saves the time that this work takes in traced slices.

use fsarena_model::explanation::TestedKnob;
use fsarena_model::{AvoidableTime, Label, Trace, Trial};
use fsarena_stats::LogEstimate;

use crate::analysis::Analysis;
use crate::explanation::trace;

/// What each option that is among the contenders saves, predicted and measured, by workload.
pub(crate) fn tested(analysis: &Analysis<'_>) -> Vec<TestedKnob> {
    let plan = &analysis.record.plan;
    if !plan.measuring.explained {
        return Vec::new();
    }
    let pairs = plan.contenders.iter().flat_map(|with| plan.contenders.iter().map(move |without| (with, without)));
    let labels: Vec<(&Label, &Label)> = pairs.map(|(with, without)| (&with.label, &without.label)).collect();
    let of_workload = |workload: &fsarena_model::Workload| {
        let tested = |(with, without): &(&Label, &Label)| of_pair(analysis, &workload.name, with, without);
        labels.iter().filter_map(tested).collect::<Vec<_>>()
    };
    plan.workloads.iter().flat_map(of_workload).collect()
}

/// `None` if the second contender is not the first without some of its work.
fn of_pair(analysis: &Analysis<'_>, workload: &str, with: &Label, without: &Label) -> Option<TestedKnob> {
    let trials = analysis.counted_trials(workload, with);
    let traces: Vec<(&Trace, &AvoidableTime)> = trials
        .iter()
        .filter_map(|trial| trace(trial))
        .filter_map(|trace| {
            let is_it = |it: &&AvoidableTime| *it.with == *with.0 && *it.without == *without.0;
            Some((trace, trace.avoidable.iter().find(is_it)?))
        })
        .collect();
    let (all, avoided) =
        traces.iter().fold((0.0, 0.0), |(all, sum), (trace, it)| (all + trace.seconds, sum + it.seconds));
    let others = analysis.counted_trials(workload, without);
    let ratio = |trial: &&Trial| {
        let other = others.iter().find(|other| other.round == trial.round)?;
        Some((other.seconds_per_operation() / trial.seconds_per_operation()).ln()).filter(|ratio| ratio.is_finite())
    };
    let ratios: Vec<f64> = trials.iter().filter_map(ratio).collect();
    let mean = LogEstimate::mean_of(&ratios).filter(|_| all > 0.0)?;
    let interval = Some(mean.interval(0.025)).filter(|it| it.low.is_finite());
    let saved = |logarithm: f64| 1.0 - logarithm.exp();
    Some(TestedKnob {
        workload: workload.to_owned(),
        with: with.clone(),
        without: without.clone(),
        rounds: ratios.len() as u32,
        predicted: avoided / all,
        measured: saved(mean.estimate),
        low: interval.map(|it| saved(it.high)),
        high: interval.map(|it| saved(it.low)),
    })
}
