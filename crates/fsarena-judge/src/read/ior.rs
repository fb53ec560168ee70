//! IOR's output as text or JSON: each iteration, never the summary. Versions before 3.3 have no JSON.

use std::collections::BTreeMap;

use fsarena_model::joined;
use serde_json::Value;

use super::doubts::{doubt, placed};
use super::options::{of_command, size};
use super::time::asctime;
use super::{File, ReadError, after, figure, positive, printed, program, uneven, written};
use crate::findings::JudgedFinding;
use crate::measured::{Measured, Reads, Run as Start, SyncedResult};

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(|line| begins(line) || is_title(line))
}

/// `IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O`.
fn begins(line: &str) -> bool {
    line.starts_with("IOR-") && line.contains("MPI Coordinated Test of Parallel I/O")
}

/// The head of a run's table.
fn is_title(line: &str) -> bool {
    line.starts_with("access ") && line.contains("bw(MiB/s)")
}

/// The rate of each iteration in the table of each test of a run; all are of one source.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let mut rows = Vec::new();
    for (index, all) in file.runs(begins).iter().enumerate() {
        // A warning of the next run may be at the end of this one.
        let start = file.run(index + 1, &printed(all, |line| line.contains("WARNING")));
        for lines in tests(all) {
            let command = after(&lines, "Command line").or_else(|| after(&lines, "Command line used"));
            let run = IorRun {
                start: start.clone(),
                program: lines[0].split(':').next().filter(|_| begins(lines[0])),
                options: IorOptions::of(command.unwrap_or_default()),
                stated: STATED.iter().filter_map(|name| Some((*name, size(after(&lines, name)?)))).collect(),
                // The warning is on stderr, so it may come before the run.
                has_no_fsync: file.text.lines().any(|line| line.contains("WARNING: fsync")),
                notes: uneven(&lines).into_iter().chain(warned(file)).collect(),
                host: after(&lines, "Machine"),
                time: after(&lines, "Began").and_then(asctime),
                nodes: after(&lines, "nodes").and_then(|count| count.parse().ok()),
                tasks: after(&lines, "tasks").or_else(|| after(&lines, "clients")),
            };
            rows.extend(iterations(&lines).into_iter().map(|it| run.measured(file, index + 1, it)));
        }
    }
    Ok(rows)
}

/// What a run printed of each test, below what it printed before the first one. A test begins with its options, which
/// versions before 3.1 call a summary.
fn tests<'a>(lines: &[&'a str]) -> Vec<Vec<&'a str>> {
    let begins = |line: &&str| ["Options:", "Summary:"].contains(&line.trim());
    let begin = lines.iter().position(begins).unwrap_or(lines.len());
    let (head, rest) = lines.split_at(begin);
    let of = |test: &[&'a str]| [head, test].concat();
    if rest.is_empty() { vec![head.to_vec()] } else { rest.chunk_by(|_, next| !begins(next)).map(of).collect() }
}

/// Its `summaryFormat=CSV`.
pub fn is_csv(file: &File<'_>) -> bool {
    file.text.lines().any(|line| line.starts_with("access,bw(MiB/s),"))
}

pub fn knows_json(value: &Value) -> bool {
    value["tests"][0]["Results"].as_array().is_some() && value["Command line"].as_str().is_some()
}

/// The rate of each iteration of each test.
pub fn read_json(file: &File<'_>, value: &Value) -> Result<Vec<Measured>, ReadError> {
    let version = format!("IOR-{}", value["Version"].as_str().unwrap_or_default());
    let mut rows = Vec::new();
    for (index, test) in value["tests"].as_array().into_iter().flatten().enumerate() {
        let tasks = test["Options"]["tasks"].as_u64().map(|count| count.to_string());
        let stated = STATED.iter().filter_map(|name| Some((*name, text(&test["Options"][name])?)));
        let run = IorRun {
            start: file.run(index + 1, test),
            program: Some(&version),
            stated: stated.collect(),
            has_no_fsync: file.text.lines().any(|line| line.contains("WARNING: fsync")),
            notes: warned(file).into_iter().collect(),
            options: IorOptions::of(value["Command line"].as_str().unwrap_or_default()).or_set(&test["Parameters"]),
            host: value["Machine"].as_str(),
            time: test["StartTime"].as_str().or_else(|| value["Began"].as_str()).and_then(asctime),
            nodes: test["Options"]["nodes"].as_u64(),
            tasks: tasks.as_deref(),
        };
        let mut found = Vec::new();
        collect(&test["Results"], &mut found);
        // All tests are of one start.
        rows.extend(found.into_iter().map(|it| run.measured(file, 1, it)));
    }
    Ok(rows)
}

/// What a run states about its work (its block `Options`).
const STATED: [&str; 7] =
    ["api", "access", "type", "segments", "ordering in a file", "ordering inter file", "clients per node"];

/// Options of the command line that do not change the work: places, repetitions, checks and words, and what the table
/// shows.
const NO_WORK: [&str; 16] = [
    "-t", "-b", "-o", "-i", "-v", "-w", "-r", "-W", "-R", "-k", "-K", "-d", "-N", "-f", "summaryformat", "summaryfile",
];

/// Parameters of a run as JSON that do not change the work, or that are stated or in the workload's name.
const NO_PARAMETER: [&str; 25] = [
    "testID", "refnum", "api", "platform", "testFileName", "options", "dryRun", "nodes", "tasksPerNode", "repetitions",
    "interTestDelay", "outlierThreshold", "readFile", "writeFile", "filePerProc", "collective", "segmentCount",
    "transferSize", "blockSize", "checkWrite", "checkRead", "keepFile", "keepFileWithError", "warningAsErrors",
    "verbose",
];

/// A warning that data were missing or wrong, which may come before or after the run.
fn warned(file: &File<'_>) -> Option<JudgedFinding> {
    const WRONG: [&str; 2] = ["expected aggregate file size", "incorrect data"];
    let is_wrong = |line: &&str| WRONG.iter().any(|words| line.to_lowercase().contains(words));
    let line = file.text.lines().find(is_wrong)?;
    Some(doubt(format!("it printed `{}`", joined(line.split_whitespace(), " "))))
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(size).or_else(|| value.as_u64().map(|number| size(&number.to_string())))
}

/// An iteration in one direction.
struct Iteration<'a> {
    access: &'a str,
    mib_per_s: f64,
    block_kib: f64,
    transfer_kib: f64,
}

/// The rows of the table below `access  bw(MiB/s)  …`.
fn iterations<'a>(lines: &[&'a str]) -> Vec<Iteration<'a>> {
    let Some(place) = lines.iter().position(|line| is_title(line)) else { return Vec::new() };
    let titles: Vec<&str> = lines[place].split_whitespace().collect();
    let of = |line: &&'a str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let field = |title: &str| words.get(titles.iter().position(|it| *it == title)?).copied();
        let is_access = ["write", "read"].contains(words.first()?) && words.len() == titles.len();
        is_access.then_some(Iteration {
            access: words[0],
            mib_per_s: field("bw(MiB/s)").and_then(figure)?,
            block_kib: field("block(KiB)").and_then(figure)?,
            transfer_kib: field("xfer(KiB)").and_then(figure)?,
        })
    };
    lines[place + 1..].iter().filter_map(of).collect()
}

/// The iterations below `Results`, which has a list for each repetition.
fn collect<'a>(value: &'a Value, found: &mut Vec<Iteration<'a>>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        Value::Object(_) => {
            let figures = ["bwMiB", "blockKiB", "xferKiB"].map(|name| positive(&value[name]));
            let (Some(access), [Some(mib_per_s), Some(block_kib), Some(transfer_kib)]) =
                (value["access"].as_str(), figures)
            else {
                return;
            };
            found.push(Iteration { access, mib_per_s, block_kib, transfer_kib });
        }
        _ => {}
    }
}

/// What a run says about itself.
struct IorRun<'a> {
    start: Start,
    program: Option<&'a str>,
    options: IorOptions,
    stated: BTreeMap<&'static str, String>,
    /// Whether it warned that it cannot sync.
    has_no_fsync: bool,
    notes: Vec<JudgedFinding>,
    host: Option<&'a str>,
    time: Option<f64>,
    nodes: Option<u64>,
    tasks: Option<&'a str>,
}

impl IorRun<'_> {
    fn measured(&self, file: &File<'_>, run: usize, iteration: Iteration<'_>) -> Measured {
        let Iteration { access, mib_per_s, block_kib, transfer_kib } = iteration;
        let tasks = self.tasks.map(|count| format!(", {count} tasks")).unwrap_or_default();
        let workload = format!("{access}, {block_kib} KiB in {transfer_kib} KiB{tasks}");
        let row = file.row(run, Measured::rate(workload, mib_per_s, "MiB/s"));
        let writes = access == "write";
        let is_synced =
            self.options.syncs && !(self.has_no_fsync && self.stated.get("api").is_none_or(|it| it != "POSIX"));
        const SYNCS: [&str; 4] = ["-e", "-Y", "fsync", "fsyncperwrite"];
        let is_work = |name: &str| !NO_WORK.contains(&name) && (is_synced || !SYNCS.contains(&name));
        let mut work: BTreeMap<String, String> = self
            .options
            .work()
            .filter(|(name, _)| is_work(name))
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        work.extend(self.stated.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        Measured {
            run: self.start.clone(),
            work: work.into(),
            notes: self.notes.clone(),
            time: self.time,
            host: self.host.and_then(|machine| machine.split_whitespace().nth(1)).map(str::to_owned),
            durable: if writes { written(is_synced) } else { SyncedResult::NothingWritten },
            reads: match (writes, self.options.is_direct) {
                (true, _) => Reads::Nothing,
                (false, true) => Reads::Device,
                // With -C on several nodes, each reads what another has written.
                (false, false) if self.options.writes && !(self.options.reorders && self.nodes != Some(1)) => {
                    Reads::JustWritten
                }
                (false, false) => Reads::Unknown,
            },
            conditions: program(self.program),
            recorded: placed(self.options.named.get("-o").map(String::as_str)),
            ..row
        }
    }
}

/// The options of a command line (IOR's user guide, *Command line options*).
struct IorOptions {
    /// By name, those of `-O` too.
    named: BTreeMap<String, String>,
    /// Each write, or the end of writing, is synced within the measured time.
    syncs: bool,
    is_direct: bool,
    /// Tasks read what others have written.
    reorders: bool,
    /// It writes before it reads.
    writes: bool,
}

impl IorOptions {
    fn of(command: &str) -> Self {
        let mut named = of_command(command);
        for directive in named.remove("-O").unwrap_or_default().split([',', ' ']).filter(|text| !text.is_empty()) {
            let (name, value) = directive.split_once('=').unwrap_or((directive, "1"));
            named.insert(name.to_lowercase(), value.to_owned());
        }
        let has = |letter: &str| named.contains_key(letter);
        let is_set = |part: &str| {
            named.iter().any(|(name, value)| name.to_lowercase().replace('_', "").contains(part) && value != "0")
        };
        let syncs = has("-e") || has("-Y") || is_set("fsync");
        let is_direct = has("-B") || is_set("odirect");
        let reorders = has("-C") || has("-Z") || is_set("reordertasks");
        let writes = has("-w") || !has("-r");
        Self { syncs, is_direct, reorders, writes, named }
    }

    /// The options, some of them as a run states them.
    fn work(&self) -> impl Iterator<Item = (&str, String)> {
        let stated = [("api", "POSIX"), ("access", "single-shared-file"), ("segments", "1"), ("type", "independent")];
        let defaults = stated.into_iter().map(|(name, value)| (name, value.to_owned()));
        defaults.chain(self.named.iter().map(|(name, value)| match name.as_str() {
            "-a" => ("api", value.clone()),
            "-F" => ("access", "file-per-process".to_owned()),
            "-s" => ("segments", value.clone()),
            "-c" => ("type", "collective".to_owned()),
            name => (name, value.clone()),
        }))
    }

    /// Also those that are recorded, since a script of IOR's own may have set them.
    fn or_set(mut self, parameters: &Value) -> Self {
        let is_set = |name: &str| parameters[name].as_u64().is_some_and(|value| value > 0);
        self.syncs |= is_set("fsync") || is_set("fsyncperwrite");
        self.reorders |= is_set("reorderTasks") || is_set("reorderTasksRandom");
        for (name, value) in parameters.as_object().into_iter().flatten() {
            // `g` is the default of the data's type.
            let value = text(value).filter(|value| !["", "0", "g", "(null)"].contains(&value.as_str()));
            if let Some(value) = value.filter(|_| !NO_PARAMETER.contains(&&**name)) {
                self.named.insert(name.to_string(), value);
            }
        }
        self
    }
}
