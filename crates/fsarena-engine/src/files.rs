//! Work on many small files, and on the directories that they lie in.

mod attribute;
mod durability;
mod job;
mod names;
mod operations;
mod parameters;
mod shape;
mod sizes;
mod step;
mod tree;
mod walk;
mod worker;

use std::path::Path;

use fsarena_model::{Bytes, Rate, Workload};

use crate::{Engine, EngineError, Job, paced};
use parameters::Parameters;
use step::Plan;

/// The engine `files`.
pub struct Files;

impl Engine for Files {
    fn name(&self) -> &'static str {
        "files"
    }

    fn demand(&self, workload: &Workload) -> Result<Bytes, EngineError> {
        let (parameters, entry) = Parameters::of(workload)?;
        Ok(parameters.demand(workload, entry.ground))
    }

    fn paced(&self, workload: &Workload, rate: Rate) -> Result<Workload, EngineError> {
        let variant = paced::variant(workload, rate)?;
        Parameters::of(&variant)?;
        Ok(variant)
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let (parameters, entry) = Parameters::of(workload)?;
        let shape = parameters.shape(workload, entry.ground);
        let plan = Plan { parameters, durable: workload.durable, directory: directory.to_owned(), seed, shape };
        Ok((entry.open)(plan))
    }
}
