//! `--cache`: reads with their data on the device only, in memory, or one beside the other.

use anyhow::Result;
use fsarena_engine::{EngineError, engine_of};
use fsarena_model::{CacheState, Workload};

use super::{Choices, Said};
use crate::cli::Caches;

/// `all` as `caches` wants them. What has no other state stays as it is, which is said; where nothing has one, that is refused.
pub fn with(caches: Option<Caches>, all: Vec<Said>) -> Result<Choices> {
    let Some(caches) = caches else { return Ok(Choices { said: all, notes: Vec::new() }) };
    let (mut said, mut left, mut refusal) = (Vec::new(), Vec::new(), None);
    for (workload, note) in all {
        match wanted(&workload, caches) {
            Ok(first) => said.extend(first.into_iter().zip([note, None])),
            Err(error) if left_out(&error) => {
                left.push(format!("`{}`", workload.name));
                refusal = Some(error);
                said.push((workload, note));
            }
            Err(error) => return Err(error.into()),
        }
    }
    match refusal {
        Some(error) if left.len() == said.len() => Err(error.into()),
        Some(_) => Ok(Choices { said, notes: vec![note(&left)] }),
        None => Ok(Choices { said, notes: Vec::new() }),
    }
}

/// The workload in one state, or in both.
fn wanted(workload: &Workload, caches: Caches) -> Result<Vec<Workload>, EngineError> {
    let engine = engine_of(workload)?;
    let other = |cache| engine.with_cache(workload, cache);
    let only = |cache| if workload.cache == cache { Ok(workload.clone()) } else { other(cache) };
    Ok(match caches {
        Caches::Cold => vec![only(CacheState::Cold)?],
        Caches::Warm => vec![only(CacheState::Warm)?],
        Caches::Both if workload.cache == CacheState::Cold => vec![workload.clone(), other(CacheState::Warm)?],
        Caches::Both => vec![workload.clone(), other(CacheState::Cold)?],
    })
}

fn left_out(error: &EngineError) -> bool {
    matches!(error, EngineError::OneCache { .. })
}

fn note(left: &[String]) -> String {
    let reads = if left.len() == 1 { "it reads" } else { "they read" };
    format!("--cache does nothing to {}: {reads} no files that are there through the page cache", left.join(", "))
}
