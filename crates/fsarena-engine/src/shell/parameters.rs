//! The parameters of a workload of the engine `shell`.

use std::collections::BTreeSet;

use fsarena_model::{DurablePoint, Mode, Workload};
use serde::Deserialize;

use crate::EngineError;
use crate::parameters::{checked, or, size};

/// One script, or steps. All run in the job's directory. `$N` is the `operations` of the workload, or those of the
/// step.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameters {
    /// The timed script, from the start of the shell to its end.
    #[serde(default)]
    script: Option<String>,
    /// Several scripts, one after the other, each timed separately.
    #[serde(default)]
    steps: Vec<StepParameters>,
    /// The shell, called as `SHELL -c SCRIPT`.
    #[serde(default = "sh")]
    pub shell: String,
    /// Script that runs once before all runs, untimed.
    pub prepare: Option<String>,
    /// Script that runs before each run, untimed.
    pub before: Option<String>,
    /// Operations of one run of the script. Steps have their own.
    #[serde(default)]
    operations: u64,
    /// Programs that one run of the script starts. Steps have their own.
    #[serde(default)]
    starts: u64,
    /// Maximum bytes of data at a time.
    #[serde(default = "or::<_, { 64 << 20 }>", deserialize_with = "size")]
    pub data: u64,
}

/// A step: a script, timed from the start of its shell to its end.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StepParameters {
    /// Name, unique within the workload.
    pub name: String,
    /// The timed script.
    pub script: String,
    /// Number of its operations.
    pub operations: u64,
    /// Number of programs that it starts.
    #[serde(default)]
    pub starts: u64,
    /// Bytes that its operations move.
    #[serde(default, deserialize_with = "size")]
    pub bytes: u64,
    /// Number of writes that its programs make durable one by one (O_SYNC, O_DSYNC). As many flushes must be seen.
    #[serde(default)]
    pub durable_writes: u64,
    /// Script that runs before it, untimed.
    pub before: Option<String>,
    /// Whether everything is synced and the caches are dropped before it, untimed and after `before`.
    #[serde(default)]
    pub cold: bool,
}

/// The work of a run.
#[derive(Debug, Clone, Copy)]
pub enum Task<'a> {
    /// One script.
    Script(&'a str),
    /// Steps.
    Steps(&'a [StepParameters]),
}

fn sh() -> String {
    "sh".to_owned()
}

impl Parameters {
    /// The parameters of the workload, checked.
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        checked(workload, |parameters: &Self| parameters.complaint(workload))
    }

    /// The script, or the steps.
    pub fn task(&self) -> Task<'_> {
        match &self.script {
            Some(script) => Task::Script(script),
            None => Task::Steps(&self.steps),
        }
    }

    /// Operations of one run.
    pub fn operations(&self) -> u64 {
        self.operations + self.steps.iter().map(|step| step.operations).sum::<u64>()
    }

    /// Programs that one run starts.
    pub fn starts(&self) -> u64 {
        self.starts + self.steps.iter().map(|step| step.starts).sum::<u64>()
    }

    fn complaint(&self, workload: &Workload) -> Option<&'static str> {
        Some(match () {
            () if self.script.is_some() != self.steps.is_empty() => {
                "there is a `script` or there are `steps`: one of them"
            }
            () if self.scripts().any(|script| script.trim().is_empty()) => "a `script` is empty",
            () if self.shell.is_empty() || self.shell.contains('/') => {
                "`shell` is the name of a program, without a path"
            }
            () if workload.mode != Mode::Whole => "a script cannot be cut into slices: `mode = \"whole\"`",
            () if workload.ends_by_itself && workload.timed_ms > 0 => {
                "a script cannot be cut short: with `ends-by-itself` it has no `timed-ms`"
            }
            () if self.steps.is_empty() && self.operations == 0 => {
                "`operations` is at least 1: the figure is divided by it"
            }
            () => return self.complaint_of_steps(workload),
        })
    }

    fn complaint_of_steps(&self, workload: &Workload) -> Option<&'static str> {
        let each_is_durable = matches!(workload.durable, DurablePoint::OSync | DurablePoint::ODsync);
        let names: BTreeSet<&str> = self.steps.iter().map(|step| step.name.as_str()).collect();
        Some(match () {
            () if self.steps.is_empty() => return None,
            () if self.operations > 0 || self.starts > 0 => "each of the `steps` has its `operations` and `starts`",
            () if self.steps.iter().any(|step| step.operations == 0) => "`operations` of a step is at least 1",
            () if names.len() < self.steps.len() || names.contains("") => "each of the `steps` has a `name` of its own",
            () if each_is_durable != self.steps.iter().any(|step| step.durable_writes > 0) => {
                "`durable-writes` of the `steps` goes with `durable = \"o-sync\"` or `\"o-dsync\"`: flushes are compared with it"
            }
            () if !workload.ends_by_itself => "`steps` run once: `ends-by-itself = true`",
            () => return None,
        })
    }

    fn scripts(&self) -> impl Iterator<Item = &str> {
        self.script.iter().map(String::as_str).chain(self.steps.iter().map(|step| step.script.as_str()))
    }
}
