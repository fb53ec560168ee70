//! External programs as workloads: servers that are started on the lane with the clients that load them, and tools. A
//! new engine is one file and one line in [`PROGRAMS`]. [`engine`] finds every engine by its name, native or not.

mod apache;
mod folder;
#[cfg(test)]
mod fuzz;
mod mariadb;
mod oltp;
mod parameters;
mod pgbench;
mod postgresql;
mod program;
mod server;
mod tool;
mod user;

use std::collections::{BTreeMap, BTreeSet};

use fsarena_engine::{Engine, EngineError};
use fsarena_model::{Traits, Workload};

/// All engines whose programs have to be installed first (`make apps`).
pub static PROGRAMS: &[&dyn Engine] = &[
    // databases
    &mariadb::MariaDbEngine,
    &oltp::Oltp,
    &pgbench::PgBench,
    // a web server
    &apache::Apache,
    // any program
    &program::Program,
];

/// The engine with this name, native or not.
pub fn engine(name: &str) -> Option<&'static dyn Engine> {
    fsarena_engine::engine(name).or_else(|| PROGRAMS.iter().copied().find(|engine| engine.name() == name))
}

/// The engine that `workload` names.
///
/// # Errors
/// [`EngineError::Unknown`] if there is none.
pub fn engine_of(workload: &Workload) -> Result<&'static dyn Engine, EngineError> {
    let unknown = || {
        let engines = fsarena_engine::ENGINES.iter().chain(PROGRAMS).map(|engine| engine.name()).collect();
        EngineError::Unknown { workload: workload.name.to_string(), engine: workload.engine.clone(), engines }
    };
    engine(&workload.engine).ok_or_else(unknown)
}

/// The workload with what its engine states about it.
///
/// # Errors
/// If its engine does not exist, or refuses its parameters.
pub fn resolved(workload: Workload) -> Result<Workload, EngineError> {
    let traits = engine_of(&workload)?.traits(&workload)?;
    let traits = Traits { concurrency: concurrency(&workload), ..traits };
    Ok(Workload { traits, ..workload })
}

/// Maximum number of concurrent operations: all engines have the same names for the parameters that say so.
fn concurrency(workload: &Workload) -> u64 {
    let number = |name: &&str| workload.parameters.get(name)?.as_u64();
    ["threads", "processes", "depth"].iter().filter_map(number).product()
}

/// Debian packages of the programs that the workload needs and that are not installed, sorted, without duplicates.
pub fn missing(workload: &Workload) -> Vec<String> {
    let needs = engine(&workload.engine).map(|engine| engine.programs(workload).needs).unwrap_or_default();
    let missing: BTreeSet<&str> = needs.iter().filter(|need| need.path().is_none()).map(|need| need.package).collect();
    missing.into_iter().map(str::to_owned).collect()
}

/// Debian packages of all programs that the workload needs, sorted, without duplicates.
pub fn packages(workload: &Workload) -> BTreeSet<&'static str> {
    let needs = engine(&workload.engine).map(|engine| engine.programs(workload).needs).unwrap_or_default();
    needs.into_iter().map(|need| need.package).collect()
}

/// Versions of the programs that these workloads need, by program name. Programs that are missing or print no version
/// are left out.
pub fn program_versions(workloads: &[Workload]) -> BTreeMap<String, String> {
    let engines = workloads.iter().filter_map(|workload| Some((engine(&workload.engine)?, workload)));
    let needs = engines.flat_map(|(engine, workload)| engine.programs(workload).needs);
    let needs: BTreeMap<&str, _> = needs.map(|need| (need.program, need)).collect();
    needs.into_iter().filter_map(|(program, need)| Some((program.to_owned(), need.version_found()?))).collect()
}

/// Command lines and configuration of the programs that these workloads start, by workload name.
pub fn settings(workloads: &[Workload]) -> BTreeMap<String, Vec<String>> {
    let settings = workloads.iter().map(|workload| {
        let programs = engine(&workload.engine).map(|engine| engine.programs(workload));
        (workload.name.to_string(), programs.unwrap_or_default().settings)
    });
    settings.filter(|(_, settings)| !settings.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_has_a_name_of_its_own() {
        let names = || PROGRAMS.iter().map(|engine| engine.name());
        for name in names() {
            assert!(fsarena_engine::engine(name).is_none(), "{name} is native, too");
            assert_eq!(names().filter(|other| *other == name).count(), 1, "{name}");
        }
    }
}
