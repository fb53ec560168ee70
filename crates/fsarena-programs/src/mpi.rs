//! Engines of MPI programs, which synchronise their processes by themselves: one program on all machines.

mod output;
mod start;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::parameters::checked_up_to;
use fsarena_engine::{
    Engine, EngineError, Job, Limit, NextRun, Operation, Programs, RunStats, Scratch, Spanning, Upkeep,
    sync_and_drop_caches,
};
use fsarena_model::{Bytes, Nanos, Probe, Traits, Workload};
use fsarena_sys::clock;
use serde::de::DeserializeOwned;

pub use self::output::{MpiOutput, complete, field, read};
pub use self::start::MpiStart;
use self::start::{MPIRUN, held, launched};
use crate::LARGEST;
use crate::tool::{Tool, failed};

/// Open MPI, versions 4 and 5: root may start it, and there may be more processes than processors. Other
/// implementations allow both and ignore these.
const VARIABLES: [(&str, &str); 4] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
];

/// A program with the parameters of a workload.
pub trait MpiProgram: DeserializeOwned + Send + Sync + 'static {
    /// The program's name, and the engine's.
    const NAME: &'static str;
    /// The rate that the program prints, reported if it is not the one of its processes.
    const PRINTED: Probe;
    /// What an [`MpiOutput`] counts.
    const UNIT: &'static str;
    /// What the program can do.
    type Operation: Copy;

    /// Takes over what the workload says apart from its parameters, and returns what is wrong with them.
    fn complete(&mut self, workload: &Workload) -> Option<&'static str>;

    /// What the plan has to know about the workload.
    fn traits(&self) -> Traits;

    fn start(&self) -> &MpiStart;

    /// The operation that is timed.
    fn timed(&self) -> Self::Operation;

    /// What it does in a trial, in its order.
    fn operations(&self) -> Vec<Self::Operation>;

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
    fn read(text: &str, operation: Self::Operation, processes: u64) -> Result<MpiOutput, String>;
}

fn program<P: MpiProgram>(workload: &Workload) -> Result<P, EngineError> {
    let mut program: P = checked_up_to(LARGEST, workload, |_| None::<&str>)?;
    match program.complete(workload) {
        Some(mistake) => Err(EngineError::parameters(&workload.name, mistake)),
        None => Ok(program),
    }
}

/// The engine of a program.
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
    let operations = program.operations().into_iter();
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
    /// Runs the program; `None` if it was stopped. Returns its output and the time of its slowest process.
    fn work(&mut self, operation: P::Operation, stop: &AtomicBool) -> Result<Option<(MpiOutput, Nanos)>, EngineError> {
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
        let output = read::<P>(&text, operation, start.all()).map_err(failed(P::NAME))?;
        let elapsed = output.elapsed(self.program.amount(), P::UNIT, around).map_err(failed(P::NAME))?;
        Ok(Some((output, elapsed)))
    }

    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        match self.program.missing().filter(|_| !self.program.start().held) {
            None => Ok(()),
            Some(operation) => match self.work(operation, stop)? {
                None => Err(failed(P::NAME)("it was stopped".to_owned())),
                Some(_) => Ok(()),
            },
        }
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
        let Some((output, elapsed)) = self.work(self.program.timed(), limit.stop)? else { return Ok(()) };
        let (operations, bytes) = self.program.work();
        stats.count_done(operations, bytes.0);
        stats.elapsed = stats.elapsed + elapsed;
        stats.record(Operation::Run, elapsed);
        stats.end_part(stats.elapsed);
        stats.reported.extend(output.other_figure().map(|figure| (P::PRINTED, figure)));
        Ok(())
    }
}
