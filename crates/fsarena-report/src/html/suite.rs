//! Ratios over all workloads, for the page.

use fsarena_model::Comparison;
use fsarena_model::comparison::SuiteRow;
use serde::Serialize;

use crate::group::groups;
use crate::{outcome, suite};

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
        name: suite::name(row),
        ratio: outcome::times(suite::ratio(row)),
        interval: outcome::interval(suite::ratio(row)),
        workloads: suite::workloads(row),
        missing: suite::missing(row),
    };
    groups(comparison).iter().flat_map(|group| suite::rows(comparison, group)).map(line).collect()
}
