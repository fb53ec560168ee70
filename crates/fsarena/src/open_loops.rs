//! `--rate`: adds to each workload an open loop at each rate.

use anyhow::{Result, bail};
use fsarena_engine::EngineError;
use fsarena_model::{Rate, Workload, repeated};
use fsarena_place::{ENGINES, Refusal};

/// How to handle a workload that cannot keep a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unable {
    /// Refused, because the user named it.
    Refused,
    /// Runs as a closed loop only, because it comes from a suite. Refused if no workload can keep a rate.
    LeftOut,
}

/// `workloads`, each followed by its variants at `rates`.
pub fn expanded(workloads: Vec<Workload>, rates: &[Rate], unable: Unable) -> Result<Vec<Workload>> {
    if let Some(twice) = repeated(rates) {
        bail!(Refusal::wrong_use(format!("the rate `{twice}` is given twice"), "give it once"));
    }
    let mut all = Vec::new();
    let mut refusal = None;
    for workload in workloads {
        let variants = variants(&workload, rates);
        all.push(workload);
        match variants {
            Ok(variants) => all.extend(variants),
            Err(error) if unable == Unable::Refused => return Err(error.into()),
            Err(error) => refusal = refusal.or(Some(error)),
        }
    }
    let is_bare = all.iter().all(|workload| !workload.is_open_loop());
    match refusal {
        Some(error) if is_bare => Err(error.into()),
        _ => Ok(all),
    }
}

fn variants(workload: &Workload, rates: &[Rate]) -> Result<Vec<Workload>, EngineError> {
    let engine = ENGINES.of(workload)?;
    rates.iter().map(|rate| engine.paced(workload, *rate)).collect()
}
