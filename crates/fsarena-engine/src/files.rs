//! The engine `files`: work on many small files and on their directories.

mod durability;
mod job;
mod names;
mod operations;
mod parameters;
mod sizes;
mod tree;
mod walk;
mod worker;

use std::path::Path;

use fsarena_model::{CacheState, Rate, Traits, Workload};

use crate::variants;
use crate::{Engine, EngineError, Job};
use operations::OperationEntry;
use parameters::{FilesParameters, FilesPlan};

pub const ENGINE: Engine =
    Engine { paced: Some(paced), with_cache: Some(with_cache), ..Engine::new("files", traits, open) };

fn parsed(workload: &Workload) -> Result<(FilesParameters, &'static OperationEntry), EngineError> {
    let parameters = crate::parameters::<FilesParameters>(workload)?;
    let unknown = format!("`{}` is no `operation` of the engine `files`", parameters.operation.name());
    let entry = operations::find(parameters.operation);
    let entry = entry.ok_or_else(|| EngineError::parameters(&workload.name, unknown))?;
    parameters.check(workload, entry)?;
    Ok((parameters, entry))
}

fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    let (parameters, kind) = parsed(workload)?;
    Ok(Traits {
        peak: parameters.demand(workload, kind.ground),
        least_files: parameters.least_files(workload, kind.ground),
        files: parameters.layout(workload, kind),
        ..Traits::default()
    })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let (parameters, kind) = parsed(workload)?;
    let (workload, directory) = (workload.clone(), directory.to_owned());
    let shape = parameters.shape(&workload, kind.ground);
    Ok((kind.open)(FilesPlan { kind, workload, parameters, directory, seed, shape }))
}

fn paced(workload: &Workload, rate: Rate) -> Result<Workload, EngineError> {
    let variant = variants::paced(workload, rate)?;
    parsed(&variant).map(|_| variant)
}

/// A tree is cold only once: the first access to a file brings the inodes of its neighbours into memory.
fn with_cache(workload: &Workload, cache: CacheState) -> Result<Workload, EngineError> {
    let (_, entry) = parsed(workload)?;
    if !entry.only_reads() {
        return Err(variants::one_cache(workload, variants::NO_READS));
    }
    let variant = variants::cached(workload, cache, Some(("once", cache == CacheState::Cold)))?;
    parsed(&variant).map(|_| variant)
}
