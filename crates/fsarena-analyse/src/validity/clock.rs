//! Programs that count their time in coarse steps.

use fsarena_model::validity::bounds::CLOCK_SHARE;
use fsarena_model::{Finding, Measure, Outcome, Trial, Workload};

use super::Evidence;

/// A step of the program's clock is a large part of the measured time.
pub fn few_steps(evidence: &Evidence<'_>) -> Option<Finding> {
    let step = evidence.workload.traits.clock_step?;
    let share = fsarena_stats::median(shares(evidence.workload, evidence.finished.iter().copied()))?;
    (share > CLOCK_SHARE).then_some(Finding::FewSteps { step, share })
}

/// How far the logarithm of a cell's figure may be off, since the program's clock counts in steps: infinite if the time
/// may have been no step at all.
pub fn uncertainty<'a>(workload: &Workload, trials: impl IntoIterator<Item = &'a Trial>) -> f64 {
    let logarithms: Vec<f64> = shares(workload, trials).into_iter().map(|share| -(1.0 - share).ln()).collect();
    logarithms.iter().sum::<f64>() / logarithms.len().max(1) as f64
}

/// The share of each slice that a step of the program's clock is, at most 1; none if the clock is fine.
fn shares<'a>(workload: &Workload, trials: impl IntoIterator<Item = &'a Trial>) -> Vec<f64> {
    use Measure::{MeanLatencyMicroseconds, P99LatencyMicroseconds, Printed};
    // Programs count latencies, and what they print, more finely.
    let is_of_time = !matches!(workload.metric.measure, MeanLatencyMicroseconds | P99LatencyMicroseconds | Printed);
    let Some(step) = workload.traits.clock_step.filter(|_| is_of_time) else { return Vec::new() };
    let finished = trials.into_iter().filter(|trial| trial.outcome == Outcome::Finished);
    let elapsed = finished.flat_map(|trial| &trial.slices).map(|slice| slice.elapsed);
    elapsed.map(|elapsed| step.as_seconds() / elapsed.max(step).as_seconds()).collect()
}
