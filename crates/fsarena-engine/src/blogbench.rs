//! The engine `blogbench`: a native implementation of BlogBench 1.1. Some threads write, change and comment on the
//! blogs of a site while many threads read them.
//!
//! All threads, sizes, names and choices are those of the original, with three exceptions. Each thread has its own
//! random generator; the threads of the original queue for rand(3). The number of blogs has a limit; the original
//! writes until its time is over, however large the disk is. An error other than a missing file (ENOENT) fails the
//! trial; the original waits for a second and continues.

mod job;
mod parameters;
mod site;
#[cfg(test)]
mod tests;
mod visitor;

use fsarena_model::{Bytes, Nanos, Traits, Workload};
use std::path::Path;

use crate::{Engine, EngineError, Job};
use job::Blogging;
use parameters::Parameters;

/// The engine `blogbench`.
pub struct Blogbench;

impl Engine for Blogbench {
    fn name(&self) -> &'static str {
        "blogbench"
    }

    /// The space of all blogs in whole blocks, with as many articles, pictures and comments as possible: 6.6 MB per
    /// blog in the mean. A single blog takes up to 11 MB if all its files have their maximum size. The sum of many
    /// blogs is near its mean: its standard deviation is 0.2 MB times the square root of their number. Five standard
    /// deviations are added.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        const MEAN: u64 = 6_600_000;
        const SPREAD: u64 = 1_000_000;
        let Parameters { most_blogs: blogs, seconds, .. } = Parameters::of(workload)?;
        let beyond = blogs.isqrt().saturating_add(1).saturating_mul(SPREAD);
        let peak = Bytes(blogs.saturating_mul(MEAN).saturating_add(beyond));
        Ok(Traits { peak, extra_time: Nanos::seconds(seconds), ..Traits::default() })
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        Ok(Box::new(Blogging::new(workload, Parameters::of(workload)?, directory, seed)))
    }
}
