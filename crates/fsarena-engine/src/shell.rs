//! The engine `shell`: a script of a shell, as articles about file systems have them. What it measures is mostly the shell.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_model::{Bytes, Mode, Nanos, Workload};
use fsarena_sys::child::{self, Setting};
use fsarena_sys::clock;
use serde::Deserialize;
use tempfile::TempDir;

use crate::size::size;
use crate::{Engine, EngineError, Job, Limit, Operation, Tally, cage, folder};

/// The engine `shell`.
pub struct Shell;

/// What a workload of this engine says. Scripts work in the job's own directory, and know `operations` as `$N`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Parameters {
    /// What is timed, from the start of the shell to its end.
    script: String,
    /// The program that understands it, called as `SHELL -c SCRIPT`.
    #[serde(default = "sh")]
    shell: String,
    /// What is done once before, untimed.
    prepare: Option<String>,
    /// What is done before each run, untimed.
    before: Option<String>,
    /// How many operations one run of the script does.
    operations: u64,
    /// How many programs it starts for that.
    #[serde(default)]
    starts: u64,
    /// The most data that it keeps at a time.
    #[serde(default = "sixty_four_mib", deserialize_with = "size")]
    data: u64,
}

fn sh() -> String {
    "sh".to_owned()
}

fn sixty_four_mib() -> u64 {
    64 << 20
}

impl Parameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters = serde_json::from_value::<Self>(workload.parameters.clone());
        let parameters = parameters.map_err(|error| EngineError::parameters(&workload.name, error))?;
        parameters.complaint(workload).map_or(Ok(parameters), |what| Err(EngineError::parameters(&workload.name, what)))
    }

    fn complaint(&self, workload: &Workload) -> Option<&'static str> {
        Some(match () {
            () if self.script.trim().is_empty() => "`script` is empty",
            () if self.shell.is_empty() || self.shell.contains('/') => {
                "`shell` is the name of a program, without a path"
            }
            () if self.operations == 0 => "`operations` is at least 1: the figure is divided by it",
            () if workload.mode != Mode::Whole => "a script cannot be cut into slices: `mode = \"whole\"`",
            () if workload.ends_by_itself && workload.timed_ms > 0 => {
                "a script cannot be cut short: with `ends-by-itself` it has no `timed-ms`"
            }
            () => return None,
        })
    }
}

impl Engine for Shell {
    fn name(&self) -> &'static str {
        "shell"
    }

    fn demand(&self, workload: &Workload) -> Result<Bytes, EngineError> {
        Ok(Bytes(Parameters::of(workload)?.data))
    }

    /// How long a script takes is not known before: those of the catalogue take about a second.
    fn adds(&self, _workload: &Workload) -> Nanos {
        Nanos::millis(600)
    }

    fn require(&self, workload: &Workload) -> Result<(), EngineError> {
        let shell = Parameters::of(workload)?.shell;
        match child::find_program(&shell) {
            Some(_) => Ok(()),
            None => Err(EngineError::NoShell { workload: workload.name.clone(), shell }),
        }
    }

    /// One of several: a workload says which.
    fn program(&self) -> Option<&'static str> {
        Some("sh")
    }

    fn starts(&self, workload: &Workload) -> Option<u64> {
        Parameters::of(workload).ok().map(|parameters| parameters.starts).filter(|starts| *starts > 0)
    }

    fn open(&self, workload: &Workload, directory: &Path, _seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let streams = tempfile::tempdir().map_err(EngineError::io("make a temporary folder"))?;
        let (parameters, directory) = (Parameters::of(workload)?, directory.to_owned());
        Ok(Box::new(ShellJob { parameters, directory, streams }))
    }
}

/// A shell at work.
struct ShellJob {
    parameters: Parameters,
    directory: PathBuf,
    /// Where what the shell says is kept: not where it works.
    streams: TempDir,
}

/// Whether a script came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// It did.
    Reached,
    /// Somebody wanted to stop.
    Stopped,
}

impl ShellJob {
    fn script(&self, name: &'static str, text: &str, stop: &AtomicBool) -> Result<End, EngineError> {
        let variables = [("N", self.parameters.operations.to_string())];
        let setting = Setting { directory: &self.directory, streams: self.streams.path(), variables: &variables, stop };
        let shell = [self.parameters.shell.as_str(), "-c", text];
        let argv: Vec<&str> = cage::words().iter().copied().chain(shell).collect();
        let ended = child::run_until(&argv, setting).map_err(EngineError::io(format!("start {}", shell[0])))?;
        match ended {
            None => Ok(End::Stopped),
            Some(ended) if ended.status.success() => Ok(End::Reached),
            Some(ended) => {
                Err(EngineError::Script { script: name, status: ended.status, words: last_lines(&ended.words()) })
            }
        }
    }

    fn untimed(&self, name: &'static str, text: Option<&String>) -> Result<(), EngineError> {
        let never = AtomicBool::new(false);
        text.map_or(Ok(()), |text| self.script(name, text, &never).map(|_| ()))
    }
}

/// A loop that fails may say so for each of its files.
fn last_lines(words: &str) -> String {
    const MOST: usize = 10;
    let lines: Vec<&str> = words.lines().collect();
    lines[lines.len().saturating_sub(MOST)..].join("\n")
}

impl Job for ShellJob {
    fn prepare(&mut self) -> Result<(), EngineError> {
        self.untimed("prepare", self.parameters.prepare.as_ref())
    }

    /// What was made for a run is brought to the device, so that nobody pays for it.
    fn refill(&mut self) -> Result<(), EngineError> {
        self.untimed("before", self.parameters.before.as_ref())?;
        folder::sync(folder::open(&self.directory)?)
    }

    /// It is another process, and so are the programs that it starts.
    fn is_alone(&self) -> bool {
        false
    }

    /// Once, however long that takes.
    fn run(&mut self, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError> {
        let begin = clock::now();
        if self.script("script", &self.parameters.script, limit.stop)? == End::Stopped {
            return Ok(());
        }
        let elapsed = clock::now().saturating_sub(begin);
        tally.record(Operation::Run, elapsed);
        tally.operations += self.parameters.operations;
        tally.elapsed = tally.elapsed + elapsed;
        tally.end_part(tally.elapsed);
        Ok(())
    }
}
