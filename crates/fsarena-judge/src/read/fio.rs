//! fio's `--output-format=json`, of one machine or of clients, and its terse lines: each job and direction is a workload
//! of the contender that the file is called.

mod devices;
mod doubts;
mod parts;
mod syncs;
mod terse;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use self::devices::MovedBytes;
use self::syncs::JobSyncs;
pub use self::terse::{knows as knows_terse, read as read_terse};
use super::doubts::{folder, placed, written_meanwhile};
use super::options::size;
use super::{File, ReadError, positive, program};
use crate::measured::{InputFacts, Measured, Reads, SyncedResult};

/// What jobs do; with `unified_rw_reporting=1`, all of it is `mixed`.
const DIRECTIONS: [&str; 4] = ["read", "write", "trim", "mixed"];

pub fn knows(value: &Value) -> bool {
    value["fio version"].as_str().is_some()
        && ["jobs", "client_stats"].iter().any(|rows| value[rows].as_array().is_some())
}

/// Whether a text has what fio prints for people: the line of a job, its version, and a summary of a job.
pub fn is_for_people(file: &File<'_>) -> bool {
    let is_job = |line: &str| line.contains(": (g=") && line.contains("): rw=");
    let is_summary = |line: &str| line.contains(": (groupid=") && line.contains(", jobs=");
    file.text.lines().any(|line| is_job(line) || is_summary(line) || line.starts_with("Run status group "))
}

/// Whether `next` is a later state of the run of `last`, as `--status-interval` prints them: it began before `last` was
/// printed. Documents that do not show when they began are taken for states.
pub fn continues(last: &Value, next: &Value) -> bool {
    if !(knows(last) && knows(next)) {
        return false;
    }
    // Without milliseconds, a moment is somewhere in its second.
    let printed = |value: &Value, uncertain: f64| {
        positive(&value["timestamp_ms"]).or_else(|| Some(1000.0 * positive(&value["timestamp"])? + uncertain))
    };
    let took = |job: &Value| {
        let directions = DIRECTIONS.iter().filter_map(|direction| positive(&job[direction]["runtime"]));
        // The seconds since fio was started, counted from 1, also have what came before the measured time.
        let elapsed = positive(&job["elapsed"]).map(|seconds| 1000.0 * (seconds - 1.0));
        directions.chain(elapsed).reduce(f64::max)
    };
    let jobs = next["jobs"].as_array().or_else(|| next["client_stats"].as_array());
    let longest = jobs.into_iter().flatten().filter_map(took).reduce(f64::max);
    let (Some(longest), Some(printed_last), Some(printed_next)) = (longest, printed(last, 999.0), printed(next, 0.0))
    else {
        return true;
    };
    printed_next - longest <= printed_last
}

/// The size of a request as a power of two, which follows from rates: all that is known of it without options.
fn request(kib_per_s: f64, ops_per_s: f64) -> (String, String) {
    let bytes = (1024.0 * kib_per_s / ops_per_s).log2().round().exp2();
    ("size of a request".to_owned(), size(&bytes.to_string()))
}

/// The operations per second of each job in each direction that did something. The clones of a job, sections with
/// the same name and options, and the clients of a run are one result: they are parts of one run.
pub fn read(file: &File<'_>, value: &Value) -> Result<Vec<Measured>, ReadError> {
    const ALL_CLIENTS: &str = "All clients";
    let jobs: Vec<&Value> = match (value["jobs"].as_array(), value["client_stats"].as_array()) {
        (None, Some(rows)) if rows.is_empty() => return Err(file.malformed("no client answered")),
        // The row of all clients adds up different jobs.
        (None, rows) => rows.into_iter().flatten().filter(|row| name(row) != ALL_CLIENTS).collect(),
        (Some(jobs), _) => jobs.iter().collect(),
    };
    for job in &jobs {
        let source = || format!("{}, {}", file.name, name(job));
        if job["error"].as_f64().is_some_and(|error| error != 0.0) {
            return Err(ReadError::malformed(source(), "the job failed, so its figures are of no work"));
        }
        for direction in DIRECTIONS {
            let rate = &job[direction]["iops"];
            if !rate.is_null() && !rate.as_f64().is_some_and(|rate| rate >= 0.0) {
                let why = format!("the `iops` of {direction} are {rate}, which is no number from 0 on");
                return Err(ReadError::malformed(source(), why));
            }
        }
    }
    let parts = parts::of(file.label, value, &jobs);
    let run = file.run(1, value);
    let mut conditions = program(value["fio version"].as_str());
    Arc::make_mut(&mut conditions).extend(devices::conditions(value, file.label));
    let [read, written] = ["read", "write"].map(|direction| MovedBytes::of(value, &parts, direction));
    let asked: Vec<JobSyncs<'_>> = parts.iter().map(|part| JobSyncs::of(value, part)).collect();
    let least = asked.iter().map(JobSyncs::least).sum::<f64>();
    let is_lost = written.is_some_and(|written| written.devices < devices::FEW * least);
    let durable: Vec<SyncedResult> = asked.iter().map(|syncs| syncs.result(is_lost)).collect();
    // Whether any of the writes of each stage were synced.
    let mut syncs: BTreeMap<usize, SyncedResult> = BTreeMap::new();
    for (part, durable) in parts.iter().zip(&durable).filter(|(part, _)| part.rate("write").is_some()) {
        let synced = |known: &mut SyncedResult| *known = if *known == SyncedResult::Synced { *known } else { *durable };
        part.stages.iter().for_each(|stage| _ = syncs.entry(*stage).and_modify(synced).or_insert(*durable));
    }
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    for ((part, own), durable) in parts.iter().zip(&asked).zip(durable) {
        let options = work::options(value, part.jobs[0]).unwrap_or_default();
        let meanwhile = part.stages.iter().find_map(|stage| written_meanwhile(*syncs.get(stage)?));
        let paths =
            ["directory", "filename"].into_iter().filter_map(|name| options.get(name)).flat_map(|it| it.split(':'));
        let recorded = placed(paths);
        let directory = options.get("directory").copied().or(options.get("filename").map(|path| folder(path)));
        for direction in DIRECTIONS {
            // With `unified_rw_reporting=both`, it is there once more.
            let is_again = direction == "mixed" && !part.jobs[0]["read"].is_null();
            let Some(rate) = part.rate(direction).filter(|_| !is_again) else { continue };
            let figure = Measured::rate(format!("{} {direction}", part.name), rate, "ops/s");
            let mut work = part.work(direction);
            if let Some(fact) = meanwhile.clone().filter(|_| direction == "read") {
                Arc::make_mut(&mut work).extend([fact]);
            }
            rows.push(Measured {
                source: format!("{}, {}", file.name, part.name),
                run: run.clone(),
                work,
                clock_step: part.time(direction).map(f64::recip),
                time: positive(&value["timestamp"]),
                host: part.host(),
                durable: match direction {
                    "write" | "mixed" => durable,
                    _ => SyncedResult::NothingWritten,
                },
                synced: own.share(),
                on_device: written.filter(|_| direction == "write").map(|it| (it.devices / it.jobs).min(1.0)),
                reads: match (direction, read) {
                    ("read", Some(MovedBytes { jobs, devices })) => Reads::Counted { work: jobs, device: devices },
                    ("read" | "mixed", _) => Reads::Unknown,
                    _ => Reads::Nothing,
                },
                conditions: conditions.clone(),
                notes: doubts::of(part, &options, direction, file.label)
                    .into_iter()
                    .chain(part.uneven(direction))
                    .collect(),
                recorded: recorded.clone(),
                extent: part.extent(direction),
                ..file.row(1, figure)
            });
            places.extend(directory.map(|directory| (directory, direction)));
        }
    }
    if !file.is_labelled && places.len() == rows.len() {
        of_directories(&mut rows, &places);
    }
    Ok(rows)
}

/// Makes contenders of the directories of jobs, if there are several and the same work was done in each. `places` are
/// the directory and the direction of each row.
fn of_directories(rows: &mut [Measured], places: &[(&str, &str)]) {
    let mut works: BTreeMap<&str, Vec<(Arc<InputFacts>, &str)>> = BTreeMap::new();
    for (row, (directory, direction)) in rows.iter().zip(places) {
        works.entry(directory).or_default().push((row.work.clone(), direction));
    }
    works.values_mut().for_each(|works| works.sort_unstable());
    let mut others = works.values();
    let first = others.next();
    if works.len() < 2 || others.any(|other| Some(other) != first) {
        return;
    }
    let kinds: BTreeSet<String> = works.keys().filter_map(|directory| placed([*directory])).collect();
    for (row, (directory, direction)) in rows.iter_mut().zip(places) {
        row.workload = format!("{} {direction}", row.work["rw"]);
        let kind = placed([*directory]).filter(|_| kinds.len() == works.len());
        row.contender = kind.unwrap_or_else(|| (*directory).to_owned());
    }
}

fn name(job: &Value) -> &str {
    job["jobname"].as_str().unwrap_or("job")
}
