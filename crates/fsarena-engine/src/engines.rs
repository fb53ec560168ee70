//! A set of engines, and what it answers about workloads. The binary composes it of all engines; execution and plans
//! find engines only through it.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::{Traits, Workload};

use crate::{Engine, EngineError, Programs};

/// Engines in lists, such as the native ones and those of external programs.
#[derive(Clone, Copy)]
pub struct Engines(pub &'static [&'static [Engine]]);

impl Engines {
    /// All engines, in order.
    pub fn all(self) -> impl Iterator<Item = &'static Engine> {
        self.0.iter().copied().flatten()
    }

    /// The engine with this name.
    pub fn named(self, name: &str) -> Option<&'static Engine> {
        self.all().find(|engine| engine.name == name)
    }

    /// The engine that `workload` names.
    ///
    /// # Errors
    /// [`EngineError::Unknown`] if there is none.
    pub fn of(self, workload: &Workload) -> Result<&'static Engine, EngineError> {
        self.named(&workload.engine).ok_or_else(|| EngineError::Unknown {
            workload: workload.name.to_string(),
            engine: workload.engine.clone(),
            engines: self.all().map(|engine| engine.name).collect(),
        })
    }

    /// The workload with what its engine states about it.
    ///
    /// # Errors
    /// If its engine does not exist, or refuses its parameters.
    pub fn resolved(self, workload: Workload) -> Result<Workload, EngineError> {
        let traits = self.of(&workload)?.traits(&workload)?;
        let traits = Traits { concurrency: concurrency(&workload), ..traits };
        Ok(Workload { traits, ..workload })
    }

    fn programs(self, workload: &Workload) -> Programs {
        self.named(&workload.engine).map(|engine| engine.programs(workload)).unwrap_or_default()
    }

    /// Debian packages, or the addresses of sources, of the programs that the workload needs and that are not
    /// installed. Sorted, without duplicates.
    pub fn missing(self, workload: &Workload) -> Vec<String> {
        let needs = self.programs(workload).needs.into_iter();
        let missing: BTreeSet<&str> = needs.filter(|need| need.path().is_none()).map(|need| need.package).collect();
        missing.into_iter().map(str::to_owned).collect()
    }

    /// Debian packages of all programs that the workload needs, sorted, without duplicates.
    pub fn packages(self, workload: &Workload) -> BTreeSet<&'static str> {
        self.programs(workload).needs.into_iter().filter(|need| need.is_packaged()).map(|need| need.package).collect()
    }

    /// Versions of the programs that these workloads need, by program name. Programs that are missing or print no
    /// version are left out.
    pub fn program_versions(self, workloads: &[Workload]) -> BTreeMap<String, String> {
        let needs = workloads.iter().flat_map(|workload| self.programs(workload).needs);
        let needs: BTreeMap<&str, _> = needs.map(|need| (need.program, need)).collect();
        needs.into_iter().filter_map(|(program, need)| Some((program.to_owned(), need.version_found()?))).collect()
    }

    /// Command lines and configuration of the programs that these workloads start, by workload name.
    pub fn settings(self, workloads: &[Workload]) -> BTreeMap<String, Vec<String>> {
        let settings = workloads.iter().map(|workload| (workload.name.to_string(), self.programs(workload).settings));
        settings.filter(|(_, settings)| !settings.is_empty()).collect()
    }
}

/// Maximum number of concurrent operations: all engines have the same names for the parameters that say so.
fn concurrency(workload: &Workload) -> u64 {
    let number = |name: &&str| workload.parameters.get(name)?.as_u64();
    ["threads", "processes", "depth"].iter().filter_map(number).product()
}
