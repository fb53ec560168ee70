//! The engine `mariadb`, the database workloads of the trading firm, and MariaDB on the lane: a new data directory for
//! each contender and round, and a server that only a private socket reaches.
//! <https://mariadb.com/kb/en/innodb-system-variables/>

mod client;
mod ingest;
mod market;
mod parameters;
mod queries;
mod results;
mod schema;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::{
    Engine, EngineError, Job, Limit, Need, NextRun, Programs, RunStats, Upkeep, sync_and_drop_caches,
};
use fsarena_model::{Bytes, Nanos, Traits, Verification, Workload};
use rustix::process::Signal;

pub use self::client::DatabaseClient;
use self::ingest::Ingest;
use self::parameters::{MariaDbParameters, MariaDbTask};
use self::queries::Queries;
use self::results::LogResults;
use crate::folder;
use crate::server::LaneServer;
use crate::user::User;

pub trait ClientWork {
    fn database(&self) -> &'static str {
        "market"
    }

    /// Makes the tables and their first rows; untimed.
    fn fill(&mut self, client: &DatabaseClient, stop: &AtomicBool) -> Result<(), EngineError>;

    /// Does the timed part, and checks its answers.
    fn run(&mut self, client: &DatabaseClient, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError>;

    fn tables(&self) -> Vec<String> {
        vec!["shfedepth".to_owned()]
    }

    /// Compares the answers of a server that was started again with the expected data; untimed.
    fn check(&self, client: &DatabaseClient) -> Result<(), EngineError>;
}

/// The server and its tools. These packages start no service.
pub const NEEDS: &[Need] = &[
    Need::new("mariadbd", "mariadb-server-core"),
    Need { version: "", ..Need::new("mariadb-install-db", "mariadb-server-core") },
    Need { version: "", ..Need::new("mariadb-admin", "mariadb-client") },
];

/// User that the server runs as, if fsarena runs as root.
const USER: &str = "mysql";

/// Options for durability: each commit waits for a flush of the log. Data comes from the file system rather than from
/// memory.
const DURABLE: &[&str] = &[
    "--innodb-flush-log-at-trx-commit=1",
    "--innodb-doublewrite=1",
    "--innodb-flush-method=O_DIRECT",
    "--innodb-log-file-size=96M",
    "--innodb-file-per-table=1",
    "--innodb-buffer-pool-dump-at-shutdown=0",
    "--innodb-buffer-pool-load-at-startup=0",
    "--innodb-use-native-aio=1",
    "--query-cache-type=0",
    "--skip-log-bin",
];

/// All other options that differ from the server's defaults.
const PRIVATE: &[&str] = &[
    "--skip-networking",
    "--skip-name-resolve",
    "--performance-schema=OFF",
    "--max-connections=400",
    "--lc-messages-dir=/usr/share/mysql",
];

/// A data directory on a lane, and its server while it runs.
#[derive(Debug)]
pub struct MariaDb {
    /// The server; it ends at SIGTERM.
    pub lane: LaneServer,
    pool: Bytes,
}

impl MariaDb {
    /// A server of a data directory in `directory`. Nothing is made there yet.
    pub fn at(directory: &Path, pool: Bytes) -> Result<Self, EngineError> {
        Ok(Self { lane: LaneServer::new("mariadbd", USER, directory.join("mysql"), Signal::TERM)?, pool })
    }

    /// Makes the data directory with mariadb-install-db.
    pub fn install(&self, stop: &AtomicBool) -> Result<(), EngineError> {
        const NAME: &str = "mariadb-install-db";
        let lane = &self.lane;
        folder::make(&lane.data, 0o755, lane.user.as_ref())?;
        // `tmpdir` is private: a server that starts removes the files of other servers in its temporary folder.
        let [data, temporary] = ["datadir", "tmpdir"].map(|name| format!("--{name}={}", lane.data.display()));
        let argv = [NAME, "--no-defaults", &data, &temporary, "--auth-root-authentication-method=normal"];
        let argv = argv.into_iter().chain(["--skip-test-db", "--skip-name-resolve"]).map(str::to_owned).collect();
        lane.tool(NAME, argv).finish_unless(stop).map(drop)
    }

    /// Starts the server and waits until it answers.
    pub fn start(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        const PING: &str = "mariadb-admin";
        let socket = self.socket();
        let place = format!("--socket={}", socket.display());
        let ping = [PING, "--no-defaults", &place, "--user=root", "--connect-timeout=10", "ping"].map(str::to_owned);
        let answers = |lane: &LaneServer, stop: &AtomicBool| {
            socket.exists() && lane.tool(PING, ping.to_vec()).finish_unless(stop).is_ok()
        };
        let pid = self.lane.clients_folder().join("pid");
        let command = command(&self.lane.data, vec![place.clone(), format!("--pid-file={}", pid.display())], self.pool);
        self.lane.start(command, stop, answers)
    }

    /// The socket that clients connect to, as `root` without a password.
    pub fn socket(&self) -> PathBuf {
        self.lane.clients_folder().join("s")
    }
}

/// Space of an empty data directory, including its log of 96 MiB.
pub const EMPTY: u64 = 200 << 20;
/// Maximum number of clients' connections. The server has further ones for its tools.
pub const MOST_THREADS: u32 = 390;

/// Size of the buffer pool, if the workload does not give one.
pub fn usual_pool() -> Bytes {
    Bytes::mib(64)
}

/// Options for a buffer pool of `size`. They keep the same share of its pages free as in MariaDB's default pool of 128
/// MiB. Without them, MariaDB keeps the same number of pages free in a pool of any size. A pool of 8 MiB has fewer
/// pages than that, so each pass of the page cleaner empties it, and a query takes 2 or 20 ms.
/// <https://mariadb.com/kb/en/innodb-system-variables/#innodb_lru_scan_depth>
fn buffer_pool(size: Bytes) -> [String; 2] {
    const PAGE: u64 = 16 << 10;
    const USUAL: (u64, u64) = (1536, 8192);
    const LEAST: u64 = 100;
    let free = (size.0 / PAGE * USUAL.0 / USUAL.1).max(LEAST);
    [format!("--innodb-buffer-pool-size={}", size.0), format!("--innodb-lru-scan-depth={free}")]
}

/// Command line of the server of the directory `data`, with the options `own`.
fn command(data: &Path, own: Vec<String>, pool: Bytes) -> Vec<String> {
    let data = data.display();
    let places =
        ["mariadbd".to_owned(), "--no-defaults".to_owned(), format!("--datadir={data}"), format!("--tmpdir={data}")];
    let fixed = DURABLE.iter().chain(PRIVATE).map(|option| (*option).to_owned());
    places.into_iter().chain(own).chain(fixed).chain(buffer_pool(pool)).collect()
}

/// Command line of the server with this buffer pool, for reports.
pub fn settings(pool: Bytes) -> String {
    format!("{}{}", User::of_report(USER), command(Path::new("LANE"), Vec::new(), pool).join(" "))
}

/// Estimated rows per second of INSERTs of many rows, and of one row.
const LOADED_PER_SECOND: u64 = 40_000;
const INSERTED_PER_SECOND: u64 = 500;
/// Estimated queries per second on two processors.
const QUERIES_PER_SECOND: u64 = 300;
/// Estimated time to make a data directory, and to start and stop the server.
const AROUND: Nanos = Nanos::seconds(4);

pub const ENGINE: Engine = Engine { programs: Some(programs), ..Engine::new("mariadb", traits, open) };

fn traits(workload: &Workload) -> Result<Traits, EngineError> {
    let parameters = MariaDbParameters::of(workload)?;
    let rate = if parameters.task == MariaDbTask::Results { INSERTED_PER_SECOND } else { LOADED_PER_SECOND };
    let queries = u64::from(parameters.threads) * u64::from(parameters.queries.unwrap_or(0));
    let rows = parameters.rows.saturating_mul(u64::from(parameters.days));
    Ok(Traits {
        peak: parameters.demand(),
        extra_time: AROUND + Nanos::seconds(rows / rate + queries / QUERIES_PER_SECOND),
        program: Some("mariadbd".to_owned()),
        ..Traits::default()
    })
}

fn open(workload: &Workload, directory: &Path, seed: u64) -> Result<Box<dyn Job>, EngineError> {
    let parameters = MariaDbParameters::of(workload)?;
    let work: Box<dyn ClientWork> = match parameters.task {
        MariaDbTask::Query => Box::new(Queries::new(&parameters, seed)?),
        MariaDbTask::Results => Box::new(LogResults::new(&parameters, seed)),
        MariaDbTask::Ingest => Box::new(Ingest::new(&parameters, seed)),
    };
    Ok(Box::new(MariaDbJob { work, server: MariaDb::at(directory, parameters.buffer_pool)? }))
}

fn programs(workload: &Workload) -> Programs {
    let lines = |own: MariaDbParameters| vec![settings(own.buffer_pool), own.clients()];
    Programs { needs: NEEDS.to_vec(), settings: MariaDbParameters::of(workload).map(lines).unwrap_or_default() }
}

pub struct MariaDbJob {
    pub work: Box<dyn ClientWork>,
    pub server: MariaDb,
}

impl MariaDbJob {
    /// Lets the clients work until `stop` is set. If they fail because the server has ended, the error is the server's.
    fn with_clients<T>(
        &mut self,
        stop: &AtomicBool,
        act: impl FnOnce(&mut dyn ClientWork, &DatabaseClient, &AtomicBool) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let client = DatabaseClient { socket: self.server.socket(), database: self.work.database() };
        self.server.lane.during(stop, |_, stop| act(&mut *self.work, &client, stop))
    }

    fn prepare(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.server.install(stop)?;
        self.server.start(stop)?;
        self.with_clients(stop, |work, client, stop| {
            client.make_database()?;
            work.fill(client, stop)
        })?;
        self.server.lane.stop(stop)
    }
}

impl Job for MariaDbJob {
    fn upkeep(&mut self, upkeep: Upkeep, stop: &AtomicBool) -> Result<(), EngineError> {
        match upkeep {
            Upkeep::Prepare => self.prepare(stop),
            Upkeep::DropCaches => sync_and_drop_caches(&self.server.lane.data, stop),
            Upkeep::Begin => self.server.start(stop),
            Upkeep::End => self.server.lane.stop(stop),
            _ => Ok(()),
        }
    }

    /// The server is a separate process, and its clients are threads or processes.
    fn next_run(&self) -> NextRun {
        NextRun { is_alone: false, verifies: true, ..NextRun::default() }
    }

    fn run(&mut self, limit: &Limit<'_>, stats: &mut RunStats) -> Result<(), EngineError> {
        self.with_clients(limit.stop, |work, client, stop| work.run(client, &Limit { stop, ..*limit }, stats))
    }

    /// Starts the server again on its files and queries it.
    fn verify(&mut self, _directory: &Path, stop: &AtomicBool) -> Result<Verification, EngineError> {
        let tables = self.work.tables();
        self.server.start(stop)?;
        let looked = self.with_clients(stop, |work, client, _| {
            client.require_sound(&tables)?;
            work.check(client)
        });
        // A server that has found damage may also end badly. What it found is the more useful error.
        let stopped = self.server.lane.stop(stop);
        looked.and(stopped)?;
        Ok(Verification { files: tables.len() as u64, differences: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_pool_as_much_is_kept_free_as_usual() {
        let free = |mebibytes: u64| buffer_pool(Bytes::mib(mebibytes))[1].clone();
        let expected = [128, 64, 16, 8].map(free);
        let options = [1536, 768, 192, 100].map(|pages| format!("--innodb-lru-scan-depth={pages}"));
        assert_eq!(expected, options);
    }
}
