//! The engine `fio`: runs the workloads of the engine `data` through the program fio, and runs fio's job files
//! unchanged.

mod choose;
mod error;
pub mod file;
mod forbidden;
#[cfg(test)]
pub(crate) mod fuzz;
mod generate;
mod job;
mod output;
mod program;
mod space;
mod translate;
mod value;

use fsarena_model::{Nanos, Traits, Workload};
use std::path::Path;

use serde::Deserialize;

use crate::data::Parameters;
use crate::{Engine, EngineError, Job, Need};
pub use choose::{Choice, SUFFIX, Way, from_file, instead};
pub use error::FioError;
use file::JobFile;

/// The engine `fio`.
pub struct Fio;

/// The work of a workload.
enum Task {
    /// The work of the engine `data`.
    Generated(Parameters),
    /// An unchanged job file.
    AsItIs(JobFile),
}

/// The parameters of a job file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct AsItIs {
    /// The job file's text.
    job: String,
}

impl Task {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        if workload.parameters.get("job").is_none() {
            let parameters = Parameters::of(workload)?;
            return match generate::lacks(workload, &parameters) {
                None => Ok(Self::Generated(parameters)),
                Some(what) => Err(FioError::Cannot { workload: workload.name.to_string(), what }.into()),
            };
        }
        let said = crate::parameters::<AsItIs>(workload)?;
        let file = JobFile::parse(&format!("{}: job", workload.name), &said.job, &|_| None)?;
        forbidden::check(&file)?;
        Ok(Self::AsItIs(file))
    }
}

impl Engine for Fio {
    fn name(&self) -> &'static str {
        program::NAME
    }

    /// fio takes a while to start and to end. A job file gives its own run time. There is no reference in memory: the
    /// cost of fio differs from that of the native engine, and its job files may use io_uring.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        const AROUND: Nanos = Nanos::millis(350);
        let own = match Task::of(workload)? {
            Task::Generated(parameters) => {
                Traits { peak: job::demand(&parameters), extra_time: AROUND, ..parameters.traits(workload) }
            }
            Task::AsItIs(file) => Traits {
                peak: space::demand(&file)?,
                direct_block: translate::direct_block(&file),
                extra_time: AROUND + translate::lasts(&file),
                ..Traits::default()
            },
        };
        Ok(Traits { program: Some(program::NAME.to_owned()), runs_in_memory: false, files: None, ..own })
    }

    fn require(&self, workload: &Workload) -> Result<(), EngineError> {
        Ok(program::require(&format!("the workload `{}`", workload.name))?)
    }

    fn needs(&self, _workload: &Workload) -> Vec<Need> {
        vec![Need::new("fio", "fio")]
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        Ok(Box::new(job::FioJob::new(workload, Task::of(workload)?, directory, seed)?))
    }
}
