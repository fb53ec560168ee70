//! Ratios over all workloads, for the page.

use fsarena_model::Comparison;
use fsarena_model::comparison::SuiteRow;
use serde::Serialize;

use crate::group::groups;
use crate::pair;

/// A pair over all workloads.
#[derive(Serialize)]
pub struct SuiteLine {
    name: String,
    ratio: String,
    interval: String,
    workloads: String,
    missing: Option<String>,
}

/// The pairs of all groups, one group after the other.
pub fn lines(comparison: &Comparison) -> Vec<SuiteLine> {
    let line = |row: &SuiteRow| SuiteLine {
        name: pair::suite_name(row),
        ratio: pair::times(pair::suite_ratio(row)),
        interval: pair::interval(pair::suite_ratio(row)),
        workloads: pair::suite_workloads(row),
        missing: pair::suite_missing(row),
    };
    groups(comparison).iter().flat_map(|group| pair::suite_rows(comparison, group)).map(line).collect()
}
