//! The mean ratio of a pair over all workloads, in words.

use fsarena_model::comparison::SuiteRow;
use fsarena_model::{Comparison, Label};

use crate::group::Group;
use crate::number::Ratio;
use crate::remark::listed;

/// Maximum number of workloads that are named as the reason why a mean is missing.
const NAMED: usize = 3;

/// The pairs within a group.
pub fn rows<'a>(comparison: &'a Comparison, group: &Group<'_>) -> Vec<&'a SuiteRow> {
    let is_among = |label: &Label| group.contenders.iter().any(|row| row.label == *label);
    comparison.suite_ratios.iter().filter(|row| is_among(&row.a) && is_among(&row.b)).collect()
}

/// Name of a pair: `ext4 / xfs`.
pub fn name(row: &SuiteRow) -> String {
    format!("{} / {}", row.a, row.b)
}

/// The mean with its interval.
pub fn ratio(row: &SuiteRow) -> Option<Ratio> {
    Some(Ratio { middle: row.ratio?, low: row.low, high: row.high })
}

/// Number of workloads in the mean: `8`, or `7 of 8` if there is no mean.
pub fn workloads(row: &SuiteRow) -> String {
    match row.ratio {
        Some(_) => row.workloads.to_string(),
        None => format!("{} of {}", (row.workloads as usize).saturating_sub(row.left_out.len()), row.workloads),
    }
}

/// Why a pair has no mean; `None` if it has one.
pub fn missing(row: &SuiteRow) -> Option<String> {
    let mut named: Vec<String> = row.left_out.iter().take(NAMED).cloned().collect();
    let more = row.left_out.len() - named.len();
    named.extend((more > 0).then(|| format!("{more} more")));
    (!named.is_empty()).then(|| format!("no mean over the suite without a valid estimate of {}", listed(&named)))
}
