//! Engines of MPI programs, which synchronise their processes by themselves: one program on all machines.

mod output;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::parameters::checked_up_to;
use fsarena_engine::{
    Engine, EngineError, Job, Launch, Limit, Need, NextRun, Operation, Programs, RunStats, Scratch, Spanning, Upkeep,
    sync_and_drop_caches,
};
use fsarena_model::{Bytes, Nanos, Traits, Workload};
use fsarena_sys::clock;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub use self::output::{MpiOutput, MpiProcess, complete, field, read};
use crate::LARGEST;
use crate::tool::Tool;

/// Open MPI, versions 4 and 5: root may start it, and there may be more processes than processors. Other
/// implementations allow both and ignore these.
const VARIABLES: [(&str, &str); 4] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
];

/// Estimated time to start and end a program.
pub const AROUND: Nanos = Nanos::millis(700);

/// A program with the parameters of a workload.
pub trait MpiProgram: DeserializeOwned + Send + Sync + 'static {
    /// The program's name, and the engine's.
    const NAME: &'static str;
    /// What an [`MpiOutput`] counts.
    const UNIT: &'static str;
    /// What the program can do.
    type Operation: Copy;

    /// Takes over what the workload says apart from its parameters, and returns what is wrong with them.
    fn complete(&mut self, workload: &Workload) -> Option<&'static str>;

    /// What the plan has to know about the workload.
    fn traits(&self) -> Traits;

    fn start(&self) -> &MpiStart;

    fn timed(&self) -> Self::Operation;

    /// The operation without which the timed one cannot run now.
    fn missing(&self) -> Option<Self::Operation>;

    /// Notes that the operation runs next.
    fn begin(&mut self, operation: Self::Operation);

    /// The program's options. Its random choices follow from `seed`.
    fn options(&self, operation: Self::Operation, seed: &str) -> Vec<String>;

    /// Bytes or files of an operation.
    fn amount(&self) -> u64;

    /// Transfers or files, and bytes, of the timed operation.
    fn work(&self) -> (u64, Bytes);

    /// Reads output without warnings, as [`read`] does.
    ///
    /// # Errors
    /// In words, if something is missing, or is not what it must be.
    fn read(text: &str, operation: Self::Operation, processes: u64) -> Result<MpiOutput, String>;
}

pub fn set<'a>(flags: &[(&'a str, bool)]) -> impl Iterator<Item = &'a str> {
    flags.iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| *flag)
}

fn program<P: MpiProgram>(workload: &Workload) -> Result<P, EngineError> {
    let mut program: P = checked_up_to(LARGEST, workload, |_| None::<&str>)?;
    match program.complete(workload) {
        Some(mistake) => Err(EngineError::parameters(&workload.name, mistake)),
        None => Ok(program),
    }
}

pub const fn engine<P: MpiProgram>() -> Engine {
    let spanning = Some(Spanning { launched, held });
    Engine { programs: Some(programs::<P>), spanning, ..Engine::new(P::NAME, traits::<P>, open::<P>) }
}

fn traits<P: MpiProgram>(workload: &Workload) -> Result<Traits, EngineError> {
    Ok(Traits { program: Some(P::NAME.to_owned()), ..program::<P>(workload)?.traits() })
}

fn open<P: MpiProgram>(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    // The programs take the seed for a time, and 0 for none.
    let seed = (seed as u32 >> 1).max(1).to_string();
    let (directory, scratch) = (directory.to_owned(), Scratch::new()?);
    Ok(Box::new(MpiJob { program: program::<P>(workload)?, directory, scratch, seed }))
}

fn programs<P: MpiProgram>(workload: &Workload) -> Programs {
    let Ok(program) = program::<P>(workload) else { return Programs::default() };
    let operations = program.missing().into_iter().chain([program.timed()]);
    program.start().programs(P::NAME, operations.map(|operation| program.options(operation, "SEED")))
}

/// A program whose processes work in one directory at the same time.
struct MpiJob<P> {
    program: P,
    directory: PathBuf,
    /// For its output.
    scratch: Scratch,
    seed: String,
}

impl<P: MpiProgram> MpiJob<P> {
    /// Runs the program; `None` if it was stopped. Returns the time of its slowest process.
    fn work(&mut self, operation: P::Operation, stop: &AtomicBool) -> Result<Option<Nanos>, EngineError> {
        self.program.begin(operation);
        let start = self.program.start();
        let mpirun = if start.launch.is_empty() { MPIRUN.found()? } else { String::new() };
        let program = [vec![P::NAME.to_owned()], self.program.options(operation, &self.seed)].concat();
        let argv = start.words(&mpirun, &self.directory.display().to_string(), &program);
        // The directory may exist on other machines only.
        let tool = Tool { name: P::NAME, argv, user: None, directory: Path::new("/"), streams: self.scratch.path() };
        let variables = VARIABLES.map(|(name, value)| (name, value.to_owned()));
        let begin = clock::now();
        // mpirun ends its processes on all machines when it ends. Its sockets and shared memory have its process ID.
        let Some(ended) = tool.run_among_others(&variables, stop)? else { return Ok(None) };
        let around = clock::now().saturating_sub(begin);
        let text = [ended.stdout, ended.stderr].join("\n");
        let output = read::<P>(&text, operation, start.all());
        let elapsed = output.and_then(|output| output.elapsed(self.program.amount(), P::UNIT, around));
        elapsed.map(Some).map_err(EngineError::program(P::NAME))
    }

    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let missing = self.program.missing().filter(|_| !self.program.start().held);
        let Some(operation) = missing else { return Ok(()) };
        let stopped = || EngineError::program(P::NAME)("it was stopped".to_owned());
        self.work(operation, stop)?.map(drop).ok_or_else(stopped)
    }
}

impl<P: MpiProgram> Job for MpiJob<P> {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare | Upkeep::Reset => self.prepare(stop),
            Upkeep::DropCaches => sync_and_drop_caches(&self.directory, stop),
            _ => Ok(()),
        }
    }

    fn next_run(&self) -> NextRun {
        NextRun::not_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let Some(elapsed) = self.work(self.program.timed(), limit.stop)? else { return Ok(()) };
        let (operations, bytes) = self.program.work();
        stats.count_done(operations, bytes.0);
        stats.elapsed = stats.elapsed + elapsed;
        stats.record(Operation::Run, elapsed);
        stats.end_part(stats.elapsed);
        Ok(())
    }
}

/// Starts processes on this machine.
const MPIRUN: Need = Need::new("mpirun", "openmpi-bin");

/// Source of both programs, which Debian does not package.
const SOURCE: &str = "https://github.com/hpc/ior";

/// Stands for the number of processes in the words of a launcher.
const PROCESSES: &str = "{processes}";

/// Maximum number of processes on a machine, and of machines.
const MOST: u32 = 4096;

/// How the processes of a program are started.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct MpiStart {
    /// Processes on each machine, 1 to 4096.
    #[serde(skip)]
    pub processes: u32,
    /// Number of machines, 1 to 4096.
    pub machines: u32,
    /// The words before the program, with `{processes}` for the number of all processes; empty: `mpirun` on this
    /// machine.
    pub launch: Vec<String>,
    /// Whether another machine starts the program, and this one only has a directory and drops its caches.
    pub held: bool,
}

impl Default for MpiStart {
    fn default() -> Self {
        Self { processes: 1, machines: 1, launch: Vec::new(), held: false }
    }
}

impl MpiStart {
    /// What is wrong with it.
    pub fn mistake(&self) -> Option<&'static str> {
        let is_number = |number: u32| (1..=MOST).contains(&number);
        let is_sound = is_number(self.processes) && is_number(self.machines);
        (!is_sound).then_some("`processes` are 1 to 4096, and so are `machines`")
    }

    /// Number of processes on all machines.
    pub fn all(&self) -> u64 {
        u64::from(self.processes) * u64::from(self.machines)
    }

    /// The words that start `program` in `directory` on all machines.
    fn words(&self, mpirun: &str, directory: &str, program: &[String]) -> Vec<String> {
        let own = [mpirun, "-n", PROCESSES].map(str::to_owned);
        let launch = if self.launch.is_empty() { own.as_slice() } else { self.launch.as_slice() };
        let launch = launch.iter().map(|word| word.replace(PROCESSES, &self.all().to_string()));
        // The programs take an `@` in a path for a separator of paths, so they get none.
        let inside = ["env", "-C", directory].map(str::to_owned);
        launch.chain(inside).chain(program.iter().cloned()).collect()
    }

    /// The command line of `program`, for the report.
    fn shown(&self, program: &[String]) -> String {
        self.words(MPIRUN.program, "LANE", program).join(" ")
    }

    /// The programs that have to be installed here, and the command lines of the program `name` with these options.
    fn programs(&self, name: &'static str, options: impl Iterator<Item = Vec<String>>) -> Programs {
        let starter = self.launch.is_empty().then_some(MPIRUN);
        let needs = [Need::new(name, SOURCE)].into_iter().chain(starter);
        Programs {
            needs: needs.map(|need| Need { version: "", ..need }).collect(),
            settings: options.map(|options| self.shown(&[vec![name.to_owned()], options].concat())).collect(),
        }
    }
}

/// The workload as these words start its program on several machines.
fn launched(workload: &Workload, launch: &Launch) -> Workload {
    with(workload, json!({ "machines": launch.machines, "launch": launch.words }))
}

/// The workload of a machine on which another one starts the program.
fn held(workload: &Workload) -> Workload {
    with(workload, json!({ "held": true }))
}

/// The workload with these fields of [`MpiStart`].
fn with(workload: &Workload, fields: Value) -> Workload {
    let mut workload = workload.clone();
    let parameters = workload.parameters.as_object_mut();
    let start = parameters.map(|parameters| parameters.entry("start").or_insert_with(|| json!({})));
    if let (Some(start), Value::Object(fields)) = (start.and_then(Value::as_object_mut), fields) {
        start.extend(fields);
    }
    workload
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(launch: &[&str]) -> MpiStart {
        let launch = launch.iter().map(|word| (*word).to_owned()).collect();
        MpiStart { processes: 2, machines: 3, launch, held: false }
    }

    #[test]
    fn the_launcher_comes_first_and_knows_the_number_of_processes() {
        let program = ["tool", "-x"].map(str::to_owned);
        assert_eq!(start(&[]).shown(&program), "mpirun -n 6 env -C LANE tool -x");
        assert_eq!(start(&["srun", "-n{processes}"]).shown(&program), "srun -n6 env -C LANE tool -x");
    }
}
