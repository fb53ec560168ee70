//! The engine `program`: runs scripts and commands, times them, and reads figures from their output.

mod act;
mod input;
mod output;
mod parameters;
mod timed;
mod tree;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fsarena_engine::{
    Engine, EngineError, Job, Limit, NextRun, Operation, RunStats, Scratch, Upkeep, go_on, sync_and_drop_caches,
    sync_at, write_random,
};
use fsarena_model::{Bytes, DurablePoint, Mode, Nanos, Traits, Verification, Workload, intern};
use fsarena_sys::child::{self, Ended, Patience, Processes, Setting};
use fsarena_sys::clock;

use self::act::Act;
pub use self::act::in_one_line;
pub use self::output::require_number;
use self::output::{Heard, KnownRun};
use self::parameters::{ProgramParameters, StepParameters};
use crate::server::last_lines;

/// A script that starts more programs than this is not also run in memory.
const MOST_STARTS_IN_MEMORY: u64 = 5000;

/// Time for the start of the shells and for small scripts.
const OVERHEAD: Nanos = Nanos::millis(600);

const CLEANUP_LIMIT: Duration = Duration::from_secs(60);

/// Names of acts, for errors.
const BEFORE: &str = "before";
const CLEANUP: &str = "cleanup";

/// Most messages of a program that an error for its output has.
const MESSAGES: usize = 3;

/// What a program says on a full file system (`ENOSPC`), and what is added to that.
const NO_SPACE: &str = "No space left on device";
const FULL: &str =
    "\nthe file system has no blocks left, or no inodes (`df -i`): --lane-size makes lanes larger, with more of both";

pub const ENGINE: Engine = Engine { programs: Some(parameters::programs), ..Engine::new("program", traits, open) };

/// If a script starts thousands of programs, the starts alone show its cost without the file system, and a run in
/// memory would take minutes more. The estimate is a millisecond for each start.
fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    let parameters = ProgramParameters::of(workload)?;
    let starts = Some(parameters.starts()).filter(|starts| *starts > 0);
    // The estimate of an open-ended slice has room for that.
    let overhead = if workload.mode == Mode::Sliced { Nanos(0) } else { OVERHEAD };
    Ok(Traits {
        peak: parameters.data.max(Bytes(parameters.files.values().map(|size| size.0).sum())),
        extra_time: overhead + Nanos::millis(starts.unwrap_or(0)) + Nanos::seconds(parameters.estimate_s),
        // One of several shells: the workload names one.
        program: Some(parameters.program().unwrap_or("sh").to_owned()),
        starts,
        runs_in_memory: starts.is_none_or(|starts| starts <= MOST_STARTS_IN_MEMORY),
        ..Traits::default()
    })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let (parameters, directory) = (ProgramParameters::of(workload)?, directory.to_owned());
    let program = parameters.program().map_or("script", intern);
    let syncs = workload.mode == Mode::Sliced && workload.durable == DurablePoint::Syncfs;
    let (scratch, input, runs) = (Scratch::in_memory()?, None, 0);
    Ok(Box::new(ProgramJob { parameters, program, directory, scratch, input, seed, runs, syncs }))
}

/// A script or command with its name for errors, and its `$N`.
#[derive(Clone, Copy)]
struct Named<'a> {
    name: &'a str,
    act: &'a Act,
    operations: u64,
}

struct ProgramJob {
    parameters: ProgramParameters,
    /// Name for errors.
    program: &'static str,
    directory: PathBuf,
    /// For the output of the shell and for files of the scripts, outside of the file system that is measured.
    scratch: Scratch,
    /// The directory of the inputs, if it has any.
    input: Option<PathBuf>,
    seed: u64,
    /// The number of runs that have begun.
    runs: u64,
    /// Whether the file system is synced at the end of each run, within the time.
    syncs: bool,
}

impl ProgramJob {
    /// Runs a script or command in which `$N` is `operations`; `None` if it was stopped.
    fn act(
        &self,
        Named { name, act, operations }: Named<'_>,
        heard: Option<&mut Heard>,
        stop: &AtomicBool,
    ) -> Result<Option<Ended>, EngineError> {
        let variables = self.variables(act, operations);
        let directory = self.working_directory(act);
        let setting = Setting::new(directory, self.scratch.path(), stop);
        let setting = Setting { variables: &variables, processes: Processes::Own, ..setting };
        let argv = act.argv(&self.parameters.shell, &self.directory);
        let mut heard = heard.map(|heard| |piece: &[u8]| heard.hear(piece, clock::now()));
        let ended = child::run_until(&argv, setting, heard.as_mut().map(|heard| heard as _));
        match ended.map_err(EngineError::io(self.start_of(act)))? {
            Some(ended) if !ended.status.success() => Err(self.failed(name, act, &ended)),
            ended => Ok(ended),
        }
    }

    /// A command gets none but its own, since programs such as make(1) use whatever is there.
    fn variables(&self, act: &Act, operations: u64) -> Vec<(&str, String)> {
        let own = self.parameters.variables.iter().map(|(name, value)| (name.as_str(), value.to_string()));
        if let Act::Command(_) = act {
            return own.collect();
        }
        let scratch = self.scratch.path();
        let fixed = [
            ("N", operations.to_string()),
            ("SEED", (self.seed as u32).to_string()),
            ("SCRATCH", scratch.display().to_string()),
            // Temporary files are not what is compared.
            ("TMPDIR", scratch.display().to_string()),
            ("RUN", self.runs.to_string()),
            (timed::VARIABLE, scratch.join(timed::FILE).display().to_string()),
        ];
        let input = self.input.iter().map(|input| ("INPUT", input.display().to_string()));
        fixed.into_iter().chain(input).chain(own).collect()
    }

    fn working_directory(&self, act: &Act) -> &Path {
        let own = self.parameters.directory.as_deref().filter(|_| matches!(act, Act::Command(_)));
        own.unwrap_or(&self.directory)
    }

    /// What is done when the act is started, for errors.
    fn start_of(&self, act: &Act) -> String {
        match act {
            Act::Script(_) => format!("start {}", self.parameters.shell),
            Act::Command(_) => format!("start `{}` in {}", act.lines().concat(), self.working_directory(act).display()),
        }
    }

    fn failed(&self, name: &str, act: &Act, ended: &Ended) -> EngineError {
        let (script, words) = match act {
            Act::Script(_) => {
                // What went wrong is in the errors, so they come last.
                let words = [ended.stdout.as_str(), &ended.stderr].join("\n");
                (format!("the workload's `{name}`"), last_lines(&words))
            }
            Act::Command(_) => {
                let what = match name {
                    BEFORE => "the preparation",
                    CLEANUP => "the cleanup",
                    _ => "the workload's",
                };
                let stream = if ended.stderr.trim().is_empty() { &ended.stdout } else { &ended.stderr };
                let words = last_lines(stream).replace(&*self.directory.to_string_lossy(), "{dir}");
                (format!("{what} `{}`", act.lines().concat()), words)
            }
        };
        let full = if self.is_full() || words.contains(NO_SPACE) { FULL } else { "" };
        EngineError::Script { script, status: ended.status, words: format!("{words}{full}") }
    }

    /// Whether less than a hundredth of the file system is free.
    fn is_full(&self) -> bool {
        rustix::fs::statvfs(&self.directory).is_ok_and(|found| found.f_bavail < found.f_blocks / 100)
    }

    fn untimed(&self, name: &str, act: Option<&Act>, operations: u64, stop: &AtomicBool) -> Result<(), EngineError> {
        let Some(act) = act else { return Ok(()) };
        match self.act(Named { name, act, operations }, None, stop)? {
            Some(_) => Ok(()),
            None => go_on(stop).map_err(EngineError::io(format!("run the script `{name}`"))),
        }
    }

    /// Runs a script or command and takes its time; `None` if it was stopped.
    fn timed(
        &self,
        named: Named<'_>,
        heard: Option<&mut Heard>,
        stop: &AtomicBool,
    ) -> Result<Option<(Ended, Nanos)>, EngineError> {
        let wrapped = timed::wrapped(&self.parameters.shell, named.act);
        let begin = clock::now();
        let Some(ended) = self.act(Named { act: &wrapped, ..named }, heard, stop)? else { return Ok(None) };
        let around = clock::now().saturating_sub(begin);
        Ok(Some((ended, timed::inside(self.scratch.path()).unwrap_or(around))))
    }

    fn run_one(&self, act: &Act, stop: &AtomicBool, stats: &mut RunStats) -> Result<(), EngineError> {
        let ProgramParameters { output, bytes, .. } = &self.parameters;
        let operations = self.parameters.operations();
        let mut heard = Heard::default();
        let listener = output.is_heard().then_some(&mut heard);
        let named = Named { name: "script", act, operations };
        let Some((ended, elapsed)) = self.timed(named, listener, stop)? else { return Ok(()) };
        let known = KnownRun { operations, bytes: bytes.0, elapsed };
        let text = [ended.stdout.as_str(), ended.stderr.as_str()].join("\n");
        let counted = output.count(self.program, &text, &heard, known, |name| self.parameters.number(name), stats);
        counted.map_err(|error| self.unexpected(error, &ended.stderr))?;
        if self.syncs {
            let begin = clock::now();
            sync_at(&self.directory)?;
            let elapsed = clock::now().saturating_sub(begin);
            stats.record(Operation::Syncfs, elapsed);
            stats.elapsed = stats.elapsed + elapsed;
        }
        Ok(())
    }

    /// The error for an output that is not as expected, with the first messages of the program: the others follow from
    /// these.
    fn unexpected(&self, error: EngineError, stderr: &str) -> EngineError {
        let messages: Vec<&str> = stderr.lines().filter(|line| !line.trim().is_empty()).take(MESSAGES).collect();
        let messages = messages.join("\n");
        match error {
            EngineError::Program { program, words } if !messages.is_empty() => {
                let full = if messages.contains(NO_SPACE) { FULL } else { "" };
                EngineError::Program { program, words: format!("{words}; its first messages:\n{messages}{full}") }
            }
            error => error,
        }
    }

    /// Runs one step and its preparation; whether it was done to its end.
    fn run_step(&self, step: &StepParameters, stop: &AtomicBool, stats: &mut RunStats) -> Result<bool, EngineError> {
        let StepParameters { name, script, operations, bytes, .. } = step;
        self.untimed(&format!("before {name}"), step.before.as_ref(), *operations, stop)?;
        if step.cold {
            sync_and_drop_caches(&self.directory, stop)?;
        }
        let named = Named { name, act: script, operations: *operations };
        let begin = clock::now();
        let Some((_, elapsed)) = self.timed(named, None, stop)? else { return Ok(false) };
        stats.spans.push((begin, clock::now()));
        stats.record(Operation::Run, elapsed);
        stats.count_done(*operations, bytes.0);
        stats.elapsed = stats.elapsed + elapsed;
        stats.end_part(stats.elapsed);
        if step.durable_writes > 0 {
            stats.count_durable_writes(step.durable_writes);
        }
        stats.add_step(name, *operations, bytes.0, elapsed);
        Ok(true)
    }

    /// A job that runs scripts in the directory of the inputs.
    fn maker_of_inputs(&self, input: &Path) -> Result<Self, EngineError> {
        Ok(Self {
            parameters: self.parameters.clone(),
            directory: input.to_owned(),
            scratch: Scratch::in_memory()?,
            input: Some(input.to_owned()),
            ..*self
        })
    }

    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let operations = self.parameters.operations();
        let run = |act: &Act, input: &Path| self.maker_of_inputs(input)?.untimed("input", Some(act), operations, stop);
        self.input = input::made(&self.parameters, self.seed & u64::from(u32::MAX), self.scratch.path(), stop, run)?;
        for (name, size) in &self.parameters.files {
            let mut random = fsarena_model::seed::generator(self.seed, name, &[]);
            let written = write_random(&self.directory.join(name), size.0, &mut random, stop);
            written.map_err(EngineError::io(format!("write {name}")))?;
        }
        self.untimed("prepare", self.parameters.prepare.as_ref(), self.parameters.operations(), stop)
    }

    /// Syncs what was made for a run, so that the run does not pay for it.
    fn reset(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.runs += 1;
        self.untimed(BEFORE, self.parameters.before.as_ref(), self.parameters.operations(), stop)?;
        sync_at(&self.directory)
    }

    /// Not in a process namespace, which could not end what the work started elsewhere.
    fn clean_up(&mut self) -> Result<(), EngineError> {
        let Some(act) = &self.parameters.cleanup else { return Ok(()) };
        let argv = act.argv(&self.parameters.shell, &self.directory);
        let ended = child::run_in(self.working_directory(act), &argv, Patience::unstoppable(CLEANUP_LIMIT));
        match ended.map_err(EngineError::io(self.start_of(act)))? {
            ended if ended.status.success() => Ok(()),
            ended => Err(self.failed(CLEANUP, act, &ended)),
        }
    }
}

impl Job for ProgramJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.prepare(stop),
            Upkeep::Reset => self.reset(stop),
            Upkeep::DropCaches => sync_and_drop_caches(&self.directory, stop),
            Upkeep::CleanUp => self.clean_up(),
            _ => Ok(()),
        }
    }

    /// The shell is another process, and so are the programs that it starts.
    fn next_run(&self) -> NextRun {
        NextRun {
            fills: Bytes(self.parameters.files.values().map(|size| size.0).sum()),
            is_alone: false,
            verifies: self.parameters.verify.is_some(),
            ..NextRun::default()
        }
    }

    fn verify(&mut self, directory: &Path, stop: &AtomicBool) -> Result<Verification, EngineError> {
        self.directory = directory.to_owned();
        let verified = self.untimed("verify", self.parameters.verify.as_ref(), self.parameters.operations(), stop);
        verified.map_err(|error| EngineError::Wrong(format!("the result of {} is wrong: {error}", self.program)))?;
        Ok(Verification { files: 1, differences: Vec::new() })
    }

    /// Runs once, however long that takes.
    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        if let Some(script) = &self.parameters.script {
            return self.run_one(script, limit.stop, stats);
        }
        for step in &self.parameters.steps {
            if !self.run_step(step, limit.stop, stats)? {
                break;
            }
        }
        Ok(())
    }
}

/// Reads any text as the output of the programs of the catalogue.
#[cfg(test)]
pub(crate) fn read_any(text: &str) {
    static ALL: std::sync::LazyLock<Vec<ProgramParameters>> = std::sync::LazyLock::new(|| {
        let workloads = fsarena_catalog::workloads().expect("sound").into_iter();
        let own = workloads.filter(|workload| workload.engine == ENGINE.name);
        own.map(|workload| ProgramParameters::of(&workload).expect("sound")).collect()
    });
    let mut heard = Heard::default();
    text.as_bytes().chunks(7).for_each(|piece| heard.hear(piece, clock::now()));
    for parameters in ALL.iter() {
        let known = KnownRun { operations: 1, bytes: 0, elapsed: Nanos(1) };
        let number = |name: &str| parameters.number(name);
        let _ = parameters.output.count("it", text, &heard, known, number, &mut RunStats::new());
    }
}
