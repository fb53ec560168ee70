//! Variants of workloads: `--cache` selects reads with a cold cache, with a warm cache, or both; `--rate` adds open loops.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use fsarena_engine::EngineError;
use fsarena_model::{CacheState, Rate, Workload, repeated};
use fsarena_place::{ENGINES, Refusal};

use super::PlannedWork;
use crate::cli::Caches;

/// Workloads that keep their cache state, by the reason.
type Left = BTreeMap<&'static str, Vec<String>>;

/// The workloads in `all` with the cache states that `caches` selects. A workload without another state stays
/// unchanged, with a note. Refused if no workload has another state.
pub fn with_caches(caches: Option<Caches>, all: Vec<Workload>) -> Result<PlannedWork> {
    let Some(caches) = caches else { return Ok(PlannedWork { workloads: all, ..PlannedWork::default() }) };
    let (mut workloads, mut left, count) = (Vec::new(), Left::new(), all.len());
    for workload in all {
        match wanted(&workload, caches) {
            Ok(states) => workloads.extend(states),
            Err(EngineError::OneCache { why, .. }) => {
                left.entry(why).or_default().push(format!("`{}`", workload.name));
                workloads.push(workload);
            }
            Err(error) => return Err(error.into()),
        }
    }
    let notes: Vec<String> = left.iter().map(note).collect();
    match left.values().map(Vec::len).sum::<usize>() < count {
        true => Ok(PlannedWork { workloads, notes, ..PlannedWork::default() }),
        false => {
            let hint = "name workloads that read through the page cache: `fsarena list workloads`";
            bail!(Refusal::wrong_use(notes.join("; "), hint))
        }
    }
}

fn note((why, names): (&&str, &Vec<String>)) -> String {
    let each = if names.len() == 1 { "" } else { "each: " };
    format!("--cache does nothing to {}: {each}{why}", names.join(", "))
}

/// The workload with one cache state, or with both.
fn wanted(workload: &Workload, caches: Caches) -> Result<Vec<Workload>, EngineError> {
    let engine = ENGINES.of(workload)?;
    let other = |cache| engine.with_cache(workload, cache);
    let only = |cache| if workload.cache == cache { Ok(workload.clone()) } else { other(cache) };
    Ok(match caches {
        Caches::Cold => vec![only(CacheState::Cold)?],
        Caches::Warm => vec![only(CacheState::Warm)?],
        Caches::Both if workload.cache == CacheState::Cold => vec![workload.clone(), other(CacheState::Warm)?],
        Caches::Both => vec![workload.clone(), other(CacheState::Cold)?],
    })
}

/// The workloads, each followed by open loops of it at these rates, and why the first that cannot keep a rate has none.
pub fn with_rates(workloads: Vec<Workload>, rates: &[Rate]) -> Result<(Vec<Workload>, Option<EngineError>)> {
    if let Some(twice) = repeated(rates) {
        bail!(Refusal::wrong_use(format!("the rate `{twice}` is given twice"), "give it once"));
    }
    let (mut all, mut unable) = (Vec::new(), None);
    for workload in workloads {
        let loops = ENGINES.of(&workload).and_then(|engine| {
            rates.iter().map(|rate| engine.paced(&workload, *rate)).collect::<Result<Vec<Workload>, EngineError>>()
        });
        all.push(workload);
        match loops {
            Ok(loops) => all.extend(loops),
            Err(error) => unable = unable.or(Some(error)),
        }
    }
    Ok((all, unable))
}
