//! The engine `blogbench`: BlogBench 1.1, natively: a site of blogs that some write, change and comment on while many read it.
//!
//! All of its threads, sizes, names and choices are those of the original, but for three things: each thread has a generator of its own
//! rather than all of them rand(3), which they queue for; there is a most of blogs, for the original writes as long as its time
//! lasts, however large the disk is; and an error other than that a file is not there (ENOENT) fails the trial, where the original
//! rests for a second and goes on.

mod job;
mod parameters;
mod site;
#[cfg(test)]
mod tests;
mod visitor;

use std::path::Path;

use fsarena_model::{Bytes, Nanos, Workload};

use crate::{Engine, EngineError, Job};
use job::Blogging;
use parameters::Parameters;

/// The engine `blogbench`.
pub struct Blogbench;

impl Engine for Blogbench {
    fn name(&self) -> &'static str {
        "blogbench"
    }

    /// Blogs with as many articles, pictures and comments as there can be, in whole blocks: in the mean 6.6 MB each. A single one may
    /// have 11 MB, if all of its files have their most; the sum of many is near its mean: its standard deviation is 0.2 MB times the
    /// square root of their number, and five of these are added.
    fn demand(&self, workload: &Workload) -> Result<Bytes, EngineError> {
        const MEAN: u64 = 6_600_000;
        const SPREAD: u64 = 1_000_000;
        let blogs = Parameters::of(workload)?.most_blogs;
        Ok(Bytes(blogs.saturating_mul(MEAN).saturating_add(blogs.isqrt().saturating_add(1).saturating_mul(SPREAD))))
    }

    fn adds(&self, workload: &Workload) -> Nanos {
        Parameters::of(workload).map_or(Nanos(0), |parameters| Nanos::seconds(parameters.seconds))
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        Ok(Box::new(Blogging::new(workload, Parameters::of(workload)?, directory, seed)))
    }
}
