//! IOR's output as text or JSON: each iteration, never the summary. Versions before 3.3 have no JSON.

use serde_json::Value;

use super::time::asctime;
use super::{Figure, File, ReadError, after, figure, positive};
use crate::measured::{Durable, Measured, Reads};

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

/// The rate of each iteration in a run's table.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let mut rows = Vec::new();
    for (index, lines) in file.runs(begins).iter().enumerate() {
        let command = after(lines, "Command line").or_else(|| after(lines, "Command line used"));
        let run = Run {
            program: lines[0].split(':').next().filter(|_| begins(lines[0])),
            options: Options::of(command.unwrap_or_default()),
            host: after(lines, "Machine"),
            time: after(lines, "Began").and_then(asctime),
            nodes: after(lines, "nodes").and_then(|count| count.parse().ok()),
            tasks: after(lines, "tasks").or_else(|| after(lines, "clients")),
        };
        rows.extend(iterations(lines).into_iter().map(|it| run.measured(file, index + 1, it)));
    }
    Ok(rows)
}

pub fn knows_json(value: &Value) -> bool {
    value["tests"][0]["Results"].is_array() && value["Command line"].is_string()
}

/// The rate of each iteration of each test.
pub fn read_json(file: &File<'_>, value: &Value) -> Result<Vec<Measured>, ReadError> {
    let program = format!("IOR-{}", value["Version"].as_str().unwrap_or_default());
    let mut rows = Vec::new();
    for (index, test) in value["tests"].as_array().into_iter().flatten().enumerate() {
        let tasks = test["Options"]["tasks"].as_u64().map(|count| count.to_string());
        let run = Run {
            program: Some(&program),
            options: Options::of(value["Command line"].as_str().unwrap_or_default()).or_set(&test["Parameters"]),
            host: value["Machine"].as_str(),
            time: test["StartTime"].as_str().or_else(|| value["Began"].as_str()).and_then(asctime),
            nodes: test["Options"]["nodes"].as_u64(),
            tasks: tasks.as_deref(),
        };
        let mut found = Vec::new();
        collect(&test["Results"], &mut found);
        rows.extend(found.into_iter().map(|it| run.measured(file, index + 1, it)));
    }
    Ok(rows)
}

/// An iteration in one direction.
struct Iteration<'a> {
    access: &'a str,
    mib_per_s: f64,
    block_kib: f64,
    transfer_kib: f64,
    number: usize,
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
            number: field("iter")?.parse().ok()?,
        })
    };
    lines[place + 1..].iter().filter_map(of).collect()
}

/// The iterations below `Results`, which has a list for each repetition.
fn collect<'a>(value: &'a Value, found: &mut Vec<Iteration<'a>>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        Value::Object(_) => found.extend(iteration(value, found)),
        _ => {}
    }
}

fn iteration<'a>(value: &'a Value, before: &[Iteration<'_>]) -> Option<Iteration<'a>> {
    let access = value["access"].as_str()?;
    Some(Iteration {
        access,
        mib_per_s: positive(&value["bwMiB"])?,
        block_kib: positive(&value["blockKiB"])?,
        transfer_kib: positive(&value["xferKiB"])?,
        number: before.iter().filter(|iteration| iteration.access == access).count(),
    })
}

/// What a run says about itself.
struct Run<'a> {
    program: Option<&'a str>,
    options: Options,
    host: Option<&'a str>,
    time: Option<f64>,
    nodes: Option<u64>,
    tasks: Option<&'a str>,
}

impl Run<'_> {
    fn measured(&self, file: &File<'_>, run: usize, iteration: Iteration<'_>) -> Measured {
        let Iteration { access, mib_per_s, block_kib, transfer_kib, number } = iteration;
        let tasks = self.tasks.map(|count| format!(", {count} tasks")).unwrap_or_default();
        let workload = format!("{access}, {block_kib} KiB in {transfer_kib} KiB{tasks}");
        let row = file.row(run, Figure::rate(workload, mib_per_s, "MiB/s"));
        let writes = access == "write";
        Measured {
            source: format!("{}, iteration {}", row.source, number + 1),
            time: self.time,
            host: self.host.and_then(|machine| machine.split_whitespace().nth(1)).map(str::to_owned),
            durable: match (writes, self.options.syncs) {
                (false, _) => Durable::NothingWritten,
                (true, true) => Durable::Synced,
                (true, false) => Durable::NotSynced,
            },
            reads: match (writes, self.options.is_direct) {
                (true, _) => Reads::Nothing,
                (false, true) => Reads::Device,
                // With -C on several nodes, each reads what another has written.
                (false, false) if self.options.writes && !(self.options.reorders && self.nodes != Some(1)) => {
                    Reads::JustWritten
                }
                (false, false) => Reads::Unknown,
            },
            conditions: self.program.map(|it| ("program".to_owned(), it.to_owned())).into_iter().collect(),
            ..row
        }
    }
}

/// The options of a command line that matter here (IOR's user guide, *Command line options*).
struct Options {
    /// Each write, or the end of writing, is synced within the measured time.
    syncs: bool,
    is_direct: bool,
    /// Tasks read what others have written.
    reorders: bool,
    /// It writes before it reads.
    writes: bool,
}

impl Options {
    fn of(command: &str) -> Self {
        let words: Vec<&str> = command.split_whitespace().collect();
        // Single letters may be joined: `-wreC`.
        let has = |letter: char| {
            let is_letters = |word: &&&str| word.starts_with('-') && !word.starts_with("--");
            words.iter().filter(is_letters).any(|word| word.contains(letter))
        };
        let names = |name: &str| words.iter().any(|word| word.to_lowercase().contains(name));
        Self {
            syncs: has('e') || has('Y') || names("fsync=1") || names("fsyncperwrite=1"),
            is_direct: has('B') || names("odirect"),
            reorders: has('C') || has('Z') || names("reordertasks"),
            writes: has('w') || !has('r'),
        }
    }

    /// Also those that a script of IOR's own has set.
    fn or_set(self, parameters: &Value) -> Self {
        let is_set = |name: &str| parameters[name].as_u64().is_some_and(|value| value > 0);
        Self {
            syncs: self.syncs || is_set("fsync") || is_set("fsyncperwrite"),
            reorders: self.reorders || is_set("reorderTasks") || is_set("reorderTasksRandom"),
            ..self
        }
    }
}
