//! The engine `fio`: runs fio's job files unchanged.

mod duration;
mod facts;
mod file;
mod job;
mod jobs;
mod limits;
mod line;
mod places;
mod program;

use std::path::Path;

use fsarena_model::{CacheState, ErrorCategory, Explained, Nanos, Traits, Workload};
use serde::Deserialize;

use crate::variants::one_cache;
use crate::{Engine, EngineError, Job, Need, Programs};

use file::JobFile;

pub use jobs::{Choice, JobsPlace, from_command, from_file};

/// The engine `fio`.
pub const ENGINE: Engine =
    Engine { programs: Some(programs), with_cache: Some(with_cache), ..Engine::new(program::NAME, traits, open) };

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct FioParameters {
    /// The text of a job file.
    job: String,
}

fn job_file(workload: &Workload) -> Result<JobFile, EngineError> {
    let parameters = crate::parameters::<FioParameters>(workload)?;
    let file = JobFile::parse(&format!("{}: job", workload.name), &parameters.job, &|_| None)?;
    limits::check(&file)?;
    duration::check(&file)?;
    Ok(file)
}

/// fio takes a while to start and to end. A job file gives its own run time. There is no reference in memory: the
/// cost of fio differs from that of the native engine, and its job files may use io_uring.
fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    const AROUND: Nanos = Nanos::millis(350);
    /// `runtime` in its JSON.
    const CLOCK_STEP: Nanos = Nanos::millis(1);
    let file = job_file(workload)?;
    Ok(Traits {
        peak: limits::demand(&file)?,
        direct_block: facts::direct_block(&file),
        extra_time: if workload.timed_ms > 0 { AROUND } else { AROUND + duration::lasts(&file) },
        program: Some(program::NAME.to_owned()),
        clock_step: Some(CLOCK_STEP),
        runs_in_memory: false,
        ..Traits::default()
    })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    Ok(Box::new(job::FioJob::new(workload, job_file(workload)?, directory, seed)?))
}

fn with_cache(workload: &Workload, _cache: CacheState) -> Result<Workload, EngineError> {
    let why = "its job decides whether reads begin in memory (`invalidate=0`) or not (`invalidate=1`)";
    Err(one_cache(workload, why))
}

fn programs(_workload: &Workload) -> Programs {
    Programs { needs: vec![Need::new(program::NAME, program::NAME)], settings: Vec::new() }
}

/// An error of a job file of fio.
#[allow(missing_docs, reason = "the messages say what the fields are")]
#[derive(Debug, thiserror::Error)]
pub enum FioError {
    #[error("read `{file}`: {source}")]
    Read { file: String, source: std::io::Error },
    /// A line of a job file is not allowed, or makes no sense.
    #[error("`{file}`, line {line}: {what}")]
    Line { file: String, line: usize, what: String, hint: String },
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Several(Vec<FioError>),
    /// fio does not accept a job file, with its message.
    #[error("`{file}`: {words}")]
    NotUnderstood { file: String, words: String },
}

impl FioError {
    fn all(mut errors: Vec<Self>) -> Result<(), Self> {
        match errors.len() {
            0 => Ok(()),
            1 => Err(errors.remove(0)),
            _ => Err(Self::Several(errors)),
        }
    }

    pub(crate) fn apart(self) -> Vec<Self> {
        match self {
            Self::Several(errors) => errors,
            one => vec![one],
        }
    }
}

impl Explained for FioError {
    fn category(&self) -> ErrorCategory {
        ErrorCategory::Use
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Several(_) => return None,
            Self::Read { .. } => {
                "a job file, named from the current directory, or a command: --fio 'fio --name=…'".to_owned()
            }
            Self::Line { hint, .. } => hint.clone(),
            Self::NotUnderstood { .. } => "`fio --cmdhelp=all` lists the options that fio knows".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
