//! MariaDB on the lane: a new data directory for each contender and round, and a server that only a private socket
//! reaches. <https://mariadb.com/kb/en/innodb-system-variables/>

mod client;
mod engine;
mod ingest;
mod market;
mod parameters;
mod queries;
mod results;
mod schema;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Limit, Need, RunStats};
use fsarena_model::Bytes;
use rustix::process::Signal;

use crate::folder;
use crate::lane_server::LaneServer;
use crate::user::User;

pub use self::client::DatabaseClient;
pub use self::engine::{ENGINE, MariaDbJob};

/// The work of the clients.
pub trait ClientWork {
    /// The database of the clients' tables.
    fn database(&self) -> &'static str {
        client::DATABASE
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
    "--local-infile=1",
    "--lc-messages-dir=/usr/share/mysql",
];

/// A data directory on a lane, and its server while it runs.
#[derive(Debug)]
pub struct MariaDb {
    /// The server; it ends at SIGTERM.
    pub lane: LaneServer,
    /// Further options of the workload, such as `--innodb-buffer-pool-size=64M`.
    options: Vec<String>,
}

impl MariaDb {
    /// A server of a data directory in `directory`. Nothing is made there yet.
    pub fn at(directory: &Path, options: Vec<String>) -> Result<Self, EngineError> {
        Ok(Self { lane: LaneServer::new(USER, directory.join("mysql"), Signal::TERM)?, options })
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
        self.lane.start("mariadbd", self.command(), stop, answers)
    }

    fn command(&self) -> Vec<String> {
        let data = self.lane.data.display();
        let places = [
            "mariadbd".to_owned(),
            "--no-defaults".to_owned(),
            format!("--datadir={data}"),
            format!("--tmpdir={data}"),
            format!("--socket={}", self.socket().display()),
            format!("--pid-file={}", self.lane.clients_folder().join("pid").display()),
        ];
        let fixed = DURABLE.iter().chain(PRIVATE).map(|option| (*option).to_owned());
        places.into_iter().chain(fixed).chain(self.options.iter().cloned()).collect()
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
pub fn buffer_pool(size: Bytes) -> Vec<String> {
    const PAGE: u64 = 16 << 10;
    const USUAL: (u64, u64) = (1536, 8192);
    const LEAST: u64 = 100;
    let free = (size.0 / PAGE * USUAL.0 / USUAL.1).max(LEAST);
    vec![format!("--innodb-buffer-pool-size={}", size.0), format!("--innodb-lru-scan-depth={free}")]
}

/// Command line of the server, for reports.
pub fn settings(options: &[String]) -> String {
    let begin = format!("{}mariadbd --no-defaults --datadir=LANE --tmpdir=LANE", User::of_report(USER));
    let fixed = DURABLE.iter().chain(PRIVATE).copied().chain(options.iter().map(String::as_str));
    [begin.as_str()].into_iter().chain(fixed).collect::<Vec<_>>().join(" ")
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
