//! The time that further rounds would take to decide a pair.

use fsarena_model::event::RoundFacts;

use crate::analysis::{Analysis, WorkloadTrials};

/// Estimated seconds for `rounds` further rounds of the workload; `None` if no finished round contains it.
///
/// The estimate uses the last round in which the workload ran, and divides that round's duration, with making and
/// checking the contenders, equally among its workloads. When further workloads are decided, rounds become shorter, and
/// the share of each remaining workload becomes larger.
pub fn seconds(analysis: &Analysis<'_>, workload: &WorkloadTrials<'_>, rounds: u32) -> Option<f64> {
    let ran = |own: &WorkloadTrials<'_>, facts: &RoundFacts| own.all.iter().any(|trial| trial.round == facts.round);
    let last = analysis.record.rounds.iter().rev().find(|facts| ran(workload, facts))?;
    let count = analysis.workloads.iter().filter(|own| ran(own, last)).count();
    Some(last.seconds / count as f64 * f64::from(rounds))
}
