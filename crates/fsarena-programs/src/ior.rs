//! The engine `ior`: IOR, by which parallel file systems are measured, as one program on all machines.

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
const NAME: &str = "ior";

/// The figure that the program prints, if it is not the one of its processes.
const PRINTED: Probe = Probe::of_program("ior.printed", "MiB/s");

/// The file that is read, and the beginning of the names of those that are written.
const FILE: &str = "data";

/// The engine `ior`.
pub struct Ior;

impl Engine for Ior {
    fn name(&self) -> &'static str {
        NAME
    }

    fn traits(&self, workload: &Workload) -> Result<Traits, EngineError> {
        let parameters = Parameters::of(workload)?;
        Ok(Traits {
            peak: parameters.bytes(),
            block: Some(parameters.transfer_size),
            direct_block: parameters.direct_block(),
            extra_time: parameters.about(),
            program: Some(NAME.to_owned()),
            ..Traits::default()
        })
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let parameters = Parameters::of(workload)?;
        let mpi = Mpi::new(NAME, parameters.start.clone(), directory)?;
        Ok(Box::new(IorJob { parameters, mpi, seed, written: 0 }))
    }

    fn abilities(&self) -> Abilities {
        mpi::abilities(programs)
    }
}

fn programs(workload: &Workload) -> Programs {
    let Ok(parameters) = Parameters::of(workload) else { return Programs::default() };
    parameters
        .start
        .programs(NAME, parameters.operations().map(|operation| parameters.options(operation, "SEED", FILE)))
}

struct IorJob {
    parameters: Parameters,
    mpi: Mpi,
    seed: u64,
    /// Slices that have written a file of their own.
    written: u32,
}

impl IorJob {
    /// A file that is written has a new name each time: a machine may still have the removed one in its cache, and
    /// would fail to open it (ESTALE).
    fn options(&self, operation: Operation) -> Vec<String> {
        let file = match self.parameters.operation {
            Operation::Read => FILE.to_owned(),
            Operation::Write => format!("{FILE}-{}", self.written),
        };
        // It takes the seed for a time, and 0 for none.
        let seed = (self.seed as u32 >> 1).max(1).to_string();
        self.parameters.options(operation, &seed, &file)
    }

    fn read(&self, operation: Operation, ran: &Ran) -> Result<Output, EngineError> {
        let read = Output::of(&ran.text, operation.word(), self.parameters.start.all());
        let checked = read.and_then(|output| output.moved(self.parameters.bytes(), ran.around));
        checked.map_err(|words| self.mpi.failed(&words))
    }
}

impl IorJob {
    /// What is read is written before.
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        if self.mpi.is_held() || self.parameters.operation == Operation::Write {
            return Ok(());
        }
        let ran = self.mpi.finish(&self.options(Operation::Write), stop)?;
        self.read(Operation::Write, &ran).map(drop)
    }
}

impl Job for IorJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.prepare(stop),
            Upkeep::DropCaches => self.mpi.drop_caches(stop),
            _ => Ok(()),
        }
    }

    fn next_run(&self) -> NextRun {
        NextRun::not_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let operation = self.parameters.operation;
        self.written += 1;
        let Some(ran) = self.mpi.run(&self.options(operation), limit.stop)? else { return Ok(()) };
        let output = self.read(operation, &ran)?;
        let bytes = self.parameters.bytes();
        let operations = bytes.0 / self.parameters.transfer_size.0;
        let printed = output.other_figure().map(|figure| (PRINTED, figure));
        Done { elapsed: output.elapsed, operations, bytes, printed }.add_to(stats);
        Ok(())
    }
}

/// Reads any text as the program's output.
#[cfg(test)]
pub(crate) fn understand(text: &str) {
    let _ = Output::of(text, Operation::Write.word(), 2).map(|output| output.other_figure());
}
