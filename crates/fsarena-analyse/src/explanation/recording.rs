//! What recording takes.

use fsarena_model::Trial;
use fsarena_stats::LogEstimate;

use super::{ratio_of_sums, trace};
use crate::analysis::Analysis;

/// What recording an event can take, in seconds, on processors of these years.
const PLAUSIBLE: (f64, f64) = (0.1e-6, 1.0e-6);

/// What recording an event takes, in seconds, with its 95 % interval.
#[derive(Debug, Clone, Copy, Default)]
pub struct EventCost {
    pub seconds: f64,
    pub low: f64,
    pub high: f64,
}

impl EventCost {
    /// The mean over the rounds of all contenders and workloads of the time that traced slices take more than others,
    /// for each event in them. The noise of a time grows with it, so each counts by the square of its events per second.
    /// At a given rate, none takes more. If none of the interval is plausible, it is all that is. `None` without events.
    pub fn of(analysis: &Analysis<'_>) -> Option<Self> {
        let plan = Some(&analysis.record.plan).filter(|plan| plan.measuring.explained)?;
        let workloads = plan.workloads.iter().filter(|workload| !workload.is_open_loop());
        let cells = workloads.flat_map(|workload| plan.contenders.iter().map(move |own| (&workload.name, &own.label)));
        let trials = cells.flat_map(|(workload, contender)| analysis.counted_trials(workload, contender));
        let weighted = |trial: &Trial| {
            let trace = trace(trial)?;
            let (events, elapsed) =
                (trace.parts.iter().map(|part| part.events).sum::<f64>(), trace.elapsed.as_seconds());
            let more = elapsed - trial.seconds_per_operation() * trace.operations as f64;
            let (more, weight) = (events * more / elapsed.powi(2), (events / elapsed).powi(2));
            (more.is_finite() && weight > 0.0).then_some((more, weight))
        };
        let rounds: Vec<(f64, f64)> = trials.filter_map(weighted).collect();
        let (measured, deviations) = ratio_of_sums(&rounds);
        let interval = LogEstimate::mean_of(&deviations)?.pointwise();
        let (least, most) = PLAUSIBLE;
        let ends = [interval.low, interval.high].map(|end| measured + end);
        let is_known = ends.iter().all(|end| end.is_finite());
        let can_be = ends[0] <= most && least <= ends[1];
        let [low, high] = if is_known && can_be { ends.map(|end| end.clamp(least, most)) } else { [least, most] };
        Some(Self { seconds: measured.clamp(least, most), low, high })
    }
}

/// What the recording of these events takes of `seconds`.
pub fn taken(seconds: f64, events: f64, event_seconds: f64) -> f64 {
    seconds.min(events * event_seconds)
}

/// What is left of `seconds` without the recording of these events.
pub fn without(seconds: f64, events: f64, event_seconds: f64) -> f64 {
    seconds - taken(seconds, events, event_seconds)
}
