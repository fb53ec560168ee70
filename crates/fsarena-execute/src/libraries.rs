//! Contenders that are libraries: which workloads they support, and the warnings about them.

use fsarena_engine::{EngineError, Engines};
use fsarena_lane::kind::{Ground, kind};
use fsarena_model::plan::LeftOut;
use fsarena_model::{Contender, Plan, Workload};

/// The name of the library that implements a contender; `None` for a file system of the kernel.
pub fn library_of(contender: &Contender) -> Option<&'static str> {
    kind(&contender.kind).filter(|kind| kind.ground == Ground::Library).map(|kind| kind.name)
}

/// Refuses a plan in which a library takes part in a workload that it does not support.
///
/// # Errors
/// The first unsupported combination.
pub fn require_libraries(engines: Engines, plan: &Plan) -> Result<(), EngineError> {
    plan.contenders.iter().try_for_each(|contender| {
        let Some(library) = library_of(contender) else { return Ok(()) };
        let mut workloads = plan.workloads.iter().filter(|one| plan.takes_part(&contender.label, &one.name));
        workloads.try_for_each(|workload| engines.of(workload)?.require_library(workload, library))
    })
}

/// The combinations of these contenders and workloads that a library does not support.
pub fn left_out(engines: Engines, contenders: &[Contender], workloads: &[Workload]) -> Vec<LeftOut> {
    let of = |contender: &Contender| {
        let cannot = |workload: &&Workload| {
            let engine = engines.of(workload).ok().zip(library_of(contender));
            engine.is_some_and(|(engine, library)| engine.require_library(workload, library).is_err())
        };
        let out = |workload: &Workload| LeftOut { label: contender.label.clone(), workload: workload.name.to_string() };
        workloads.iter().filter(cannot).map(out).collect::<Vec<_>>()
    };
    contenders.iter().flat_map(of).collect()
}

/// Warnings that readers need before they read a contender's figures.
pub fn cautions(plan: &Plan) -> impl Iterator<Item = String> {
    plan.contenders.iter().filter_map(|contender| {
        let caution = kind(&contender.kind)?.caution?;
        Some(format!("`{}`: {caution}", contender.label))
    })
}
