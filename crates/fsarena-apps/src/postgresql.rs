//! PostgreSQL on the lane: a cluster of its own, made anew for each contender and round, and a server that only a private socket
//! leads to. <https://www.postgresql.org/docs/15/runtime-config.html>

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fsarena_engine::{EngineError, Need, cage, forget_below};
use fsarena_sys::child::Ended;
use rustix::process::Signal;

use crate::folder::{self, RunFolder};
use crate::server::{Server, Start};
use crate::tool::Tool;
use crate::user::User;

/// The server and its tools, which Debian does not have on the search path.
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

/// How the server is told to keep what it acknowledged (each commit waits for a flush of its log, which it may share with others),
/// to have its data from the file system rather than from memory, and to do nothing at times of its own; what fails on the
/// file system ends it.
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

/// How a cluster is made.
const CLUSTER: &[&str] = &["-U", USER, "--encoding=SQL_ASCII", "--locale=C", "--auth=trust", "--no-instructions"];

/// The server's user, and that of its database.
const USER: &str = "postgres";

/// The one database in which clients work.
pub const DATABASE: &str = "pgbench";

/// A cluster on a lane, and the server when it runs.
#[derive(Debug)]
pub struct PostgreSql {
    /// Before its folder: fields are dropped in this order.
    server: Option<Server>,
    /// Where its socket and its log are: not where it works, for a shared folder may have no sockets and a path on the lane may be
    /// too long for one.
    run: RunFolder,
    user: Option<User>,
    data: PathBuf,
}

impl PostgreSql {
    /// A cluster in `directory`, made by its own tool; no server runs yet.
    ///
    /// # Errors
    /// If it cannot be made, or somebody wants to stop.
    pub fn install(directory: &Path, stop: &AtomicBool) -> Result<Self, EngineError> {
        let user = User::of(USER)?;
        let run = RunFolder::for_server(user.as_ref())?;
        let data = directory.join("postgresql");
        folder::make(&data, 0o700, user.as_ref())?;
        let made = Self { server: None, run, user, data };
        let options = ["-D".to_owned(), made.data.display().to_string()].into_iter().chain(owned(CLUSTER));
        made.tool("initdb", options.collect())?.finish_unless(stop)?;
        Ok(made)
    }

    /// Starts the server, and waits until it answers.
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
        self.server = Some(Server::start(&start, stop, |stop| asked.finish_unless(stop).is_ok())?);
        Ok(())
    }

    /// Ends the server in order, without waiting for its clients (a "fast shutdown"): everything that it has acknowledged is in its
    /// files then. Nothing if none runs.
    ///
    /// # Errors
    /// If it has ended before, or does not end.
    pub fn stop(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.server.take().map_or(Ok(()), |server| server.stop(Signal::INT, stop))
    }

    /// Asks the kernel to drop its data from memory, while it does not run.
    ///
    /// # Errors
    /// If a file cannot be opened.
    pub fn chill(&self, stop: &AtomicBool) -> Result<(), EngineError> {
        forget_below(&self.data, stop)
    }

    /// Makes the database of the clients.
    ///
    /// # Errors
    /// If the server refuses.
    pub fn create_database(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.ask("createdb", &[DATABASE], stop)
    }

    /// What the server answers to `query`, as psql(1) prints it, without names and frames.
    ///
    /// # Errors
    /// If it refuses, or has ended.
    pub fn query(&mut self, query: &str, stop: &AtomicBool) -> Result<String, EngineError> {
        let options = ["--no-psqlrc", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", "-c", query, DATABASE];
        let ended = self.client("psql", &options)?.finish_unless(stop);
        ended.map(|ended| ended.stdout.trim().to_owned()).map_err(|error| self.blamed(error))
    }

    /// Runs a client that has nothing to tell.
    ///
    /// # Errors
    /// If it fails: that the server has ended, if it has.
    pub fn ask(&mut self, name: &'static str, options: &[&str], stop: &AtomicBool) -> Result<(), EngineError> {
        let ended = self.client(name, options)?.finish_unless(stop);
        ended.map(|_| ()).map_err(|error| self.blamed(error))
    }

    /// The same for one that may be stopped and tells something; `None` if it was stopped.
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

    /// A folder for the socket and for files of clients, which is the server's user's.
    pub fn clients_folder(&self) -> PathBuf {
        self.run.of_server()
    }

    fn blamed(&mut self, error: EngineError) -> EngineError {
        match &mut self.server {
            Some(server) => server.blamed(error),
            None => error,
        }
    }

    fn folder(&self) -> String {
        self.clients_folder().display().to_string()
    }

    /// A client of the server.
    fn client(&self, name: &'static str, options: &[&str]) -> Result<Tool<'_>, EngineError> {
        let place = ["-h".to_owned(), self.folder(), "-U".to_owned(), USER.to_owned()];
        self.tool(name, place.into_iter().chain(owned(options)).collect())
    }

    fn tool(&self, name: &'static str, options: Vec<String>) -> Result<Tool<'_>, EngineError> {
        let argv = command(name, options)?;
        Ok(Tool { name, argv, user: self.user.as_ref(), directory: &self.data, streams: self.run.path() })
    }
}

/// A program of PostgreSQL with nothing in its environment that could lead it elsewhere, such as `PGHOST` or `PGOPTIONS`.
fn command(name: &'static str, options: Vec<String>) -> Result<Vec<String>, EngineError> {
    let need = NEEDS.iter().find(|need| need.program == name).expect("all that are called are needed");
    let path = need.found()?;
    Ok(owned(&["env", "-i", "LC_ALL=C"]).chain([path]).chain(options).collect())
}

fn owned<'a>(words: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    words.iter().map(|word| (*word).to_owned())
}

/// The server's settings. Memory that its processes share goes with their namespace; where they have none of their own, it is a file
/// among its data, so that nothing of it is left either.
fn settings() -> Vec<String> {
    let shared = if cage().is_empty() { "mmap" } else { "sysv" };
    owned(SETTINGS).chain([format!("dynamic_shared_memory_type={shared}")]).collect()
}

/// What a cluster and its server are told, for reports.
pub fn told() -> Vec<String> {
    let settings: Vec<String> = settings().into_iter().map(|setting| format!("-c {setting}")).collect();
    let user = User::told(USER);
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
