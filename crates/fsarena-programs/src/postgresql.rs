//! PostgreSQL on the lane: a new cluster for each contender and round, and a server that only a private socket reaches.
//! <https://www.postgresql.org/docs/15/runtime-config.html>

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Need};
use fsarena_sys::child::{Ended, Processes};
use rustix::process::Signal;

use crate::folder;
use crate::server::LaneServer;
use crate::user::User;

/// The server and its tools. Debian installs them outside the search path.
pub const NEEDS: &[Need] = &[
    need("postgres", "postgresql"),
    silent("initdb", "postgresql"),
    silent("createdb", "postgresql-client"),
    silent("pg_isready", "postgresql-client"),
    silent("psql", "postgresql-client"),
    need("pgbench", "postgresql"),
];

const fn need(program: &'static str, package: &'static str) -> Need {
    Need { folders: &["/usr/lib/postgresql/*/bin"], ..Need::new(program, package) }
}

const fn silent(program: &'static str, package: &'static str) -> Need {
    Need { version: "", ..need(program, package) }
}

/// Settings of the server. Each commit waits for a flush of the log, which it may share with other commits. Data comes
/// from the file system rather than from memory. The server starts no maintenance at times of its choice. A failure on
/// the file system ends the server.
const SETTINGS: &[&str] = &[
    "listen_addresses=", "max_connections=120", "fsync=on", "synchronous_commit=on", "full_page_writes=on",
    "wal_sync_method=fdatasync", "shared_buffers=64MB", "max_wal_size=384MB", "checkpoint_timeout=5min",
    "autovacuum=off", "restart_after_crash=off",
];

const CLUSTER: &[&str] = &["-U", USER, "--encoding=SQL_ASCII", "--locale=C", "--auth=trust", "--no-instructions"];

/// System user that the server runs as, and its user in the database.
const USER: &str = "postgres";

/// The one database that the clients use.
pub const DATABASE: &str = "pgbench";

/// A cluster on a lane, and its server while it runs.
#[derive(Debug)]
pub struct PostgreSql {
    pub(crate) lane: LaneServer,
}

impl PostgreSql {
    /// The cluster in `directory`, which may still have to be made.
    ///
    /// # Errors
    /// If there is no place for the server's socket and log.
    pub fn at(directory: &Path) -> Result<Self, EngineError> {
        Ok(Self { lane: LaneServer::new("postgres", USER, directory.join("postgresql"), Signal::INT)? })
    }

    /// Makes the cluster with initdb, starts its server, and creates the database that the clients use.
    ///
    /// # Errors
    /// If a program fails, or the server does not start.
    pub fn install(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let lane = &self.lane;
        folder::make(&lane.data, 0o700, lane.user.as_ref())?;
        let options = ["-D".to_owned(), lane.data.display().to_string()].into_iter().chain(owned(CLUSTER));
        lane.tool("initdb", command("initdb", options)?).finish_unless(stop)?;
        self.start(stop)?;
        self.ask("createdb", vec![DATABASE.to_owned()], stop).map(drop)
    }

    /// Starts the server and waits until it answers.
    ///
    /// # Errors
    /// If it does not start, with the last lines of its log.
    pub fn start(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let options = ["-D".to_owned(), self.lane.data.display().to_string(), "-k".to_owned(), self.folder()];
        let settings = settings().into_iter().flat_map(|setting| ["-c".to_owned(), setting]);
        let argv = command("postgres", options.into_iter().chain(settings))?;
        let asked = self.client("pg_isready", vec!["--quiet".to_owned()])?;
        let is_ready =
            |lane: &LaneServer, stop: &AtomicBool| lane.tool("pg_isready", asked.clone()).finish_unless(stop).is_ok();
        self.lane.start(argv, stop, is_ready)
    }

    /// Ends the server without waiting for its clients (a "fast shutdown"). Afterwards everything that it has
    /// acknowledged is in its files. Does nothing if no server runs.
    ///
    /// # Errors
    /// If the server has ended before, or does not end.
    pub fn stop(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.lane.stop(stop)
    }

    /// The server's answer to `query`, as psql(1) prints it without column names and frames.
    ///
    /// # Errors
    /// If it refuses, or has ended.
    pub fn query(&mut self, query: &str, stop: &AtomicBool) -> Result<String, EngineError> {
        let options = ["--no-psqlrc", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", "-c", query, DATABASE];
        Ok(self.ask("psql", options.map(str::to_owned).to_vec(), stop)?.stdout.trim().to_owned())
    }

    /// Runs a client and returns its output. Its error is that the server has ended, if it has.
    pub(crate) fn ask(
        &mut self,
        name: &'static str,
        options: Vec<String>,
        stop: &AtomicBool,
    ) -> Result<Ended, EngineError> {
        let ended = self.lane.tool(name, self.client(name, options)?).finish_unless(stop);
        ended.map_err(|error| self.lane.named(error))
    }

    fn folder(&self) -> String {
        self.lane.clients_folder().display().to_string()
    }

    pub(crate) fn client(&self, name: &'static str, options: Vec<String>) -> Result<Vec<String>, EngineError> {
        let place = ["-h".to_owned(), self.folder(), "-U".to_owned(), USER.to_owned()];
        command(name, place.into_iter().chain(options))
    }
}

/// Command line of a PostgreSQL program. Its environment is cleared, so that variables such as `PGHOST` or `PGOPTIONS`
/// have no effect.
fn command(name: &'static str, options: impl Iterator<Item = String>) -> Result<Vec<String>, EngineError> {
    let need = NEEDS.iter().find(|need| need.program == name).expect("all that are called are needed");
    let path = need.found()?;
    Ok(owned(&["env", "-i", "LC_ALL=C"]).chain([path]).chain(options).collect())
}

fn owned<'a>(words: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    words.iter().map(|word| (*word).to_owned())
}

/// The server's settings. System V shared memory disappears with its IPC namespace. Without a namespace, shared memory
/// is a file among the server's data, which is removed with them.
fn settings() -> Vec<String> {
    let shared = match Processes::possible() {
        Processes::Own => "sysv",
        Processes::All => "mmap",
    };
    owned(SETTINGS).chain([format!("dynamic_shared_memory_type={shared}")]).collect()
}

/// Command lines that make the cluster and start its server, for reports.
pub fn settings_of_report() -> Vec<String> {
    let settings: Vec<String> = settings().into_iter().map(|setting| format!("-c {setting}")).collect();
    let user = User::of_report(USER);
    vec![
        format!("{user}initdb -D LANE {}", CLUSTER.join(" ")),
        format!("{user}postgres -D LANE {}", settings.join(" ")),
    ]
}
