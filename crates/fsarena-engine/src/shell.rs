//! The engine `shell`: runs shell scripts as they appear in articles about file systems. They mostly measure the shell.

mod parameters;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_model::{Bytes, Nanos, Traits, Workload};
use fsarena_sys::child::{self, Setting};
use fsarena_sys::clock;

use self::parameters::{Parameters, StepParameters, Task};
use crate::{Engine, EngineError, Job, Limit, Operation, RunStats, Scratch, folder, go_on, pid_namespace};

/// A script that starts more programs than this is not also run in memory.
const MOST_STARTS_IN_MEMORY: u64 = 5000;

/// The engine `shell`.
pub struct Shell;

impl Engine for Shell {
    fn name(&self) -> &'static str {
        "shell"
    }

    /// The time of a script is not known before: the estimate is a millisecond per program that it starts, and a
    /// constant. If it starts thousands of programs, the starts alone show its cost without the file system, and a run
    /// in memory would take minutes more.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        let parameters = Parameters::of(workload)?;
        let starts = Some(parameters.starts()).filter(|starts| *starts > 0);
        Ok(Traits {
            peak: Bytes(parameters.data),
            extra_time: Nanos::millis(600 + starts.unwrap_or(0)),
            // One of several shells: the workload names one.
            program: Some("sh".to_owned()),
            starts,
            runs_in_memory: starts.is_none_or(|starts| starts <= MOST_STARTS_IN_MEMORY),
            ..Traits::default()
        })
    }

    fn require(&self, workload: &Workload) -> Result<(), EngineError> {
        let shell = Parameters::of(workload)?.shell;
        match child::find_program(&shell) {
            Some(_) => Ok(()),
            None => Err(EngineError::NoShell { workload: workload.name.to_string(), shell }),
        }
    }

    fn open(&self, workload: &Workload, directory: &Path, _seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let streams = Scratch::new()?;
        let (parameters, directory) = (Parameters::of(workload)?, directory.to_owned());
        Ok(Box::new(ShellJob { parameters, directory, streams }))
    }
}

/// A job of the engine `shell`.
struct ShellJob {
    parameters: Parameters,
    directory: PathBuf,
    /// Where the output of the shell is kept, outside of its working directory.
    streams: Scratch,
}

/// How a script ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// It reached its end.
    Reached,
    /// The stop flag was set.
    Stopped,
}

impl ShellJob {
    /// Runs a script in which `$N` is `operations`. `name` is used in its error.
    fn script(&self, name: &str, text: &str, operations: u64, stop: &AtomicBool) -> Result<End, EngineError> {
        let times = self.streams.path().join(TIMES_FILE).display().to_string();
        let variables = [("N", operations.to_string()), (TIMES_VARIABLE, times)];
        let setting = Setting { directory: &self.directory, streams: self.streams.path(), variables: &variables, stop };
        let shell = [self.parameters.shell.as_str(), "-c", text];
        let argv: Vec<&str> = pid_namespace().iter().copied().chain(shell).collect();
        let ended = child::run_until(&argv, setting).map_err(EngineError::io(format!("start {}", shell[0])))?;
        match ended {
            None => Ok(End::Stopped),
            Some(ended) if ended.status.success() => Ok(End::Reached),
            Some(ended) => {
                let words = last_lines(&ended.words());
                Err(EngineError::Script { script: name.to_owned(), status: ended.status, words })
            }
        }
    }

    fn untimed(
        &self,
        name: &str,
        text: Option<&String>,
        operations: u64,
        stop: &AtomicBool,
    ) -> Result<(), EngineError> {
        let Some(text) = text else { return Ok(()) };
        match self.script(name, text, operations, stop)? {
            End::Reached => Ok(()),
            End::Stopped => go_on(stop).map_err(EngineError::io(format!("run the script `{name}`"))),
        }
    }

    /// Runs a script and counts it; `None` if it was stopped.
    fn timed(
        &self,
        (name, text, operations): (&str, &str, u64),
        stop: &AtomicBool,
        stats: &mut RunStats,
    ) -> Result<Option<Nanos>, EngineError> {
        let begin = clock::now();
        if self.script(name, &wrapped(&self.parameters.shell, text), operations, stop)? == End::Stopped {
            return Ok(None);
        }
        let around = clock::now().saturating_sub(begin);
        let elapsed = inside(self.streams.path()).unwrap_or(around);
        stats.record(Operation::Run, elapsed);
        stats.operations += operations;
        stats.elapsed = stats.elapsed + elapsed;
        stats.end_part(stats.elapsed);
        Ok(Some(elapsed))
    }

    /// Runs one step and its preparation.
    fn step(&self, step: &StepParameters, stop: &AtomicBool, stats: &mut RunStats) -> Result<End, EngineError> {
        let StepParameters { name, script, operations, bytes, .. } = step;
        self.untimed(&format!("before {name}"), step.before.as_ref(), *operations, stop)?;
        if step.cold {
            folder::make_all_cold(&self.directory, stop)?;
        }
        let Some(elapsed) = self.timed((name, script, *operations), stop, stats)? else { return Ok(End::Stopped) };
        stats.bytes += bytes;
        if step.durable_writes > 0 {
            stats.count_durable_writes(step.durable_writes);
        }
        stats.add_step(name, *operations, *bytes, elapsed);
        Ok(End::Reached)
    }
}

/// The last lines of the output: a loop that fails may print a message for each of its files.
fn last_lines(words: &str) -> String {
    const MOST: usize = 10;
    let lines: Vec<&str> = words.lines().collect();
    lines[lines.len().saturating_sub(MOST)..].join("\n")
}

impl Job for ShellJob {
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.untimed("prepare", self.parameters.prepare.as_ref(), self.parameters.operations(), stop)
    }

    /// Syncs what was made for a run, so that the run does not pay for it.
    fn reset(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.untimed("before", self.parameters.before.as_ref(), self.parameters.operations(), stop)?;
        folder::sync(folder::open(&self.directory)?)
    }

    /// The shell is another process, and so are the programs that it starts.
    fn is_alone(&self) -> bool {
        false
    }

    /// Runs once, however long that takes.
    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        match self.parameters.task() {
            Task::Script(script) => {
                self.timed(("script", script, self.parameters.operations()), limit.stop, stats)?;
            }
            Task::Steps(steps) => {
                for step in steps {
                    if self.step(step, limit.stop, stats)? == End::Stopped {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Environment variable that gives the shell the file for its times.
const TIMES_VARIABLE: &str = "FSARENA_TIMES";

/// Name of that file.
const TIMES_FILE: &str = "times";

/// The script between two readings of the clock, if the shell can read it without starting a program (`EPOCHREALTIME`
/// of bash 5). Otherwise the script alone. The exit status does not change.
fn wrapped(shell: &str, script: &str) -> String {
    match shell {
        "bash" => format!(
            "fsarena_begin=$EPOCHREALTIME\n{script}\nfsarena_status=$?; fsarena_end=$EPOCHREALTIME\n\
             printf '%s %s' \"$fsarena_begin\" \"$fsarena_end\" > \"${TIMES_VARIABLE}\"\nexit \"$fsarena_status\""
        ),
        _ => script.to_owned(),
    }
}

/// The time that the last script wrote. The file is removed. `None` if the script wrote none, for example because it
/// calls `exit`.
fn inside(folder: &Path) -> Option<Nanos> {
    let path = folder.join(TIMES_FILE);
    let text = fs::read_to_string(&path).ok()?;
    fs::remove_file(path).ok()?;
    let (begin, end) = text.split_once(' ')?;
    micros(end)?.checked_sub(micros(begin)?).map(|micros| Nanos(micros * 1000))
}

/// Parses `1700000000.123456`, with the decimal point of any locale. Returns microseconds.
fn micros(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.split_once(['.', ','])?;
    (fraction.len() == 6).then_some(())?;
    Some(seconds.parse::<u64>().ok()? * 1_000_000 + fraction.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_once_and_only_if_they_are_whole() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let told = |text: &str| {
            fs::write(folder.path().join(TIMES_FILE), text).expect("written");
            inside(folder.path())
        };
        assert_eq!(told("1700000000.000001 1700000001.500001"), Some(Nanos::millis(1500)));
        assert_eq!(inside(folder.path()), None, "it is of one script only");
        assert_eq!(told("1700000000,000001 1700000000,000002"), Some(Nanos(1000)));
        for broken in ["", " ", "1.5 2.5", "2.000000 1.000000"] {
            assert_eq!(told(broken), None, "{broken}");
        }
    }
}
