//! The environment that all tests share: a separate folder, the binary, and a check for leftovers of runs.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use fsarena_model::RunRecord;
use fsarena_model::probe::Kind;
use fsarena_store::Store;
use fsarena_sys::{mount, namespace};
use fsarena_testing::schema::mistakes;
use fsarena_testing::{Alone, Machine, Memory, Need, alone, has};

/// A separate folder for a test, and the isolation from other runs.
pub struct Stage {
    pub place: tempfile::TempDir,
    memory: Memory,
    _machine: Has,
}

/// The resource that other tests cannot use at the same time.
#[expect(dead_code, reason = "it is held")]
enum Has {
    Nothing,
    Machine(Machine),
    /// Without root, all tests share one machine; with it, the page cache.
    All(Alone),
}

/// A small workload, with which a round takes about a second.
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

/// The smallest lane size that all kinds support.
pub const LANE: &str = "320M";

impl Stage {
    /// A stage for a test with runs; waits for a machine.
    pub fn new() -> Self {
        if !is_root() {
            return Self::with(Has::All(alone()));
        }
        let machine = Machine::wait();
        enter_namespaces().expect("root may have namespaces");
        Self::with(Has::Machine(machine))
    }

    /// A stage for a test without runs.
    pub fn without_runs() -> Self {
        Self::with(Has::Nothing)
    }

    fn with(machine: Has) -> Self {
        let place = tempfile::tempdir_in("/var/tmp").expect("temporary folder");
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).expect("ours");
        fs::write(place.path().join("small.toml"), SMALL).expect("written");
        let memory = if matches!(machine, Has::Machine(_)) { Memory::of_huge_pages() } else { Memory::folder() };
        Self { place, memory, _machine: machine }
    }

    /// A stage for a test that needs root; `None` without root.
    pub fn of_root() -> Option<Self> {
        has(&[Need::Root]).then(Self::new)
    }

    /// A stage for a test that needs root, and that other tests would disturb by dropping the machine's caches; `None`
    /// without root.
    pub fn alone_of_root() -> Option<Self> {
        let made = || {
            let all = alone();
            enter_namespaces().expect("root may have namespaces");
            Self::with(Has::All(all))
        };
        has(&[Need::Root]).then(made)
    }

    /// A path in the test's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// The folder for lanes. It is in memory, because the tests would otherwise spend most of their time waiting for a
    /// disk.
    pub fn storage(&self) -> PathBuf {
        self.in_memory("storage")
    }

    /// A path in the test's folder in memory.
    pub fn in_memory(&self, name: &str) -> PathBuf {
        self.memory.path().join(name)
    }

    /// Writes a file with this text and returns its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).expect("written");
        self.path(name).display().to_string()
    }

    /// Writes a workload to a file, and returns its path. `fields` are those without a default here: the metric is a
    /// rate unless they name one, and nothing is made durable unless they say so.
    pub fn workload(&self, name: &str, fields: &str) -> String {
        let rate = "metric = { name = 'rate', unit = 'op/s', measure = 'operations-per-second', better = 'higher' }";
        let mut text = format!("name = '{name}'\nversion = 1\nmeasures = 'A test.'\nwhy = 'A test.'\n");
        for (key, line) in [("metric = ", rate), ("durable = ", "durable = 'none'")] {
            if !fields.contains(key) {
                text += &format!("{line}\n");
            }
        }
        self.file(&format!("{name}.toml"), &(text + fields))
    }

    /// The binary, with the test's store and home.
    pub fn fsarena(&self) -> Command {
        self.fsarena_with(&self.store())
    }

    /// The binary, with the store at this path.
    pub fn fsarena_with(&self, store: &Path) -> Command {
        let mut command = Command::new(binary());
        command.env("HOME", self.path("home")).env_remove("XDG_DATA_HOME").env_remove("XDG_STATE_HOME");
        command.env_remove("XDG_CONFIG_HOME");
        command.env("NO_COLOR", "1").arg("--store").arg(store);
        command
    }

    /// The path of the test's store; root's default store is shared by all tests.
    pub fn store(&self) -> PathBuf {
        self.path("home/store.sqlite")
    }

    /// `fsarena compare` on small lanes in the test's folder in memory.
    pub fn compare(&self, arguments: &[&str]) -> Command {
        self.compare_on(LANE, arguments)
    }

    /// `fsarena compare` on lanes of this size, for work that takes longer on larger lanes.
    pub fn compare_on(&self, lane_size: &str, arguments: &[&str]) -> Command {
        let mut command = self.fsarena();
        command.arg("compare").args(arguments);
        command.args(["--lane-size", lane_size, "--storage"]).arg(self.storage());
        command
    }

    /// The argument of `--workload` for [`SMALL`].
    pub fn small(&self) -> String {
        self.path("small.toml").display().to_string()
    }

    /// The last run as JSON.
    pub fn json(&self) -> serde_json::Value {
        let output = run(self.fsarena().args(["report", "last", "--format", "json"]), 0);
        let store = Store::read(&self.store()).expect("readable");
        let run = store.last().expect("readable").expect("a run");
        require_registered(&store.load(run).expect("sound"));
        let schema = serde_json::from_str(include_str!("../../../../docs/report.schema.json")).expect("JSON");
        let report = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(mistakes(&schema, &report), Vec::<String>::new());
        report
    }

    /// The beginning of the hash of the plan that the command of a report would run, in the test's folder.
    pub fn plan_again(&self, report: &serde_json::Value) -> String {
        let words = report["command"].as_array().expect("an array").iter().skip(1);
        let words: Vec<&str> = words.map(|word| word.as_str().expect("a word")).collect();
        let plan = out(&run(self.fsarena().args(words).arg("--dry-run").current_dir(self.place.path()), 0));
        plan.strip_prefix("plan ").and_then(|plan| plan.split(',').next()).expect("a hash").to_owned()
    }

    /// The leftovers of this test's runs: devices, mounts, files, ledgers, processes. After all tests,
    /// `scripts/nothing-left` checks for devices without files and for control groups.
    pub fn left(&self) -> Vec<String> {
        let mut left = Vec::new();
        let names = |folder: &str| {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let is_own = |name: &String| is_of_runs(name) && self.has_backed(name);
        left.extend(names("/sys/block").into_iter().filter(is_own));
        let storage = self.storage().display().to_string();
        left.extend(names(&storage).into_iter().map(|name| format!("{storage}/{name}")));
        left.extend(names("/var/lib/fsarena/ledger").into_iter().filter(|name| name != "lock"));
        for process in names("/proc").into_iter().filter(|name| name.parse::<u32>().is_ok()) {
            let mounts = fs::read_to_string(format!("/proc/{process}/mountinfo")).unwrap_or_default();
            left.extend(mounts.lines().filter(|line| line.contains(&storage)).map(|line| format!("{process}: {line}")));
            let command = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            left.extend(command.contains(&storage).then(|| format!("{process}: {command}")));
        }
        left
    }

    /// Whether the loop device is backed by a file of this test, directly or through another loop device.
    fn has_backed(&self, name: &str) -> bool {
        let file = fs::read_to_string(format!("/sys/block/{name}/loop/backing_file")).unwrap_or_default();
        let below = |place: &Path| Path::new(file.trim_end()).starts_with(place);
        match file.strip_prefix("/dev/loop").map(|number| number.trim_end().split('p').next().unwrap_or_default()) {
            Some(number) => self.has_backed(&format!("loop{number}")),
            None => below(self.place.path()) || below(self.memory.path()),
        }
    }
}

/// Refuses readings whose probes are not registered, or have another unit. What programs report is not registered.
fn require_registered(record: &RunRecord) {
    for trial in &record.trials {
        let engine = record.plan.workloads.iter().find(|it| it.name == trial.workload).map(|it| it.engine.as_str());
        for (id, reading) in &trial.probes {
            match id.probe() {
                Some(probe) => assert!(probe.unit == reading.unit && probe.kind != Kind::Computed, "{id}: {reading:?}"),
                None => assert!(engine.is_some_and(|it| it == "program" || id.reported_by(it).is_some()), "{id}"),
            }
        }
    }
}

/// Gives this thread, and everything that it starts from now on, its own lock of one run at a time and its own
/// directories for root's state and for the scratch directories of runs.
fn enter_namespaces() -> std::io::Result<()> {
    const STATE: &str = "/var/lib/fsarena";
    let mounted = |kind: &str, options: &str, point: &str| {
        mount::mount(kind, kind, options, Path::new(point)).map_err(std::io::Error::other)
    };
    namespace::enter_private_mounts()?;
    namespace::enter_private_network()?;
    fs::create_dir_all(STATE)?;
    // Servers listen on the loopback interface, which is down in a new namespace.
    mounted("sysfs", "", STATE)?;
    fs::write(format!("{STATE}/class/net/lo/flags"), "0x9")?;
    [STATE, "/run"].into_iter().try_for_each(|point| mounted("tmpfs", "mode=0755", point))
}

/// Whether the loop device was made by a run: their numbers start at 1000.
fn is_of_runs(name: &str) -> bool {
    name.strip_prefix("loop").and_then(|number| number.parse::<u32>().ok()).is_some_and(|number| number >= 1000)
}

/// The path of the binary that cargo built.
pub fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_fsarena"))
}

/// Whether this is root; if not, a message says that the rest of the test is skipped.
pub fn is_root() -> bool {
    has(&[Need::Root])
}

/// Runs a command that has to end with `code`.
pub fn run(command: &mut Command, code: i32) -> Output {
    let output = command.output().expect("it starts");
    assert_eq!(output.status.code(), Some(code), "{command:?}\n{}{}", out(&output), err(&output));
    output
}

/// Writes a shell script that can be run at once.
///
/// Another program writes it. If this process did, each program that another test starts at that moment could hold the
/// file open for writing, and it could not be run (`ETXTBSY`).
pub fn script(path: &Path, text: &str) {
    let mut write = Command::new("install");
    write.args(["-D", "-m", "755", "/dev/stdin"]).arg(path).stdin(Stdio::piped());
    let mut write = write.spawn().expect("it starts");
    let mut stdin = write.stdin.take().expect("piped");
    stdin.write_all(format!("#!/bin/sh\n{text}\n").as_bytes()).expect("it reads");
    drop(stdin);
    assert!(write.wait().expect("it ends").success(), "{}", path.display());
}

/// Copies a program, as [`script`] writes one, to where every user may run it.
pub fn copy_program(from: &Path, to: &Path) {
    run(Command::new("install").args(["-D", "-m", "755"]).args([from, to]), 0);
}

pub fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whether a cell of the JSON report accounts for all rounds: each counts, or is excluded because of another load. If
/// all rounds are excluded, the cell shows all of them.
pub fn accounts_for(cell: &serde_json::Value, rounds: u64) -> bool {
    let excluded = cell["stability"]["excluded"].as_array().map_or(0, Vec::len) as u64;
    let shown = cell["rounds"].as_u64().expect("a number");
    shown + excluded == rounds || (shown == rounds && excluded == rounds)
}

/// A child process that is killed when the test ends.
pub struct Doomed(pub Child);

impl Drop for Doomed {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// All processes, as folders of `/proc`.
pub fn processes() -> impl Iterator<Item = PathBuf> {
    fs::read_dir("/proc").expect("there").flatten().map(|entry| entry.path())
}

/// The command line of a process.
pub fn words(process: &Path) -> String {
    String::from_utf8_lossy(&fs::read(process.join("cmdline")).unwrap_or_default()).replace('\0', " ")
}

/// The command lines of processes that work below `place`, or name it.
pub fn at_work(place: &Path) -> Vec<String> {
    let is_there = |process: &PathBuf| {
        let at = fs::read_link(process.join("cwd")).unwrap_or_default();
        at.starts_with(place) || words(process).contains(&place.display().to_string())
    };
    processes().filter(is_there).map(|process| words(&process)).collect()
}

/// Waits for `condition`, at most for five minutes.
pub fn wait_until(what: &str, condition: impl Fn() -> bool) {
    wait_for(what, || condition().then_some(()));
}

/// What `look` finds, which is called until it finds something, at most for five minutes.
pub fn wait_for<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < Duration::from_secs(300), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
