//! Work on many small files: create, stat, rename, delete, append.

mod append;
mod batches;
mod create;
mod delete;
mod names;
mod rename;
mod stat;

use std::path::Path;

use fsarena_model::{Bytes, CacheState, DurablePoint, Workload};
use serde::Deserialize;

use crate::{Engine, EngineError, Job};

/// The engine `files`.
pub struct Files;

/// What a workload of this engine says.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameters {
    operation: Operation,
    /// Bytes of each file, or of each append.
    #[serde(default)]
    size: usize,
    /// Operations before each look at the clock, and before each syncfs.
    #[serde(default = "one")]
    batch: u32,
    /// Files that are there for operations on existing files.
    #[serde(default)]
    files: u32,
}

fn one() -> u32 {
    1
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Operation {
    Create,
    Stat,
    Rename,
    Delete,
    Append,
}

/// A file of the smallest size still takes a block and an inode.
const FILE_COST: u64 = 8192;
/// The most files that a slice of creates is thought to make.
const CREATES: u64 = 20_000;

impl Engine for Files {
    fn name(&self) -> &'static str {
        "files"
    }

    fn demand(&self, workload: &Workload) -> Result<Bytes, EngineError> {
        let parameters = parameters(workload)?;
        let files = if parameters.operation == Operation::Create { CREATES } else { u64::from(parameters.files) };
        Ok(Bytes(files * (parameters.size as u64).next_multiple_of(4096).max(FILE_COST)))
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let parameters = parameters(workload)?;
        let directory = directory.to_owned();
        let batching = batches::Batching { size: parameters.batch, durable: workload.durable };
        Ok(match parameters.operation {
            Operation::Create => batches::job(create::Create::new(&parameters, seed), directory, batching),
            Operation::Stat => batches::job(stat::Stat::new(&parameters, seed), directory, batching),
            Operation::Rename => batches::job(rename::Rename::new(&parameters, seed), directory, batching),
            Operation::Delete => batches::job(delete::Delete::new(&parameters, seed), directory, batching),
            Operation::Append => batches::job(append::Append::new(&parameters, seed), directory, batching),
        })
    }
}

fn parameters(workload: &Workload) -> Result<Parameters, EngineError> {
    let refuse = |what: &str| Err(EngineError::parameters(&workload.name, what));
    let parameters = serde_json::from_value::<Parameters>(workload.parameters.clone());
    let parameters = parameters.map_err(|error| EngineError::parameters(&workload.name, error))?;
    let needs_files = matches!(parameters.operation, Operation::Stat | Operation::Rename | Operation::Delete);
    let may_fsync = matches!(parameters.operation, Operation::Create | Operation::Append);
    match () {
        () if parameters.batch == 0 => refuse("`batch` is at least 1"),
        () if workload.cache != CacheState::Warm => refuse("this engine works with `cache = \"warm\"` only"),
        () if needs_files && parameters.files == 0 => refuse("`files` is missing"),
        () if !needs_files && parameters.files > 0 => refuse("`files` is for operations on files that are there"),
        () if parameters.operation != Operation::Delete && workload.timed_ms == 0 => {
            refuse("`timed-ms` is missing: only deletes come to an end by themselves")
        }
        () if parameters.size > 1 << 20 => refuse("`size` is at most 1 MiB"),
        () if parameters.operation == Operation::Append && parameters.size == 0 => refuse("`size` is missing"),
        () if workload.durable == DurablePoint::Fsync && !may_fsync => refuse("only create and append can fsync each"),
        () => Ok(parameters),
    }
}
