//! The engine `sequence`: named steps one after the other, each timed. The kernel does them, or a library that is a
//! file system itself. Afterwards the contents are compared with the expected state.

mod compare;
mod contents;
mod job;
mod parameters;
mod perform;
mod state;
mod task;

use std::path::Path;

use fsarena_library::{Kernel, Library, Preview, Rsext4};
use fsarena_model::{Bytes, Nanos, Traits, Workload};

use crate::{Engine, EngineError, Job};
use job::SequenceJob;
use parameters::{Parameters, Sync};
use task::Tasks;

/// The engine `sequence`.
pub struct Sequence;

impl Engine for Sequence {
    fn name(&self) -> &'static str {
        "sequence"
    }

    /// The time of the steps is not known before: small steps take about two seconds in total. A file system in memory
    /// has no cold files.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        const PER_SECOND: f64 = 400e6;
        let tasks = tasks(workload, 0)?;
        Ok(Traits {
            peak: Bytes(tasks.demand),
            extra_time: Nanos::seconds(2).max(Nanos((tasks.moved as f64 / PER_SECOND * 1e9) as u64)),
            runs_in_memory: Parameters::of(workload)?.steps.iter().all(|step| !step.cold),
            ..Traits::default()
        })
    }

    fn require_library(&self, workload: &Workload, library: Library) -> Result<(), EngineError> {
        let tasks = tasks(workload, 0)?;
        if tasks.all.iter().any(|task| task.sync == Sync::Each) {
            return Err(EngineError::no_library(workload, library));
        }
        let files = tasks.most_files;
        match library.most_files().filter(|most| files > *most) {
            None => Ok(()),
            Some(most) => {
                let (workload, library) = (workload.name.to_string(), library.name());
                Err(EngineError::TooManyFiles { workload, files, library, most })
            }
        }
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
        self.require_library(workload, library)?;
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
