//! How much of a workload's time a file system can change: what the slowest contender needs beyond the same work in
//! memory.

use fsarena_model::{BaselineKind, Estimate, Measure, RunRecord, Trial, Workload};
use fsarena_stats::LogEstimate;

use crate::analysis::{Analysis, WorkloadTrials};
use crate::evidence::ratio;
use crate::per_operation::seconds;

/// Largest difference that is at stake where the programs, and not the file system, take the time.
const SMALL: f64 = 0.1;

/// How many times as long the slowest contender takes as the same work in memory, with the pointwise 95 % interval over
/// the rounds that have both. `None` without a baseline in memory, and for figures that a program prints, which need
/// not be its time.
pub(crate) fn at_stake(own: &WorkloadTrials<'_>) -> Option<Estimate> {
    if own.workload.metric.measure == Measure::Printed {
        return None;
    }
    // Also of a busy machine: each round compares both under the same load.
    let in_memory: Vec<&Trial> = own.all_baselines(BaselineKind::Memory).collect();
    let logs = |contender: usize| -> Vec<f64> {
        let counted = own.counted(contender).into_iter();
        let same_round = |trial: &Trial| in_memory.iter().find(|other| other.round == trial.round).copied();
        counted.filter_map(|trial| Some((seconds([trial])? / seconds([same_round(trial)?])?).ln())).collect()
    };
    let all = (0..own.by_contender.len()).map(logs);
    let means = all.filter_map(|logs| Some((LogEstimate::mean_of(&logs)?, logs.len())));
    let (mean, rounds) = means.max_by(|(one, _), (other, _)| one.estimate.total_cmp(&other.estimate))?;
    Some(ratio(Some(mean.estimate), (rounds > 1).then(|| mean.pointwise())))
}

/// The largest difference between contenders, as far as the 95 % interval of what is at stake shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// All are equal within the margin, because none can be faster than the work in memory.
    Equal,
    /// It is so small that further rounds are not worth their time.
    Small,
    /// It may be large, or is not known.
    Large,
}

/// The bound of a workload's differences.
pub(crate) fn bound(analysis: &Analysis<'_>, own: &WorkloadTrials<'_>) -> Bound {
    let margin = analysis.record.plan.margin.0;
    match at_stake(own).and_then(|stake| stake.high).map(|high| high - 1.0) {
        Some(most) if most <= margin => Bound::Equal,
        Some(most) if most <= SMALL => Bound::Small,
        _ => Bound::Large,
    }
}

/// Whether further measurements in memory may show that little is at stake, or that all contenders are equal.
pub fn may_be_small(record: &RunRecord, workload: &Workload) -> bool {
    let analysis = Analysis::new(record);
    let Some(own) = analysis.workload(&workload.name) else { return false };
    let low = at_stake(own).and_then(|stake| stake.low);
    low.is_some_and(|low| low - 1.0 <= SMALL) && bound(&analysis, own) != Bound::Equal
}
