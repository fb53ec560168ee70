//! The engine `oltp`: sysbench's OLTP tests on MariaDB.

pub mod output;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::parameters::{checked_up_to, require_once};
use fsarena_engine::{Engine, EngineError, Job, Limit, Need, Programs, RunStats, Scratch};
use fsarena_model::{Bytes, Nanos, Traits, Workload};
use serde::Deserialize;

use crate::LARGEST;
use crate::mariadb::{
    ClientWork, DatabaseClient, EMPTY, MOST_THREADS, MariaDb, MariaDbJob, NEEDS, settings, usual_pool,
};
use crate::tool::Tool;

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
        peak: Bytes(EMPTY + own.rows() * PER_ROW),
        extra_time: Nanos::seconds(AROUND + own.time + own.rows() / FILLED_PER_SECOND),
        program: Some(SYSBENCH.to_owned()),
        ..Traits::default()
    })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let parameters = OltpParameters::of(workload)?;
    let server = MariaDb::at(directory, parameters.buffer_pool)?;
    let (directory, scratch) = (directory.to_owned(), Scratch::new()?);
    Ok(Box::new(MariaDbJob { work: Box::new(SysbenchClient { parameters, seed, directory, scratch }), server }))
}

fn programs(workload: &Workload) -> Programs {
    let lines = |own: OltpParameters| {
        let [prepare, run] = [own.prepare(Path::new("SOCKET"), 0), own.run(Path::new("SOCKET"), 0)];
        let words = |words: Vec<String>| words.join(" ").replace("--rand-seed=1 ", "--rand-seed=SEED ");
        vec![settings(own.buffer_pool), words(prepare), words(run)]
    };
    Programs {
        needs: NEEDS.iter().copied().chain([Need::new(SYSBENCH, SYSBENCH)]).collect(),
        settings: OltpParameters::of(workload).map(lines).unwrap_or_default(),
    }
}

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
        (1..=self.parameters.tables).map(|number| format!("sbtest{number}")).collect()
    }

    fn fill(&mut self, client: &DatabaseClient, stop: &AtomicBool) -> Result<(), EngineError> {
        self.tool(self.parameters.prepare(&client.socket, self.seed)).finish_unless(stop)?;
        client.analyze(&self.tables())
    }

    fn run(&mut self, client: &DatabaseClient, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        let call = self.parameters.run(&client.socket, self.seed);
        let Some(ended) = self.tool(call).run(limit.stop)? else { return Ok(()) };
        let transactions = output::read(&ended.stdout, stats).map_err(EngineError::program(SYSBENCH))?;
        if self.parameters.test == OltpTest::ReadWrite {
            stats.count_commits(transactions, u64::from(self.parameters.threads));
        }
        Ok(())
    }

    /// Each transaction deletes a row and inserts it again, so the number of rows does not change.
    fn check(&self, client: &DatabaseClient) -> Result<(), EngineError> {
        let wanted = self.parameters.table_size;
        self.tables().iter().try_for_each(|table| match client.rows(table)? {
            found if found == wanted => Ok(()),
            found => Err(EngineError::Wrong(format!("after the run {table} has {found} rows, not {wanted}"))),
        })
    }
}

/// Space of a row with its index: 252 bytes as measured, and a reserve.
const PER_ROW: u64 = 320;
/// Number of threads that fill the tables. Each fills one table after the other.
const FILLING: u32 = 4;

/// The parameters, named like sysbench's options.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct OltpParameters {
    test: OltpTest,
    tables: u32,
    /// Rows per table.
    table_size: u64,
    /// Number of connections, 1 to 390.
    threads: u32,
    /// Seconds of a run.
    time: u64,
    /// Size of the server's buffer pool.
    #[serde(default = "usual_pool")]
    buffer_pool: Bytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OltpTest {
    ReadOnly,
    ReadWrite,
}

impl OltpParameters {
    fn of(workload: &Workload) -> Result<Self, EngineError> {
        require_once(workload)?;
        checked_up_to(LARGEST, workload, Self::complaint)
    }

    fn complaint(&self) -> Option<&'static str> {
        Some(match () {
            () if self.tables == 0 || self.table_size == 0 || self.time == 0 => {
                "`tables`, `table-size` and `time` are at least 1"
            }
            () if !(1..=MOST_THREADS).contains(&self.threads) => "`threads` is from 1 to 390",
            () => return None,
        })
    }

    fn rows(&self) -> u64 {
        u64::from(self.tables) * self.table_size
    }

    /// Command line that fills the tables.
    fn prepare(&self, socket: &Path, seed: u64) -> Vec<String> {
        let threads = format!("--threads={}", FILLING.min(self.tables));
        self.common(socket, seed).into_iter().chain([threads, "prepare".to_owned()]).collect()
    }

    fn run(&self, socket: &Path, seed: u64) -> Vec<String> {
        let own = [
            format!("--threads={}", self.threads),
            format!("--time={}", self.time),
            "--events=0".to_owned(),
            "--percentile=95".to_owned(),
            "--histogram=on".to_owned(),
            "run".to_owned(),
        ];
        self.common(socket, seed).into_iter().chain(own).collect()
    }

    /// Words that both commands share. Every random choice follows from `seed`; sysbench takes 31 bits and no 0. All
    /// rows are equally likely, which is not sysbench's default.
    fn common(&self, socket: &Path, seed: u64) -> Vec<String> {
        vec![
            SYSBENCH.to_owned(),
            if self.test == OltpTest::ReadOnly { "oltp_read_only" } else { "oltp_read_write" }.to_owned(),
            "--db-driver=mysql".to_owned(),
            format!("--mysql-socket={}", socket.display()),
            "--mysql-user=root".to_owned(),
            format!("--mysql-db={DATABASE}"),
            format!("--tables={}", self.tables),
            format!("--table-size={}", self.table_size),
            "--rand-type=uniform".to_owned(),
            format!("--rand-seed={}", seed % 0x7fff_fffe + 1),
        ]
    }
}
