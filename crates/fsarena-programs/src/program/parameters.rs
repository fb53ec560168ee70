//! The parameters of a workload of the engine `program`, and the programs that it needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

use fsarena_engine::parameters::checked;
use fsarena_engine::{EngineError, Need, Programs};
use fsarena_model::{Bytes, DurablePoint, Measure, Mode, Workload, intern};
use serde::{Deserialize, Serialize};

use super::act::Act;
use super::output::{NumberTarget, Output};
use super::tree::Tree;

/// Largest estimate of a duration, in seconds.
const LONGEST_S: u64 = 10_000_000;

/// Scripts and commands. Scripts run in the job's directory, commands in `directory`. Both get the environment
/// variables of `variables`, scripts also `N` (the `operations` of the workload, or those of the step), `SEED` (an
/// integer below 2^32 that follows from the run's seed), `RUN` (the number of the run in this directory, from 1),
/// `SCRATCH` (a directory outside of the file system that is measured) and `INPUT` (the directory of the inputs).
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ProgramParameters {
    /// The timed script.
    pub script: Option<Act>,
    /// Several scripts, one after the other, each timed separately.
    #[serde(default)]
    pub steps: Vec<StepParameters>,
    /// The shell, called as `SHELL -c SCRIPT`.
    #[serde(default = "sh")]
    pub shell: String,
    /// Files of random bytes in the job's directory: name and size. They are made before `prepare` and follow from the
    /// seed.
    #[serde(default)]
    pub files: BTreeMap<String, Bytes>,
    /// Trees in the directory of the inputs, by name; made once per run, outside of the file system that is measured.
    #[serde(default)]
    pub trees: BTreeMap<String, Tree>,
    /// Script that makes further inputs in that directory, after the trees.
    pub input: Option<Act>,
    /// Script that runs once before all runs, untimed.
    pub prepare: Option<Act>,
    /// Script that runs before each run, untimed.
    pub before: Option<Act>,
    /// Script that checks the result. It runs after the file system was mounted again, and fails if the result is
    /// wrong.
    pub verify: Option<Act>,
    /// Undoes what was done outside of the directory. It runs after everything else, also after a failure.
    pub cleanup: Option<Act>,
    /// Working directory of commands. Default: that of the job.
    pub directory: Option<PathBuf>,
    #[serde(default)]
    pub variables: BTreeMap<String, Variable>,
    /// The programs that the scripts start.
    #[serde(default)]
    pub needs: Vec<ProgramNeed>,
    /// What is read from the output of `script`.
    #[serde(default)]
    pub output: Output,
    /// Operations of one run of the script. Steps have their own.
    #[serde(default)]
    operations: u64,
    /// Bytes that these operations move. Steps have their own.
    #[serde(default)]
    pub bytes: Bytes,
    /// Programs that one run of the script starts, if the starts may take most of its time. Steps have their own.
    #[serde(default)]
    starts: u64,
    /// Maximum bytes of data at a time.
    #[serde(default = "sixty_four_mib")]
    pub data: Bytes,
    /// Estimate of the duration of a run in seconds.
    #[serde(default)]
    pub estimate_s: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StepParameters {
    /// Name, unique within the workload.
    pub name: String,
    /// The timed script.
    pub script: Act,
    pub operations: u64,
    #[serde(default)]
    pub starts: u64,
    #[serde(default)]
    pub bytes: Bytes,
    /// Number of writes that its programs make durable one by one (O_SYNC, O_DSYNC). As many flushes must be seen.
    #[serde(default)]
    pub durable_writes: u64,
    /// Script that runs before it, untimed.
    pub before: Option<Act>,
    /// Whether everything is synced and the caches are dropped before it, untimed and after `before`.
    #[serde(default)]
    pub cold: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a text or a number")]
pub enum Variable {
    Number(u64),
    Text(String),
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ProgramNeed {
    pub program: String,
    /// The Debian package that contains it.
    pub package: String,
    /// How its version is found: `package`, `none`, or the option with which the program prints it.
    #[serde(default = "long_option")]
    pub version: String,
}

fn sh() -> String {
    "sh".to_owned()
}

fn long_option() -> String {
    "--version".to_owned()
}

fn sixty_four_mib() -> Bytes {
    Bytes::mib(64)
}

impl ProgramParameters {
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        checked(workload, |parameters: &Self| parameters.mistake(workload))
    }

    /// All scripts and commands that are there, in the order in which they run, with their keys.
    fn named_acts(&self) -> impl Iterator<Item = (&'static str, &Act)> {
        let first =
            [("input", self.input.as_ref()), ("prepare", self.prepare.as_ref()), ("before", self.before.as_ref())];
        let script = [("script", self.script.as_ref())];
        let steps =
            self.steps.iter().flat_map(|step| [("before", step.before.as_ref()), ("script", Some(&step.script))]);
        let last = [("verify", self.verify.as_ref()), ("cleanup", self.cleanup.as_ref())];
        let all = first.into_iter().chain(script).chain(steps).chain(last);
        all.filter_map(|(key, act)| Some((key, act?)))
    }

    /// All scripts and commands that are there, in the order in which they run.
    pub fn acts(&self) -> impl Iterator<Item = &Act> {
        self.named_acts().map(|(_, act)| act)
    }

    /// Operations of one run, as far as they are known before.
    pub fn operations(&self) -> u64 {
        self.operations + self.steps.iter().map(|step| step.operations).sum::<u64>()
    }

    pub fn starts(&self) -> u64 {
        self.starts + self.steps.iter().map(|step| step.starts).sum::<u64>()
    }

    /// The number that `name` stands for: a variable, `N`, or a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.variables.get(name) {
            Some(Variable::Number(number)) => Some(*number as f64),
            Some(Variable::Text(text)) => text.parse().ok(),
            None if name == "N" => Some(self.operations as f64),
            None => name.parse().ok(),
        }
    }

    fn mistake(&self, workload: &Workload) -> Option<String> {
        let is_variable = |name: &str| {
            let is_word = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
            name.starts_with(|first: char| first.is_ascii_lowercase()) && name.chars().all(is_word)
        };
        let is_file = |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains('/');
        if let Some(name) = self.variables.keys().find(|name| !is_variable(name)) {
            return Some(format!("the variable `{name}` is not of lower-case letters, digits and `_`"));
        }
        if let Some(name) = self.files.keys().find(|name| !is_file(name)) {
            return Some(format!("`{name}` of `files` is not the name of a file in the directory"));
        }
        let is_version = |how: &str| ["none", "package"].contains(&how) || how.starts_with('-');
        if let Some(need) = self.needs.iter().find(|need| !is_version(&need.version)) {
            return Some(format!("the `version` of `{}` is `none`, `package` or an option", need.program));
        }
        let mut acts = self.named_acts();
        if let Some((key, _)) = acts.find(|(_, act)| act.is_empty()) {
            return Some(format!("`{key}` is empty: leave it out"));
        }
        let fixed = self.mistake_of_scripts(workload).or_else(|| self.mistake_of_steps(workload));
        fixed.map(str::to_owned).or_else(|| self.output.mistake(|name| self.number(name).is_some()))
    }

    fn mistake_of_scripts(&self, workload: &Workload) -> Option<&'static str> {
        if self.script.is_some() != self.steps.is_empty() {
            Some("there is a `script` or there are `steps`: one of them")
        } else if self.directory.is_some() && self.named_acts().all(|(_, act)| matches!(act, Act::Script(_))) {
            Some("`directory` is that of commands, which are lists of words; a script can `cd`")
        } else if self.shell.is_empty() || self.shell.contains('/') {
            Some("`shell` is the name of a program, without a path")
        } else if workload.mode == Mode::Sliced && workload.timed_ms + workload.warm_up_ms > 0 {
            Some("a slice of a script is one whole run, without `timed-ms` and `warm-up-ms`")
        } else if workload.mode == Mode::Sliced && (workload.ends_by_itself || !self.steps.is_empty()) {
            Some("a slice of a script has neither `ends-by-itself` nor `steps`")
        } else if self.estimate_s > LONGEST_S {
            Some("`estimate-s` is at most 10,000,000")
        } else if workload.ends_by_itself && workload.timed_ms > 0 {
            Some("a script cannot be cut short: with `ends-by-itself` it has no `timed-ms`")
        } else if self.steps.is_empty() && self.operations == 0 && !self.output.has(NumberTarget::Operations) {
            Some("`operations` is at least 1, or is read from the output: the figure is divided by it")
        } else if (workload.metric.measure == Measure::Printed) != self.output.has(NumberTarget::Figure) {
            Some("`measure = \"printed\"` goes with a capture `as = \"figure\"`")
        } else {
            None
        }
    }

    fn mistake_of_steps(&self, workload: &Workload) -> Option<&'static str> {
        let each_is_durable = matches!(workload.durable, DurablePoint::OSync | DurablePoint::ODsync);
        let names: BTreeSet<&str> = self.steps.iter().map(|step| step.name.as_str()).collect();
        if self.steps.is_empty() {
            None
        } else if self.operations > 0 || self.starts > 0 || self.bytes.0 > 0 {
            Some("each of the `steps` has its `operations`, `starts` and `bytes`")
        } else if !self.output.is_empty() {
            Some("`output` is that of a `script`, not of `steps`")
        } else if self.steps.iter().any(|step| step.operations == 0) {
            Some("`operations` of a step is at least 1")
        } else if names.len() < self.steps.len() || names.contains("") {
            Some("each of the `steps` has a `name` of its own")
        } else if each_is_durable != self.steps.iter().any(|step| step.durable_writes > 0) {
            Some(
                "`durable-writes` of the `steps` goes with `durable = \"o-sync\"` or `\"o-dsync\"`: flushes are compared with it",
            )
        } else if !workload.ends_by_itself {
            Some("`steps` run once: `ends-by-itself = true`")
        } else {
            None
        }
    }
}

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
        let version = match self.version.as_str() {
            "none" => "",
            "package" => Need::PACKAGED,
            option => intern(option),
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
