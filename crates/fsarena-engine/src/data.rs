//! The engine `data`: work on the data of large files. Workers read, write, do both, or deallocate space, in order or
//! at random, with ordinary system calls, io_uring or mapped memory.

mod files;
mod ground;
mod job;
mod parameters;
mod places;
mod plain;
mod ring;
mod worker;

use std::path::Path;

use fsarena_model::{Bytes, CacheState, Rate, Traits, Workload};

use crate::variants;
use crate::{Engine, EngineError, Job, Operation};
use ground::DataGround;
use parameters::{DataParameters, Distribution, Pattern, Work};

/// Why a workload with a final sync only cannot be an open loop. The sync keeps it below its rate but belongs to no
/// operation, so no latency would show the delay.
const END_ONLY: &str = "it cannot keep a rate, for its only sync comes after the last operation; \
                        `sync-every` has some between";

pub const ENGINE: Engine = Engine {
    paced: Some(paced),
    with_cache: Some(with_cache),
    on_device: Some(open_on_device),
    ..Engine::new("data", traits, open)
};

fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    Ok(DataParameters::of(workload)?.traits(workload))
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let ground = DataGround::Folder(directory.to_owned());
    Ok(Box::new(job::DataJob::new(workload, DataParameters::of(workload)?, ground, seed)))
}

fn paced(workload: &Workload, rate: Rate) -> Result<Workload, EngineError> {
    let variant = variants::paced(workload, rate)?;
    let parameters = DataParameters::of(&variant)?;
    match Operation::sync_of(variant.durable).is_some() && parameters.sync_every == 0 {
        true => Err(EngineError::parameters(&workload.name, END_ONLY)),
        false => Ok(variant),
    }
}

/// A sequential read is cold only once: a second pass finds the data in memory. Random reads visit few of many
/// places.
fn with_cache(workload: &Workload, cache: CacheState) -> Result<Workload, EngineError> {
    let parameters = DataParameters::of(workload)?;
    if parameters.operation != Work::Read {
        return Err(variants::one_cache(workload, variants::NO_READS));
    }
    let is_cold = cache == CacheState::Cold;
    if is_cold && parameters.distribution == Distribution::Zipf {
        return Err(variants::one_cache(workload, variants::AGAIN));
    }
    let repeats = !is_cold && parameters.operations.is_none();
    let once = (parameters.pattern == Pattern::Sequential).then_some(("repeat", repeats));
    let variant = variants::cached(workload, cache, once)?;
    DataParameters::of(&variant).map(|_| variant)
}

fn open_on_device(
    workload: &Workload,
    device: &Path,
    size: Bytes,
    seed: u64,
) -> Result<Option<Box<dyn Job>>, EngineError> {
    let parameters = DataParameters::of(workload)?;
    let Some(there) = ground::on_device(workload, &parameters, size) else { return Ok(None) };
    let ground = DataGround::Device { path: device.to_owned(), size: size.0 };
    Ok(Some(Box::new(job::DataJob::new(&there, parameters, ground, seed))))
}
