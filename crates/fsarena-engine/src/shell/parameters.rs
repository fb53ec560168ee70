//! What a workload of the engine `shell` says.

use std::collections::BTreeSet;

use fsarena_model::{DurablePoint, Mode, Workload};
use serde::Deserialize;

use crate::EngineError;
use crate::size::size;

/// One script, or steps. All work in the job's own directory; scripts know `operations` as `$N`, those of a step its own.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameters {
    /// What is timed, from the start of the shell to its end.
    #[serde(default)]
    script: Option<String>,
    /// Several of them, one after the other, each timed apart.
    #[serde(default)]
    steps: Vec<StepParameters>,
    /// The program that understands it, called as `SHELL -c SCRIPT`.
    #[serde(default = "sh")]
    pub shell: String,
    /// What is done once before, untimed.
    pub prepare: Option<String>,
    /// What is done before each run, untimed.
    pub before: Option<String>,
    /// How many operations one run of the script does; of steps: their sum.
    #[serde(default)]
    operations: u64,
    /// How many programs it starts for that; of steps: their sum.
    #[serde(default)]
    starts: u64,
    /// The most data that it keeps at a time.
    #[serde(default = "sixty_four_mib", deserialize_with = "size")]
    pub data: u64,
}

/// A step: a script of its own, timed from the start of its shell to its end.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StepParameters {
    /// The name, unique within the workload.
    pub name: String,
    /// What is timed.
    pub script: String,
    /// How many operations it does.
    pub operations: u64,
    /// How many programs it starts for that.
    #[serde(default)]
    pub starts: u64,
    /// How many bytes the operations carry.
    #[serde(default, deserialize_with = "size")]
    pub bytes: u64,
    /// How many writes are durable, each by itself, when its programs have done them (O_SYNC, O_DSYNC): as many flushes must be seen.
    #[serde(default)]
    pub durable_writes: u64,
    /// What is done before it, untimed.
    pub before: Option<String>,
    /// Whether all is synced and the caches are dropped before it, untimed and after `before`.
    #[serde(default)]
    pub cold: bool,
}

/// What is run.
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

fn sixty_four_mib() -> u64 {
    64 << 20
}

impl Parameters {
    /// Those of the workload, if they make sense.
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters = crate::parameters::<Self>(workload)?;
        parameters.complaint(workload).map_or(Ok(parameters), |what| Err(EngineError::parameters(&workload.name, what)))
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
