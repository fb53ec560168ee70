//! The engine `oltp`: sysbench's tests of transactions on MariaDB.

mod output;
mod parameters;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::{Engine, EngineError, Job, Limit, Need, Tally};
use fsarena_model::{Bytes, Nanos, Verification, Workload};

use self::output::Said;
use self::parameters::{Parameters, Test};
use crate::mariadb::{Client, MariaDb, NEEDS, settings};
use crate::tool::Tool;

/// The program's and its package's name.
const SYSBENCH: &str = "sysbench";
/// The database that its tables are in, as sysbench's own default has it.
const DATABASE: &str = "sbtest";
/// Rows that it fills in per second, about; for estimates.
const FILLED_PER_SECOND: u64 = 100_000;
/// To make a data directory, and to start and stop the server.
const AROUND: u64 = 4;

/// The engine `oltp`.
pub struct Oltp;

impl Engine for Oltp {
    fn name(&self) -> &'static str {
        "oltp"
    }

    fn demand(&self, workload: &Workload) -> Result<Bytes, EngineError> {
        Ok(Parameters::of(workload)?.demand())
    }

    fn adds(&self, workload: &Workload) -> Nanos {
        let of = |own: Parameters| own.time + own.rows() / FILLED_PER_SECOND;
        Nanos::seconds(AROUND + Parameters::of(workload).map_or(0, of))
    }

    fn needs(&self, _workload: &Workload) -> Vec<Need> {
        NEEDS.iter().copied().chain([Need::new(SYSBENCH, SYSBENCH)]).collect()
    }

    fn settings(&self, workload: &Workload) -> Vec<String> {
        let told = |own: Parameters| {
            let [prepare, run] = [own.prepare(Path::new("SOCKET"), 0), own.run(Path::new("SOCKET"), 0)];
            let words = |words: Vec<String>| words.join(" ").replace("--rand-seed=1 ", "--rand-seed=SEED ");
            vec![settings(&own.server_options()), words(prepare), words(run)]
        };
        Parameters::of(workload).map(told).unwrap_or_default()
    }

    fn program(&self) -> Option<&'static str> {
        Some(SYSBENCH)
    }

    fn open(&self, workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
        let (parameters, directory) = (Parameters::of(workload)?, directory.to_owned());
        Ok(Box::new(OltpJob { parameters, directory, seed, server: None }))
    }
}

/// A server with sysbench at it.
struct OltpJob {
    parameters: Parameters,
    directory: PathBuf,
    seed: u64,
    server: Option<MariaDb>,
}

impl OltpJob {
    fn server(&mut self) -> Result<&mut MariaDb, EngineError> {
        self.server.as_mut().ok_or_else(|| EngineError::Wrong("there is no data directory yet".to_owned()))
    }

    /// Runs sysbench, and gives what it said; `None` if it was stopped. What it does not succeed in may be the server's end.
    fn call(&mut self, argv: Vec<String>, stop: &AtomicBool) -> Result<Option<String>, EngineError> {
        let (directory, streams) = (self.directory.clone(), self.server()?.run_folder().to_owned());
        let tool = Tool { name: SYSBENCH, argv, user: None, directory: &directory, streams: &streams };
        let ended = self.server()?.during(stop, |stop| tool.run(stop))?;
        Ok(ended.map(|ended| ended.stdout))
    }
}

impl Job for OltpJob {
    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.server = Some(MariaDb::install(&self.directory, self.parameters.server_options(), stop)?);
        self.server()?.start(stop)?;
        let socket = self.server()?.socket();
        self.server()?.during(stop, |_| Client::new(socket.clone()).make_database(DATABASE))?;
        if self.call(self.parameters.prepare(&socket, self.seed), stop)?.is_none() {
            return Err(EngineError::Wrong("the tables were not filled: it was stopped".to_owned()));
        }
        let tables = self.parameters.table_names();
        self.server()?.during(stop, |_| Client::new(socket.clone()).analyze(DATABASE, &tables))?;
        self.server()?.stop()
    }

    /// The server and its client are others.
    fn is_alone(&self) -> bool {
        false
    }

    fn begin(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.server()?.start(stop)
    }

    fn run(&mut self, limit: &Limit<'_>, tally: &mut Tally) -> Result<(), EngineError> {
        let socket = self.server()?.socket();
        let Some(text) = self.call(self.parameters.run(&socket, self.seed), limit.stop)? else { return Ok(()) };
        let said = Said::of(&text)?;
        if said.reconnects > 0.0 {
            let words = format!("the server hung up {} times", said.reconnects);
            return Err(EngineError::Program { program: SYSBENCH, words });
        }
        said.count(tally);
        if self.parameters.test == Test::ReadWrite {
            let connections = f64::from(self.parameters.threads);
            let commits = ("commits", "commits", said.transactions);
            tally.said.extend([commits, ("connections", "connections", connections)]);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), EngineError> {
        self.server()?.stop()
    }

    fn chill(&mut self) -> Result<(), EngineError> {
        self.server()?.chill()
    }

    fn verifies(&self) -> bool {
        true
    }

    /// By the server, which is started again on what is there. Each transaction deletes a row and inserts it again: there are as many as
    /// at the beginning.
    fn verify(&mut self, _directory: &Path) -> Result<Verification, EngineError> {
        let (tables, wanted) = (self.parameters.table_names(), self.parameters.table_size);
        self.server()?.reopened(|client| {
            client.require_sound(DATABASE, &tables)?;
            tables.iter().try_for_each(|table| match client.rows(DATABASE, table)? {
                found if found == wanted => Ok(()),
                found => Err(EngineError::Wrong(format!("after the run {table} has {found} rows, not {wanted}"))),
            })
        })?;
        Ok(Verification { files: tables.len() as u64, differences: Vec::new() })
    }
}
