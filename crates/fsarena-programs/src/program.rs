//! The engine `program`: runs scripts that start any program, times them, and reads figures from their output.

mod output;
mod parameters;
mod timed;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::{
    Abilities, Engine, EngineError, Job, Limit, Need, Operation, Programs, RunStats, Scratch, drop_cached_below, go_on,
    pid_namespace, sync_and_drop_caches, sync_at,
};
use fsarena_model::{Bytes, Nanos, Step, Traits, Verification, Workload, intern};
use fsarena_sys::child::{self, Ended, Setting};
use fsarena_sys::clock;
use rand::Rng;

use self::output::{Heard, Known};
use self::parameters::{Parameters, ProgramNeed, StepParameters, Task, Version};
use crate::server::last_lines;

/// A script that starts more programs than this is not also run in memory.
const MOST_STARTS_IN_MEMORY: u64 = 5000;

/// Time for the start of the shells and for small scripts.
const OVERHEAD: Nanos = Nanos::millis(600);

/// The engine `program`.
pub struct Program;

impl Engine for Program {
    fn name(&self) -> &'static str {
        "program"
    }

    /// If a script starts thousands of programs, the starts alone show its cost without the file system, and a run in
    /// memory would take minutes more. The estimate is a millisecond for each start.
    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        let parameters = Parameters::of(workload)?;
        let starts = Some(parameters.starts()).filter(|starts| *starts > 0);
        Ok(Traits {
            peak: parameters.data,
            extra_time: OVERHEAD + Nanos::millis(starts.unwrap_or(0)) + Nanos::seconds(parameters.estimate_s),
            // One of several shells: the workload names one.
            program: Some(parameters.needs.first().map_or("sh".to_owned(), |need| need.program.clone())),
            starts,
            runs_in_memory: starts.is_none_or(|starts| starts <= MOST_STARTS_IN_MEMORY),
            ..Traits::default()
        })
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let (parameters, directory) = (Parameters::of(workload)?, directory.to_owned());
        let program = parameters.needs.first().map_or("script", |need| intern(&need.program));
        Ok(Box::new(ProgramJob { parameters, program, directory, scratch: Scratch::new()?, seed }))
    }

    fn abilities(&self) -> Abilities {
        Abilities { programs: Some(programs), ..Abilities::default() }
    }
}

fn programs(workload: &Workload) -> Programs {
    let Ok(parameters) = Parameters::of(workload) else { return Programs::default() };
    // The package of the standard shell has another name.
    let package = if parameters.shell == "sh" { "dash" } else { intern(&parameters.shell) };
    let shell = Need { version: "", ..Need::new(intern(&parameters.shell), package) };
    let needs = parameters.needs.iter().map(ProgramNeed::need).chain([shell]).collect();
    // Scripts of no named program are in the workload's parameters only.
    let settings = if parameters.needs.is_empty() { Vec::new() } else { parameters.lines() };
    Programs { needs, settings }
}

impl ProgramNeed {
    fn need(&self) -> Need {
        let version = match self.version {
            Version::None => "",
            Version::Package => Need::PACKAGED,
            Version::Long => "--version",
            Version::Short => "-V",
            Version::Help => "--help",
        };
        Need { version, ..Need::new(intern(&self.program), intern(&self.package)) }
    }
}

impl Parameters {
    /// The variables and scripts of a run, line by line.
    fn lines(&self) -> Vec<String> {
        let variables: Vec<_> = self.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let variables = (!variables.is_empty()).then(|| variables.join(" "));
        let run: Vec<&str> = match self.task() {
            Task::Script(script) => vec![script],
            Task::Steps(steps) => steps.iter().map(|step| step.script.as_str()).collect(),
        };
        let scripts = self.prepare.iter().chain(&self.before).map(String::as_str).chain(run);
        let lines = scripts.flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned);
        variables.into_iter().chain(lines).collect()
    }
}

/// A job of the engine `program`.
struct ProgramJob {
    parameters: Parameters,
    /// Name for errors.
    program: &'static str,
    directory: PathBuf,
    /// For the output of the shell and for files of the scripts, outside of the file system that is measured.
    scratch: Scratch,
    seed: u64,
}

impl ProgramJob {
    /// Runs a script in which `$N` is `operations`; `None` if it was stopped. `name` is used in its error.
    fn script(
        &self,
        (name, text, operations): (&str, &str, u64),
        heard: Option<&mut Heard>,
        stop: &AtomicBool,
    ) -> Result<Option<Ended>, EngineError> {
        let scratch = self.scratch.path();
        let fixed = [
            ("N", operations.to_string()),
            ("SEED", (self.seed as u32).to_string()),
            ("SCRATCH", scratch.display().to_string()),
            (timed::VARIABLE, scratch.join(timed::FILE).display().to_string()),
        ];
        let own = self.parameters.variables.iter().map(|(name, value)| (name.as_str(), value.to_string()));
        let variables: Vec<_> = fixed.into_iter().chain(own).collect();
        let setting = Setting { directory: &self.directory, streams: scratch, variables: &variables, stop };
        let shell = [self.parameters.shell.as_str(), "-c", text];
        let argv: Vec<&str> = pid_namespace().iter().copied().chain(shell).collect();
        let ended = match heard {
            Some(heard) => child::run_heard(&argv, setting, &mut |piece| heard.hear(piece, clock::now())),
            None => child::run_until(&argv, setting),
        };
        match ended.map_err(EngineError::io(format!("start {}", shell[0])))? {
            Some(ended) if !ended.status.success() => {
                let words = last_lines(&ended.words());
                Err(EngineError::Script { script: name.to_owned(), status: ended.status, words })
            }
            ended => Ok(ended),
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
        match self.script((name, text, operations), None, stop)? {
            Some(_) => Ok(()),
            None => go_on(stop).map_err(EngineError::io(format!("run the script `{name}`"))),
        }
    }

    /// Runs a script and takes its time; `None` if it was stopped.
    fn timed(
        &self,
        (name, text, operations): (&str, &str, u64),
        heard: Option<&mut Heard>,
        stop: &AtomicBool,
    ) -> Result<Option<(Ended, Nanos)>, EngineError> {
        let begin = clock::now();
        let text = timed::wrapped(&self.parameters.shell, text);
        let Some(ended) = self.script((name, &text, operations), heard, stop)? else { return Ok(None) };
        let around = clock::now().saturating_sub(begin);
        Ok(Some((ended, timed::inside(self.scratch.path()).unwrap_or(around))))
    }

    fn run_script(&self, script: &str, stop: &AtomicBool, stats: &mut RunStats) -> Result<(), EngineError> {
        let Parameters { output, bytes, .. } = &self.parameters;
        let operations = self.parameters.operations();
        let mut heard = Heard::default();
        let listener = output.is_heard().then_some(&mut heard);
        let Some((ended, elapsed)) = self.timed(("script", script, operations), listener, stop)? else {
            return Ok(());
        };
        let known = Known { operations, bytes: bytes.0, elapsed };
        let text = [ended.stdout.as_str(), ended.stderr.as_str()].join("\n");
        output.count(self.program, &text, &heard, known, |name| self.parameters.number(name), stats)
    }

    /// Runs one step and its preparation; whether it was done to its end.
    fn run_step(&self, step: &StepParameters, stop: &AtomicBool, stats: &mut RunStats) -> Result<bool, EngineError> {
        let StepParameters { name, script, operations, bytes, .. } = step;
        self.untimed(&format!("before {name}"), step.before.as_ref(), *operations, stop)?;
        if step.cold {
            sync_and_drop_caches(&self.directory, stop)?;
        }
        let Some((_, elapsed)) = self.timed((name, script, *operations), None, stop)? else { return Ok(false) };
        stats.record(Operation::Run, elapsed);
        stats.count_done(*operations, bytes.0);
        stats.elapsed = stats.elapsed + elapsed;
        stats.end_part(stats.elapsed);
        if step.durable_writes > 0 {
            stats.count_durable_writes(step.durable_writes);
        }
        let (name, operations, bytes) = (name.clone(), *operations, bytes.0);
        stats.steps.push(Step { name, operations, bytes, elapsed, synced: None, written: None });
        Ok(true)
    }

    /// Writes a file of `size` random bytes.
    fn fill(&self, name: &str, size: Bytes, stop: &AtomicBool) -> io::Result<()> {
        let mut random = fsarena_model::seed::generator(self.seed, name, &[]);
        let mut file = File::create(self.directory.join(name))?;
        let (mut piece, mut left) = (vec![0; 1 << 20], size.0);
        while left > 0 {
            go_on(stop)?;
            let length = left.min(piece.len() as u64) as usize;
            random.fill_bytes(&mut piece[..length]);
            file.write_all(&piece[..length])?;
            left -= length as u64;
        }
        file.sync_all()
    }
}

impl Job for ProgramJob {
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        for (name, size) in &self.parameters.files {
            self.fill(name, *size, stop).map_err(EngineError::io(format!("write {name}")))?;
        }
        self.untimed("prepare", self.parameters.prepare.as_ref(), self.parameters.operations(), stop)
    }

    /// Syncs what was made for a run, so that the run does not pay for it.
    fn reset(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.untimed("before", self.parameters.before.as_ref(), self.parameters.operations(), stop)?;
        sync_at(&self.directory)
    }

    fn fills(&self) -> Bytes {
        Bytes(self.parameters.files.values().map(|size| size.0).sum())
    }

    /// The shell is another process, and so are the programs that it starts.
    fn is_alone(&self) -> bool {
        false
    }

    fn drop_caches(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        drop_cached_below(&self.directory, stop)
    }

    fn verifies(&self) -> bool {
        self.parameters.verify.is_some()
    }

    fn verify(&mut self, directory: &Path, stop: &AtomicBool) -> Result<Verification, EngineError> {
        self.directory = directory.to_owned();
        let verified = self.untimed("verify", self.parameters.verify.as_ref(), self.parameters.operations(), stop);
        verified.map_err(|error| EngineError::Wrong(format!("the result of {} is wrong: {error}", self.program)))?;
        Ok(Verification { files: 1, differences: Vec::new() })
    }

    /// Runs once, however long that takes.
    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        match self.parameters.task() {
            Task::Script(script) => self.run_script(script, limit.stop, stats),
            Task::Steps(steps) => {
                for step in steps {
                    if !self.run_step(step, limit.stop, stats)? {
                        break;
                    }
                }
                Ok(())
            }
        }
    }
}

/// Reads any text as the output of the programs of the catalogue.
#[cfg(test)]
pub(crate) fn read_any(text: &str) {
    let mut heard = Heard::default();
    text.as_bytes().chunks(7).for_each(|piece| heard.hear(piece, clock::now()));
    for workload in
        fsarena_catalog::workloads().expect("sound").into_iter().filter(|workload| workload.engine == Program.name())
    {
        let parameters = Parameters::of(&workload).expect("sound");
        let known = Known { operations: 1, bytes: 0, elapsed: Nanos(1) };
        let number = |name: &str| parameters.number(name);
        let _ = parameters.output.count("it", text, &heard, known, number, &mut RunStats::new());
    }
}
