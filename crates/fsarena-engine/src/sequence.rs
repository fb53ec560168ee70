//! The engine `sequence`: named steps one after the other, each timed, done by the kernel or by a library that is a file system of
//! its own. Afterwards everything that must be there is compared.

mod compare;
mod contents;
mod job;
mod parameters;
mod perform;
mod state;
mod task;

use std::path::Path;

use fsarena_library::{Kernel, Library, Preview, Rsext4};
use fsarena_model::{Bytes, Nanos, Workload};

use crate::{Engine, EngineError, Job};
use job::SequenceJob;
use parameters::Parameters;
use task::Tasks;

/// The engine `sequence`.
pub struct Sequence;

impl Engine for Sequence {
    fn name(&self) -> &'static str {
        "sequence"
    }

    fn demand(&self, workload: &Workload) -> Result<Bytes, EngineError> {
        Ok(Bytes(tasks(workload, 0)?.demand))
    }

    /// How long the steps take is not known before: those of the catalogue take about two seconds.
    fn adds(&self, _workload: &Workload) -> Nanos {
        Nanos::seconds(2)
    }

    fn require_library(&self, _workload: &Workload, _library: Library) -> Result<(), EngineError> {
        Ok(())
    }

    /// A file system in memory has nothing that is cold.
    fn has_floor_in_memory(&self, workload: &Workload) -> bool {
        Parameters::of(workload).is_ok_and(|parameters| parameters.steps.iter().all(|step| !step.cold))
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let tasks = tasks(workload, seed)?;
        Ok(Box::new(SequenceJob::<Kernel>::new(tasks, directory, "", seed)))
    }

    fn open_in_library(
        &self,
        workload: &Workload,
        library: Library,
        device: &Path,
        seed: u64,
    ) -> Result<Box<dyn Job>, EngineError> {
        let (tasks, name) = (tasks(workload, seed)?, &workload.name);
        Ok(match library {
            Library::Rsext4 => Box::new(SequenceJob::<Rsext4>::new(tasks, device, name, seed)),
            Library::Rsext4Preview => Box::new(SequenceJob::<Preview>::new(tasks, device, name, seed)),
        })
    }
}

fn tasks(workload: &Workload, seed: u64) -> Result<Tasks, EngineError> {
    let parameters = Parameters::of(workload)?;
    Tasks::of(&parameters, seed).map_err(|what| EngineError::parameters(&workload.name, what))
}
