//! The programs that scripts and commands need, and what reports show of these.

use std::path::PathBuf;

use fsarena_engine::{Need, Programs};
use fsarena_model::{Workload, intern};

use super::act::Act;
use super::parameters::{ProgramNeed, ProgramParameters, VersionOf};

/// The programs of a workload, and its variables and scripts for reports.
pub fn programs(workload: &Workload) -> Programs {
    let Ok(parameters) = ProgramParameters::of(workload) else { return Programs::default() };
    // The package of the standard shell has another name.
    let package = if parameters.shell == "sh" { "dash" } else { intern(&parameters.shell) };
    let shell = Need { version: "", ..Need::new(intern(&parameters.shell), package) };
    let has_script = parameters.acts().any(|act| matches!(act, Act::Script(_)));
    let named = parameters.needs.iter().map(ProgramNeed::need);
    let needs = named.chain(parameters.commands()).chain(has_script.then_some(shell)).collect();
    // Scripts of no named program are in the workload's parameters only.
    let settings = if parameters.program().is_none() { Vec::new() } else { parameters.lines() };
    Programs { needs, settings }
}

impl ProgramNeed {
    fn need(&self) -> Need {
        let version = match self.version {
            VersionOf::None => "",
            VersionOf::Package => Need::PACKAGED,
            VersionOf::Long => "--version",
            VersionOf::Short => "-V",
            VersionOf::Help => "--help",
        };
        Need { version, ..Need::new(intern(&self.program), intern(&self.package)) }
    }
}

impl ProgramParameters {
    /// The program that does the work, if it is named.
    pub fn program(&self) -> Option<&str> {
        let named = self.needs.first().map(|need| need.program.as_str());
        named.or_else(|| self.script.as_ref()?.program())
    }

    /// The programs of commands, as far as they can be looked up: those on the search path, and those with a path.
    fn commands(&self) -> impl Iterator<Item = Need> {
        let path = |program: &str| match (program.contains('/'), &self.directory) {
            (false, _) => Some(PathBuf::from(program)),
            (true, Some(directory)) => Some(directory.join(program)).filter(|path| path.is_absolute()),
            (true, None) => Some(PathBuf::from(program)).filter(|path| path.is_absolute()),
        };
        let programs = self.acts().filter_map(Act::program).filter_map(path);
        programs.map(|path| Need { version: "", ..Need::new(intern(&path.to_string_lossy()), "") })
    }

    /// The variables and scripts of a run, line by line.
    fn lines(&self) -> Vec<String> {
        let variables: Vec<_> = self.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let variables = (!variables.is_empty()).then(|| variables.join(" "));
        let steps = self.steps.iter().map(|step| &step.script);
        let acts = self.prepare.iter().chain(&self.before).chain(&self.script).chain(steps).chain(&self.cleanup);
        variables.into_iter().chain(acts.flat_map(Act::lines)).collect()
    }
}
