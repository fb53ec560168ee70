//! PostgreSQL on the lane: a new cluster for each contender and round, and a server that only a private socket reaches.
//! <https://www.postgresql.org/docs/15/runtime-config.html>

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Need, drop_cached_below, pid_namespace};
use fsarena_sys::child::Ended;
use rustix::process::Signal;

use crate::folder::{self, RunFolder};
use crate::server::{ServerProcess, Start};
use crate::tool::Tool;
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
    "listen_addresses=",
    "max_connections=120",
    "fsync=on",
    "synchronous_commit=on",
    "full_page_writes=on",
    "wal_sync_method=fdatasync",
    "shared_buffers=64MB",
    "max_wal_size=384MB",
    "checkpoint_timeout=5min",
    "autovacuum=off",
    "restart_after_crash=off",
];

/// Options of initdb.
const CLUSTER: &[&str] = &["-U", USER, "--encoding=SQL_ASCII", "--locale=C", "--auth=trust", "--no-instructions"];

/// System user that the server runs as, and its user in the database.
const USER: &str = "postgres";

/// The one database that the clients use.
pub const DATABASE: &str = "pgbench";

/// A cluster on a lane, and its server while it runs.
#[derive(Debug)]
pub struct PostgreSql {
    /// Declared before its folder, because fields are dropped in this order.
    server: Option<ServerProcess>,
    /// Folder of the socket and the log. It is outside the lane: a shared folder may not support sockets, and a path on
    /// the lane may be too long for a socket.
    run: RunFolder,
    user: Option<User>,
    data: PathBuf,
}

impl PostgreSql {
    /// Makes a cluster in `directory` with initdb. No server runs yet.
    ///
    /// # Errors
    /// If it cannot be made, or `stop` is set.
    pub fn install(directory: &Path, stop: &AtomicBool) -> Result<Self, EngineError> {
        let made = Self::at(directory)?;
        folder::make(&made.data, 0o700, made.user.as_ref())?;
        let options = ["-D".to_owned(), made.data.display().to_string()].into_iter().chain(owned(CLUSTER));
        made.tool("initdb", options.collect())?.finish_unless(stop)?;
        Ok(made)
    }

    /// The cluster that is in `directory` already.
    ///
    /// # Errors
    /// If there is no place for the server's socket and log.
    pub fn at(directory: &Path) -> Result<Self, EngineError> {
        let user = User::of(USER)?;
        let run = RunFolder::for_server(user.as_ref())?;
        Ok(Self { server: None, run, user, data: directory.join("postgresql") })
    }

    /// Starts the server and waits until it answers.
    ///
    /// # Errors
    /// If it does not start, with the last lines of its log.
    pub fn start(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        let options = ["-D".to_owned(), self.data.display().to_string(), "-k".to_owned(), self.folder()];
        let settings = settings().into_iter().flat_map(|setting| ["-c".to_owned(), setting]);
        let argv = command("postgres", options.into_iter().chain(settings).collect())?;
        let (user, directory) = (self.user.as_ref(), self.data.as_path());
        let start = Start { program: "postgres", argv, user, directory, log: self.run.path().join("log") };
        let asked = self.client("pg_isready", &["--quiet"])?;
        self.server = Some(ServerProcess::start(&start, stop, |stop| asked.finish_unless(stop).is_ok())?);
        Ok(())
    }

    /// Ends the server without waiting for its clients (a "fast shutdown"). Afterwards everything that it has
    /// acknowledged is in its files. Does nothing if no server runs.
    ///
    /// # Errors
    /// If it has ended before, or does not end.
    pub fn stop(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.server.take().map_or(Ok(()), |server| server.stop(Signal::INT, stop))
    }

    /// Asks the kernel to drop the cluster's data from memory. The server must not run.
    ///
    /// # Errors
    /// If a file cannot be opened.
    pub fn drop_caches(&self, stop: &AtomicBool) -> Result<(), EngineError> {
        drop_cached_below(&self.data, stop)
    }

    /// Creates the database that the clients use.
    ///
    /// # Errors
    /// If the server refuses.
    pub fn create_database(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.ask("createdb", &[DATABASE], stop)
    }

    /// The server's answer to `query`, as psql(1) prints it without column names and frames.
    ///
    /// # Errors
    /// If it refuses, or has ended.
    pub fn query(&mut self, query: &str, stop: &AtomicBool) -> Result<String, EngineError> {
        let options = ["--no-psqlrc", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", "-c", query, DATABASE];
        let ended = self.client("psql", &options)?.finish_unless(stop);
        ended.map(|ended| ended.stdout.trim().to_owned()).map_err(|error| self.named(error))
    }

    /// Runs a client whose output is not needed.
    ///
    /// # Errors
    /// If the client fails. The error is that the server has ended, if it has.
    pub fn ask(&mut self, name: &'static str, options: &[&str], stop: &AtomicBool) -> Result<(), EngineError> {
        let ended = self.client(name, options)?.finish_unless(stop);
        ended.map(|_| ()).map_err(|error| self.named(error))
    }

    /// Runs a client that may be stopped, and returns its output; `None` if it was stopped.
    ///
    /// # Errors
    /// As [`PostgreSql::ask`].
    pub fn load(
        &mut self,
        name: &'static str,
        options: &[&str],
        stop: &AtomicBool,
    ) -> Result<Option<Ended>, EngineError> {
        let Some(mut server) = self.server.take() else { return self.client(name, options)?.run(stop) };
        let ended = self.client(name, options).and_then(|client| server.during(stop, |stop| client.run(stop)));
        self.server = Some(server);
        ended
    }

    /// Folder for the socket and for files of clients. It belongs to the server's user.
    pub fn clients_folder(&self) -> PathBuf {
        self.run.of_server()
    }

    fn named(&mut self, error: EngineError) -> EngineError {
        match &mut self.server {
            Some(server) => server.named(error),
            None => error,
        }
    }

    fn folder(&self) -> String {
        self.clients_folder().display().to_string()
    }

    fn client(&self, name: &'static str, options: &[&str]) -> Result<Tool<'_>, EngineError> {
        let place = ["-h".to_owned(), self.folder(), "-U".to_owned(), USER.to_owned()];
        self.tool(name, place.into_iter().chain(owned(options)).collect())
    }

    fn tool(&self, name: &'static str, options: Vec<String>) -> Result<Tool<'_>, EngineError> {
        let argv = command(name, options)?;
        Ok(Tool { name, argv, user: self.user.as_ref(), directory: &self.data, streams: self.run.path() })
    }
}

/// Command line of a PostgreSQL program. Its environment is cleared, so that variables such as `PGHOST` or `PGOPTIONS`
/// have no effect.
fn command(name: &'static str, options: Vec<String>) -> Result<Vec<String>, EngineError> {
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
    let shared = if pid_namespace().is_empty() { "mmap" } else { "sysv" };
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

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_engine::NEVER;

    #[test]
    fn a_server_is_made_started_stopped_and_started_again() {
        let place = tempfile::tempdir().expect("temporary folder");
        std::fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o711)).expect("changed");
        let mut server = PostgreSql::install(place.path(), &NEVER).expect("made");
        for round in 0..2 {
            server.start(&NEVER).expect("starts");
            if round == 0 {
                server.create_database(&NEVER).expect("made");
            }
            assert_eq!(server.query("SHOW wal_sync_method", &NEVER).expect("answers"), "fdatasync");
            server.query("SELECT no_such_column", &NEVER).expect_err("it refuses");
            server.stop(&NEVER).expect("ends");
            assert!(!server.clients_folder().join(".s.PGSQL.5432").exists());
        }
    }
}
