//! Groups of workloads: those of the suite, or else workloads that ask the same of a file system.

use fsarena_model::comparison::{Cell, WorkloadRow};
use fsarena_model::{CacheState, Comparison, DurablePoint, grouped};

/// Workloads that belong together.
#[derive(Debug)]
pub struct WorkGroup<'a> {
    /// What they have in common: `Made durable`.
    pub title: String,
    pub workloads: Vec<&'a WorkloadRow>,
}

/// All groups, in the order of their first workloads.
pub fn works(comparison: &Comparison) -> Vec<WorkGroup<'_>> {
    let works = grouped(comparison.workloads.iter().map(|workload| (title(workload), workload)));
    works.into_iter().map(|(title, workloads)| WorkGroup { title, workloads }).collect()
}

/// The cells of a workload, by contender.
pub fn cells<'a>(comparison: &'a Comparison, workload: &WorkloadRow) -> Vec<&'a Cell> {
    comparison.contenders.iter().filter_map(|row| comparison.cell(&workload.name, &row.label)).collect()
}

fn title(workload: &WorkloadRow) -> String {
    let own = match (workload.durable, workload.cache) {
        (DurablePoint::None, CacheState::Warm) => "In the page cache",
        (DurablePoint::None, CacheState::Cold) => "With a cold cache",
        (DurablePoint::None, CacheState::Direct) => "Direct I/O",
        _ => "Made durable",
    };
    workload.group.as_ref().map_or(own.to_owned(), |group| group.to_string())
}
