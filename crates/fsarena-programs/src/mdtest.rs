//! The engine `mdtest`: the metadata benchmark that comes with IOR, as one program on all machines.

mod output;
mod parameters;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Abilities, Engine, EngineError, Job, Limit, NextRun, Programs, RunStats, Upkeep};
use fsarena_model::{Probe, Traits, Workload};

use self::output::Output;
use self::parameters::{Operation, Parameters};
use crate::mpi::{self, Done, Mpi, Ran};

/// The program's name.
const NAME: &str = "mdtest";

/// The figure that the program prints, if it is not the one of its processes.
const PRINTED: Probe = Probe::of_program("mdtest.printed", "files/s");

/// The engine `mdtest`.
pub struct Mdtest;

impl Engine for Mdtest {
    fn name(&self) -> &'static str {
        NAME
    }

    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        let parameters = Parameters::of(workload)?;
        Ok(Traits {
            peak: parameters.demand(),
            extra_time: parameters.about(),
            program: Some(NAME.to_owned()),
            ..Traits::default()
        })
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let parameters = Parameters::of(workload)?;
        let mpi = Mpi::new(NAME, parameters.start.clone(), directory)?;
        Ok(Box::new(MdtestJob { parameters, mpi, seed, files: Files::None }))
    }

    fn abilities(&self) -> Abilities {
        mpi::abilities(programs)
    }
}

fn programs(workload: &Workload) -> Programs {
    let Ok(parameters) = Parameters::of(workload) else { return Programs::default() };
    parameters.start.programs(NAME, parameters.operations().map(|operation| parameters.options(operation, "SEED")))
}

/// The files in the job's directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Files {
    None,
    All,
}

struct MdtestJob {
    parameters: Parameters,
    mpi: Mpi,
    seed: u64,
    files: Files,
}

impl MdtestJob {
    fn options(&self, operation: Operation) -> Vec<String> {
        self.parameters.options(operation, &(self.seed as u32 >> 1).to_string())
    }

    fn read(&self, operation: Operation, ran: &Ran) -> Result<Output, EngineError> {
        let read = Output::of(&ran.text, operation.phase(), self.parameters.start.all());
        let checked = read.and_then(|output| output.done(self.parameters.all(), ran.around));
        checked.map_err(|words| self.mpi.failed(&words))
    }

    /// Makes or removes all files, untimed.
    fn change(&mut self, operation: Operation, stop: &AtomicBool) -> Result<(), EngineError> {
        let ran = self.mpi.finish(&self.options(operation), stop)?;
        self.read(operation, &ran)?;
        self.files = operation.leaves().unwrap_or(self.files);
        Ok(())
    }
}

impl MdtestJob {
    /// Files are made, or removed, unless they are as the operation needs them.
    fn reset(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        match (self.parameters.operation.needs(), self.files) {
            (Files::All, Files::None) => self.change(Operation::Create, stop),
            (Files::None, Files::All) => self.change(Operation::Delete, stop),
            _ => Ok(()),
        }
    }
}

impl Job for MdtestJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare if self.mpi.is_held() => Ok(()),
            Upkeep::Prepare | Upkeep::Reset => self.reset(stop),
            Upkeep::DropCaches => self.mpi.drop_caches(stop),
            _ => Ok(()),
        }
    }

    fn next_run(&self) -> NextRun {
        NextRun::not_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let operation = self.parameters.operation;
        let Some(ran) = self.mpi.run(&self.options(operation), limit.stop)? else { return Ok(()) };
        let output = self.read(operation, &ran)?;
        self.files = operation.leaves().unwrap_or(self.files);
        let (operations, bytes) = (self.parameters.all(), self.parameters.moved());
        let printed = output.other_figure().map(|figure| (PRINTED, figure));
        Done { elapsed: output.elapsed, operations, bytes, printed }.add_to(stats);
        Ok(())
    }
}

/// Reads any text as the program's output.
#[cfg(test)]
pub(crate) fn understand(text: &str) {
    let _ = Output::of(text, Operation::Create.phase(), 2).map(|output| output.other_figure());
}
