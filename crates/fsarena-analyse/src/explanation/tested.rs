//! Tests of the explanations: an option that avoids work saves the time that this work takes in traced slices.

use fsarena_model::explanation::TestedKnob;
use fsarena_model::{AvoidableTime, Label, Trace, Trial, Workload};
use fsarena_stats::LogEstimate;

use super::recording::{self, EventCost};
use super::trace;
use crate::analysis::Analysis;
use crate::verdicts::LEAST;

/// What each option that is among the contenders saves, predicted and measured, by workload.
pub(crate) fn tested_knobs(analysis: &Analysis<'_>, cost: Option<EventCost>) -> Vec<TestedKnob> {
    let plan = &analysis.record.plan;
    if !plan.measuring.explained {
        return Vec::new();
    }
    let pairs = plan.contenders.iter().flat_map(|with| plan.contenders.iter().map(move |without| (with, without)));
    let labels: Vec<[&Label; 2]> = pairs.map(|(with, without)| [&with.label, &without.label]).collect();
    let event_seconds = cost.unwrap_or_default().seconds;
    let of_workload = |workload: &Workload| {
        let tested = |pair: &[&Label; 2]| tested_knob(analysis, &workload.name, *pair, event_seconds);
        labels.iter().filter_map(tested).collect::<Vec<_>>()
    };
    // At a given rate, no option saves time.
    plan.workloads.iter().filter(|workload| !workload.is_open_loop()).flat_map(of_workload).collect()
}

/// `None` if the second contender is not the first without some of its work.
fn tested_knob(
    analysis: &Analysis<'_>,
    workload: &str,
    [with, without]: [&Label; 2],
    event_seconds: f64,
) -> Option<TestedKnob> {
    let trials = analysis.counted_trials(workload, with);
    let traces: Vec<(&Trace, &AvoidableTime)> = trials
        .iter()
        .filter_map(|trial| trace(trial))
        .filter_map(|trace| {
            let is_it = |it: &&AvoidableTime| *it.with == *with.0 && *it.without == *without.0;
            Some((trace, trace.avoidable.iter().find(is_it)?))
        })
        .collect();
    let parts = traces.iter().flat_map(|(trace, _)| &trace.parts);
    let all: f64 = parts.map(|part| recording::without(part.seconds, part.events, event_seconds)).sum();
    let avoided: f64 = traces.iter().map(|(_, it)| recording::without(it.seconds, it.events, event_seconds)).sum();
    let others = analysis.counted_trials(workload, without);
    let ratio = |trial: &&Trial| {
        let other = others.iter().find(|other| other.round == trial.round)?;
        Some((other.seconds_per_operation() / trial.seconds_per_operation()).ln()).filter(|ratio| ratio.is_finite())
    };
    let ratios: Vec<f64> = trials.iter().filter_map(ratio).collect();
    let mean = LogEstimate::mean_of(&ratios).filter(|_| all > 0.0)?;
    let rounds = ratios.len() as u32;
    let interval = Some(mean.pointwise()).filter(|_| rounds >= LEAST);
    let saved = |logarithm: f64| 1.0 - logarithm.exp();
    Some(TestedKnob {
        workload: workload.to_owned(),
        with: with.clone(),
        without: without.clone(),
        rounds,
        predicted: avoided / all,
        measured: saved(mean.estimate),
        low: interval.map(|it| saved(it.high)),
        high: interval.map(|it| saved(it.low)),
    })
}
