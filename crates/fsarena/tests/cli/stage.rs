//! What the tests share: a place of their own, the binary, and a look at what a run has left.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

use fsarena_testing::{Alone, Need, alone, has};

/// A place of the test's own, alone on the machine among all tests that make loop devices.
pub struct Stage {
    pub place: tempfile::TempDir,
    memory: tempfile::TempDir,
    _alone: Option<Alone>,
}

/// A small workload, so that a round takes a second.
pub const SMALL: &str = r#"
name = "small"
version = 1
measures = "A few files, each made durable."
why = "A test."
engine = "files"
durable = "fsync"
cache = "warm"
mode = "sliced"
slices = 2
warm-up-ms = 5
timed-ms = 30
metric = { name = "files-per-second", unit = "files/s", measure = "operations-per-second", better = "higher" }
parameters = { operation = "create", size = 1024 }
"#;

/// The smallest lane on which all kinds can be made.
pub const LANE: &str = "320M";

impl Stage {
    /// Waits until no other test has the machine.
    pub fn new() -> Self {
        Self::with(Some(alone()))
    }

    /// For a test that makes no run: others may have the machine meanwhile.
    pub fn without_runs() -> Self {
        Self::with(None)
    }

    fn with(alone: Option<Alone>) -> Self {
        let place = tempfile::tempdir_in("/var/tmp").expect("temporary folder");
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).expect("ours");
        fs::write(place.path().join("small.toml"), SMALL).expect("written");
        let memory = tempfile::tempdir_in("/dev/shm").expect("temporary folder in memory");
        Self { place, memory, _alone: alone }
    }

    /// The same for a test that needs root; `None` without it.
    pub fn of_root() -> Option<Self> {
        has(&[Need::Root]).then(Self::new)
    }

    /// A path below the place.
    pub fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Where lanes are made. In memory, for the tests would wait for a disk most of the time.
    pub fn storage(&self) -> PathBuf {
        self.in_memory("storage")
    }

    /// A path below a directory of the test's own in memory.
    pub fn in_memory(&self, name: &str) -> PathBuf {
        self.memory.path().join(name)
    }

    /// The path of a file with this text.
    pub fn file(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).expect("written");
        self.path(name).display().to_string()
    }

    /// The binary, with a store and a home of the test's own.
    pub fn fsarena(&self) -> Command {
        self.fsarena_with(&self.store())
    }

    /// The binary, with another store.
    pub fn fsarena_with(&self, store: &Path) -> Command {
        let mut command = Command::new(binary());
        command.env("HOME", self.path("home")).env_remove("XDG_DATA_HOME").env_remove("XDG_STATE_HOME");
        command.env("NO_COLOR", "1").arg("--store").arg(store);
        command
    }

    /// The store of the test's own: root's default is one for all.
    pub fn store(&self) -> PathBuf {
        self.path("home/store.sqlite")
    }

    /// `fsarena compare` on small lanes below the place.
    pub fn compare(&self, arguments: &[&str]) -> Command {
        let mut command = self.fsarena();
        command.arg("compare").args(arguments);
        command.args(["--lane-size", LANE, "--storage"]).arg(self.storage());
        command
    }

    /// The argument of `--workload` for [`SMALL`].
    pub fn small(&self) -> String {
        self.path("small.toml").display().to_string()
    }

    /// The last run as JSON.
    pub fn json(&self) -> serde_json::Value {
        let output = run(self.fsarena().args(["report", "last", "--format", "json"]), 0);
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// What runs have left on the machine: devices, mounts, files, ledgers, processes.
    pub fn left(&self) -> Vec<String> {
        let mut left = Vec::new();
        let names = |folder: &str| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        left.extend(names("/sys/block").into_iter().filter(|name| own_loop_device(name)));
        let storage = self.storage().display().to_string();
        left.extend(names(&storage).into_iter().map(|name| format!("{storage}/{name}")));
        left.extend(names("/var/lib/fsarena/ledger").into_iter().filter(|name| name != "lock"));
        let groups = ["/sys/fs/cgroup", "/sys/fs/cgroup/memory"].map(names).concat();
        left.extend(groups.into_iter().filter(|name| name.starts_with("fsarena-")));
        for process in names("/proc").into_iter().filter(|name| name.parse::<u32>().is_ok()) {
            let mounts = fs::read_to_string(format!("/proc/{process}/mountinfo")).unwrap_or_default();
            left.extend(mounts.lines().filter(|line| line.contains(&storage)).map(|line| format!("{process}: {line}")));
            let command = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            left.extend(command.contains(&storage).then(|| format!("{process}: {command}")));
        }
        left
    }
}

/// Loop devices of runs have numbers from 1000 on.
fn own_loop_device(name: &str) -> bool {
    name.strip_prefix("loop").and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| number >= 1000)
}

/// Where cargo put the binary.
pub fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fsarena"))
}

/// Whether this is root; else what follows in the test is not run, which is stated.
pub fn is_root() -> bool {
    has(&[Need::Root])
}

/// Runs a command that has to end with `code`.
pub fn run(command: &mut Command, code: i32) -> Output {
    let output = command.output().expect("it starts");
    assert_eq!(output.status.code(), Some(code), "{command:?}\n{}{}", out(&output), err(&output));
    output
}

pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whether a cell of the JSON report accounts for that many rounds: each counts, or is left out because the machine's
/// load was another one. Where all are left out, all are shown.
pub fn accounts_for(cell: &serde_json::Value, rounds: u64) -> bool {
    let set_aside = cell["stability"]["set_aside"].as_array().map_or(0, Vec::len) as u64;
    let shown = cell["rounds"].as_u64().expect("a number");
    shown + set_aside == rounds || (shown == rounds && set_aside == rounds)
}

/// A run that is killed at the end, however the test ends.
pub struct Doomed(pub Child);

impl Drop for Doomed {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// Waits for `condition`, at most for a minute.
pub fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
