//! Common parts of these tests: a folder in which servers can work, jobs in it, and checks of what they leave behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fsarena_engine::{EngineError, Job, Limit, RunStats, Upkeep};
use fsarena_model::Workload;
use serde_json::Value;

/// A folder that all users may traverse.
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o711)).expect("ours");
    folder
}

/// A workload of the catalogue with other parameters.
pub fn workload(name: &str, parameters: Value) -> Workload {
    Workload { parameters, ..fsarena_catalog::workload(name).expect("in the catalogue") }
}

pub fn pgbench(transactions: u64) -> Workload {
    workload("phoronix-pgbench", serde_json::json!({ "scale": 2, "clients": 2, "transactions": transactions }))
}

pub fn page(requests: u64) -> Workload {
    workload("phoronix-apache", serde_json::json!({ "task": "page", "requests": requests, "clients": 20 }))
}

pub fn pages(pages: u64) -> Workload {
    let sizes = (1024, "64K");
    let parameters = serde_json::json!({
        "task": "pages", "pages": pages, "clients": 4, "smallest": sizes.0, "largest": sizes.1
    });
    workload("phoronix-apache-pages", parameters)
}

/// A prepared job of the workload in `place`.
pub fn prepared(workload: &Workload, place: &Path) -> Box<dyn Job> {
    let mut job = open(workload, place);
    job.upkeep(Upkeep::Prepare, &fsarena_engine::NEVER).expect("prepared");
    job
}

/// A job of the workload in `place`.
pub fn open(workload: &Workload, place: &Path) -> Box<dyn Job> {
    crate::ENGINES.of(workload).expect("an engine").open(workload, place, 7).expect("opened")
}

/// Starts the server, runs the workload, and ends the server.
pub fn done(job: &mut dyn Job, stats: &mut RunStats) -> Result<(), EngineError> {
    let stop = AtomicBool::new(false);
    job.upkeep(Upkeep::Begin, &fsarena_engine::NEVER)?;
    job.run(&Limit::new(None, &stop), stats)?;
    job.upkeep(Upkeep::End, &fsarena_engine::NEVER)
}

/// A figure that the programs printed.
pub fn reported(stats: &RunStats, name: &str) -> Option<f64> {
    stats.reported.iter().find(|(probe, _)| probe.id == name).map(|(_, figure)| *figure)
}

/// A server that works in `place`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Process number of the server's first process.
    pub number: u32,
    /// The folder of its socket or its configuration.
    pub run: PathBuf,
    /// The port that it listens on; `None` if it uses a socket.
    pub port: Option<u16>,
}

impl Found {
    /// All processes of Apache, except the one that started them and waits for their end.
    pub fn all(&self) -> Vec<u32> {
        let run = self.run.display().to_string();
        let is_one = |words: &[String]| words[0].ends_with("/apache2") && words.contains(&run);
        processes().into_iter().filter(|number| is_one(&command(*number))).collect()
    }
}

/// Waits for the server that works in `place`, at most one minute.
pub fn wait_for_server(place: &Path) -> Found {
    wait_for("the server is not started", || processes().into_iter().find_map(|number| server(number, place)))
}

fn server(number: u32, place: &Path) -> Option<Found> {
    let words = command(number);
    let after = |option: &str| words.iter().skip_while(|word| *word != option).nth(1).map(PathBuf::from);
    match Path::new(words.first()?).file_name()?.to_str()? {
        "postgres" if after("-D")?.starts_with(place) => Some(Found { number, run: after("-k")?, port: None }),
        "apache2" => {
            let configuration = fs::read_to_string(after("-f")?).ok()?;
            let port = configuration.lines().find_map(|line| line.strip_prefix("Listen 127.0.0.1:")?.parse().ok());
            let is_it = configuration.contains(&place.display().to_string());
            is_it.then_some(Found { number, run: after("-d")?, port })
        }
        _ => None,
    }
}

/// Processes whose command line names one of these folders, or that work in one.
pub fn left(folders: &[&Path]) -> Vec<String> {
    let names = |number: u32| {
        let words = command(number).join(" ");
        let at = fs::read_link(format!("/proc/{number}/cwd")).unwrap_or_default();
        let is_there = |folder: &&&Path| words.contains(&folder.display().to_string()) || at.starts_with(folder);
        folders.iter().find(is_there).map(|_| format!("{number}: {words}"))
    };
    processes().into_iter().filter_map(names).collect()
}

fn processes() -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("there").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn command(number: u32) -> Vec<String> {
    let words = fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
    words.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Waits until `look` finds something, at most one minute.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Checks that a server has left no processes, which might still listen, and no folder. Another process may use its
/// port by now.
pub fn assert_gone(found: &Found, place: &Path) {
    wait_for("a process goes on", || left(&[place, &found.run]).is_empty().then_some(()));
    assert!(!found.run.exists(), "{found:?}");
}

/// Waits until a client is connected to the server, or all work is done. The client may be at work, or wait for a
/// server that was stopped.
pub fn wait_for_work(found: &Found, place: &Path, is_done: &AtomicBool) {
    let has_client = || match found.port {
        Some(port) => is_connected(port),
        // PostgreSQL starts a process for each client, whose title names the database.
        None => left(&[place]).iter().any(|words| words.contains("pgbench [local]")),
    };
    wait_for("no client comes", || (is_done.load(Ordering::Relaxed) || has_client()).then_some(()));
}

/// Whether a connection to this port of this machine exists (proc_pid_net(5), `tcp`).
fn is_connected(port: u16) -> bool {
    const ESTABLISHED: &str = "01";
    let connections = fs::read_to_string("/proc/net/tcp").expect("there");
    let of_port = |line: &str| {
        let mut words = line.split_ascii_whitespace().skip(2);
        words.next() == Some(format!("0100007F:{port:04X}").as_str()) && words.next() == Some(ESTABLISHED)
    };
    connections.lines().any(of_port)
}
