//! The engine `files`: work on many small files and on their directories.

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

use fsarena_model::{CacheState, Mode, Rate, Traits, Workload};

use crate::cached;
use crate::{Engine, EngineError, Job, paced};
use parameters::Parameters;
use step::Plan;

/// The engine `files`.
pub struct Files;

impl Engine for Files {
    fn name(&self) -> &'static str {
        "files"
    }

    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        let (parameters, entry) = Parameters::of(workload)?;
        Ok(Traits {
            peak: parameters.demand(workload, entry.ground),
            files: parameters.layout(workload, entry.ground),
            ..Traits::default()
        })
    }

    fn paced(&self, workload: &Workload, rate: Rate) -> Result<Workload, EngineError> {
        let variant = paced::variant(workload, rate)?;
        Parameters::of(&variant)?;
        Ok(variant)
    }

    /// A tree is cold only once: the first access to a file brings the inodes of its neighbours into memory.
    fn with_cache(&self, workload: &Workload, cache: CacheState) -> Result<Workload, EngineError> {
        let (parameters, _) = Parameters::of(workload)?;
        if !parameters.only_reads() {
            return Err(cached::refused(workload));
        }
        let is_cold = cache == CacheState::Cold;
        let layout = if is_cold { cached::Layout::Once } else { cached::Layout::AsItIs };
        let variant = cached::variant(workload, cache, layout, &[("once", is_cold)])?;
        Parameters::of(&variant).map(|_| variant)
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let (parameters, entry) = Parameters::of(workload)?;
        let shape = parameters.shape(workload, entry.ground);
        let plan = Plan {
            parameters,
            durable: workload.durable,
            directory: directory.to_owned(),
            seed,
            shape,
            cache: workload.cache,
            goes_on: workload.mode == Mode::Sliced && workload.timed_ms > 0,
        };
        Ok((entry.open)(plan))
    }
}
