//! The engine `oltp`: sysbench's OLTP tests on MariaDB.

pub mod output;
mod parameters;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Engine, EngineError, Job, Limit, Need, Programs, RunStats, Scratch};
use fsarena_model::{Nanos, Traits, Workload};

use self::parameters::{OltpParameters, OltpTest};
use crate::mariadb::{ClientWork, DatabaseClient, MariaDb, MariaDbJob, NEEDS, settings};
use crate::tool::{Tool, failed};

const SYSBENCH: &str = "sysbench";
/// The database of the tables, sysbench's default.
const DATABASE: &str = "sbtest";
/// Estimated number of rows per second that sysbench fills in.
const FILLED_PER_SECOND: u64 = 100_000;
/// Estimated seconds to make a data directory, and to start and stop the server.
const AROUND: u64 = 4;

pub const ENGINE: Engine = Engine { programs: Some(programs), ..Engine::new("oltp", traits, open) };

fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    let own = OltpParameters::of(workload)?;
    Ok(Traits {
        peak: own.demand(),
        extra_time: Nanos::seconds(AROUND + own.time + own.rows() / FILLED_PER_SECOND),
        program: Some(SYSBENCH.to_owned()),
        ..Traits::default()
    })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let parameters = OltpParameters::of(workload)?;
    let server = MariaDb::at(directory, parameters.server_options())?;
    let (directory, scratch) = (directory.to_owned(), Scratch::new()?);
    Ok(Box::new(MariaDbJob { work: Box::new(SysbenchClient { parameters, seed, directory, scratch }), server }))
}

fn programs(workload: &Workload) -> Programs {
    let lines = |own: OltpParameters| {
        let [prepare, run] = [own.prepare(Path::new("SOCKET"), 0), own.run(Path::new("SOCKET"), 0)];
        let words = |words: Vec<String>| words.join(" ").replace("--rand-seed=1 ", "--rand-seed=SEED ");
        vec![settings(&own.server_options()), words(prepare), words(run)]
    };
    Programs {
        needs: NEEDS.iter().copied().chain([Need::new(SYSBENCH, SYSBENCH)]).collect(),
        settings: OltpParameters::of(workload).map(lines).unwrap_or_default(),
    }
}

/// sysbench as the client of a server.
struct SysbenchClient {
    parameters: OltpParameters,
    seed: u64,
    directory: PathBuf,
    /// For sysbench's output.
    scratch: Scratch,
}

impl SysbenchClient {
    fn tool(&self, argv: Vec<String>) -> Tool<'_> {
        Tool { name: SYSBENCH, argv, user: None, directory: &self.directory, streams: self.scratch.path() }
    }
}

impl ClientWork for SysbenchClient {
    fn database(&self) -> &'static str {
        DATABASE
    }

    fn tables(&self) -> Vec<String> {
        self.parameters.table_names()
    }

    fn fill(&mut self, client: &DatabaseClient, stop: &AtomicBool) -> Result<(), EngineError> {
        let filled = self.tool(self.parameters.prepare(&client.socket, self.seed)).run(stop)?;
        let stopped = || EngineError::Wrong("the tables were not filled: it was stopped".to_owned());
        filled.ok_or_else(stopped)?;
        client.analyze(DATABASE, &self.tables())
    }

    fn run(&mut self, client: &DatabaseClient, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let call = self.parameters.run(&client.socket, self.seed);
        let Some(ended) = self.tool(call).run(limit.stop)? else { return Ok(()) };
        let transactions = output::read(&ended.stdout, stats).map_err(failed(SYSBENCH))?;
        if self.parameters.test == OltpTest::ReadWrite {
            stats.count_commits(transactions, u64::from(self.parameters.threads));
        }
        Ok(())
    }

    /// Each transaction deletes a row and inserts it again, so the number of rows does not change.
    fn check(&self, client: &DatabaseClient) -> Result<(), EngineError> {
        let wanted = self.parameters.table_size;
        self.tables().iter().try_for_each(|table| match client.rows(DATABASE, table)? {
            found if found == wanted => Ok(()),
            found => Err(EngineError::Wrong(format!("after the run {table} has {found} rows, not {wanted}"))),
        })
    }
}
