//! Names of places within a page, to which links lead.

use fsarena_model::comparison::PairVerdict;
use fsarena_model::{Comparison, Label};

use crate::group::index_of;

/// A workload's part: `workload-3`.
pub fn workload(comparison: &Comparison, name: &str) -> String {
    let index = comparison.workloads.iter().position(|row| row.name == name).unwrap_or_default();
    format!("workload-{}", index + 1)
}

/// The row of a contender in a workload's part: `workload-3-2`.
pub fn contender(comparison: &Comparison, name: &str, label: &Label) -> String {
    format!("{}-{}", workload(comparison, name), number(comparison, label))
}

/// The row of a pair in a workload's part: `workload-3-1-2`.
pub fn pair(comparison: &Comparison, pair: &PairVerdict) -> String {
    format!("{}-{}", contender(comparison, &pair.workload, &pair.a), number(comparison, &pair.b))
}

/// The position of a contender on the command line, from 1 on.
fn number(comparison: &Comparison, label: &Label) -> usize {
    index_of(comparison, label) + 1
}
