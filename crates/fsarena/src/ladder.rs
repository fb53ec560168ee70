//! `--rate`: each workload as it is, and once more at each rate as an open loop.

use anyhow::Result;
use fsarena_engine::EngineError;
use fsarena_model::{Rate, Workload};

use crate::exit::Refusal;

/// What happens to a workload that can keep no rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unable {
    /// It was named: that is refused.
    Refused,
    /// It came with a suite: it runs in the closed loop only, unless none can.
    LeftOut,
}

/// `workloads`, each followed by its variants at `rates`.
pub fn expanded(workloads: Vec<Workload>, rates: &[Rate], unable: Unable) -> Result<Vec<Workload>> {
    require_different(rates)?;
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
    let is_bare = all.iter().all(|workload| workload.variant.is_none());
    match refusal {
        Some(error) if is_bare => Err(error.into()),
        _ => Ok(all),
    }
}

fn variants(workload: &Workload, rates: &[Rate]) -> Result<Vec<Workload>, EngineError> {
    let engine = fsarena_apps::engine_of(workload)?;
    rates.iter().map(|rate| engine.paced(workload, *rate)).collect()
}

fn require_different(rates: &[Rate]) -> Result<()> {
    let twice = rates.iter().enumerate().find(|(index, rate)| rates[..*index].contains(rate));
    twice.map_or(Ok(()), |(_, rate)| {
        Err(Refusal::wrong_use(format!("the rate `{rate}` is given twice"), "give it once").into())
    })
}
