//! The engine `sysbench`: runs the test `fileio` of the program sysbench (1.0), as in articles.

mod parameters;
pub mod text;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_model::{Bytes, CacheState, Nanos, Traits, Workload};

use self::parameters::SysbenchParameters;
use crate::tool::{Tool, failed};
use fsarena_engine::{Engine, EngineError, Job, Limit, Need, NextRun, Operation, Programs, RunStats, Scratch, Upkeep};

pub const ENGINE: Engine = Engine { programs: Some(programs), ..Engine::new(NAME, traits, open) };

const NAME: &str = "sysbench";

/// The time of the run, and a while to start and to end. The cost of the program itself is not what the workload
/// measures, so there is no reference in memory.
fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    const AROUND: Nanos = Nanos::millis(100);
    let parameters = SysbenchParameters::of(workload)?;
    let block = Bytes(parameters.file_block_size);
    Ok(Traits {
        peak: Bytes(parameters.file_total_size),
        direct_block: (workload.cache == CacheState::Direct).then_some(block),
        extra_time: AROUND + Nanos::seconds(parameters.time),
        program: Some(NAME.to_owned()),
        runs_in_memory: false,
        ..Traits::default()
    })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let streams = Scratch::new()?;
    let (parameters, directory) = (SysbenchParameters::of(workload)?, directory.to_owned());
    Ok(Box::new(SysbenchJob { parameters, directory, streams, seed, runs: 0 }))
}

fn programs(_workload: &Workload) -> Programs {
    Programs { needs: vec![Need::new(NAME, NAME)], settings: Vec::new() }
}

struct SysbenchJob {
    parameters: SysbenchParameters,
    directory: PathBuf,
    /// Where the output of sysbench is kept, outside of its working directory.
    streams: Scratch,
    seed: u64,
    /// Number of runs so far. Each run visits other places.
    runs: u64,
}

impl SysbenchJob {
    fn tool(&self, command: &str, options: Vec<String>) -> Tool<'_> {
        let argv = [vec![NAME.to_owned(), "fileio".to_owned()], options, vec![command.to_owned()]].concat();
        Tool { name: NAME, argv, user: None, directory: &self.directory, streams: self.streams.path() }
    }
}

impl Job for SysbenchJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.tool("prepare", self.parameters.layout()).finish_unless(stop).map(drop),
            _ => Ok(()),
        }
    }

    /// sysbench is another process.
    fn next_run(&self) -> NextRun {
        NextRun::not_alone()
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let options = self.parameters.options(self.seed.wrapping_add(self.runs));
        self.runs += 1;
        let Some(ended) = self.tool("run", options).run(limit.stop)? else { return Ok(()) };
        let operation = if self.parameters.mode.only_reads() { Operation::Read } else { Operation::Run };
        text::read(&ended.stdout, operation, self.parameters.file_block_size, stats).map_err(failed(NAME))
    }
}
