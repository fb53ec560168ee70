//! fio's `--output-format=json`, of one machine or of clients, and its terse lines: each job and direction is a workload
//! of the contender that the file is called.

mod clients;
mod terse;

use std::borrow::Cow;

use serde_json::Value;

pub use terse::{knows as knows_terse, read as read_terse};

use super::{Figure, File, ReadError, positive};
use crate::measured::{Durable, Measured, Reads};

/// Bytes of a sector in `disk_util` (HOWTO.rst).
const SECTOR: f64 = 512.0;
/// Options that make writes durable within the measured time (HOWTO.rst).
const SYNCING: [&str; 5] = ["fsync", "fdatasync", "end_fsync", "sync", "sync_file_range"];

pub fn knows(value: &Value) -> bool {
    value["fio version"].is_string() && (value["jobs"].is_array() || value["client_stats"].is_array())
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
    // Without milliseconds, a moment is somewhere in its second.
    let printed = |value: &Value, uncertain: f64| {
        positive(&value["timestamp_ms"]).or_else(|| Some(1000.0 * positive(&value["timestamp"])? + uncertain))
    };
    let took = |job: &Value| {
        let directions = ["read", "write", "trim"].iter().filter_map(|direction| positive(&job[direction]["runtime"]));
        // The seconds since fio was started, counted from 1, also have what came before the measured time.
        let elapsed = positive(&job["elapsed"]).map(|seconds| 1000.0 * (seconds - 1.0));
        directions.chain(elapsed).reduce(f64::max)
    };
    let jobs = if next["jobs"].is_array() { &next["jobs"] } else { &next["client_stats"] };
    let longest = jobs.as_array().into_iter().flatten().filter_map(took).reduce(f64::max);
    let (Some(longest), Some(printed_last), Some(printed_next)) = (longest, printed(last, 999.0), printed(next, 0.0))
    else {
        return true;
    };
    printed_next - longest <= printed_last
}

/// The operations per second of each job in each direction that did something.
pub fn read(file: &File<'_>, value: &Value) -> Result<Vec<Measured>, ReadError> {
    let jobs = match (value["jobs"].as_array(), value["client_stats"].as_array()) {
        (Some(jobs), _) => Cow::Borrowed(jobs),
        (None, Some(rows)) if rows.is_empty() => return Err(file.malformed("no client answered")),
        (None, rows) => Cow::Owned(clients::joined(rows.map(Vec::as_slice).unwrap_or_default())),
    };
    let mut rows = Vec::new();
    for job in jobs.iter() {
        let name = job["jobname"].as_str().unwrap_or("job");
        let source = format!("{}, {name}", file.name);
        if job["error"].as_i64().is_some_and(|error| error != 0) {
            return Err(ReadError::malformed(source, "the job failed, so its figures are of no work"));
        }
        for direction in ["read", "write", "trim"] {
            let rate = &job[direction]["iops"];
            if !rate.is_null() && !rate.as_f64().is_some_and(|rate| rate >= 0.0) {
                let why = format!("the `iops` of {direction} are {rate}, which is no number from 0 on");
                return Err(ReadError::malformed(source, why));
            }
            let Some(rate) = positive(rate) else { continue };
            rows.push(Measured {
                source: source.clone(),
                time: positive(&value["timestamp"]),
                host: job["hostname"].as_str().map(str::to_owned),
                durable: if direction == "write" { durable(value, job) } else { Durable::NothingWritten },
                // The device's counters are of all jobs together.
                reads: match direction {
                    "read" if jobs.len() == 1 => reads(value, job).unwrap_or(Reads::Unknown),
                    "read" => Reads::Unknown,
                    _ => Reads::Nothing,
                },
                conditions: value["fio version"]
                    .as_str()
                    .map(|it| ("program".to_owned(), it.to_owned()))
                    .into_iter()
                    .collect(),
                ..file.row(1, Figure::rate(format!("{name} {direction}"), rate, "ops/s"))
            });
        }
    }
    Ok(rows)
}

fn option<'a>(value: &'a Value, job: &'a Value, name: &str) -> Option<&'a str> {
    // There are those of each client, or one for all.
    let global = &value["global options"];
    let global = global.get(0).unwrap_or(global);
    job["job options"][name].as_str().or_else(|| global[name].as_str())
}

fn durable(value: &Value, job: &Value) -> Durable {
    let is_set = |name: &&str| option(value, job, name).is_some_and(|text| !["0", "none"].contains(&text));
    let is_known = !job["job options"].is_null() || !value["global options"].is_null();
    match SYNCING.iter().any(is_set) {
        true => Durable::Synced,
        false if is_known => Durable::NotSynced,
        false => Durable::Unknown,
    }
}

/// Versions before 3.36 have no sectors in `disk_util`.
fn reads(value: &Value, job: &Value) -> Option<Reads> {
    let disks = value["disk_util"].as_array()?;
    let sectors = disks.iter().map(|disk| disk["read_sectors"].as_f64()).sum::<Option<f64>>()?;
    Some(Reads::Counted { work: positive(&job["read"]["io_bytes"])?, device: sectors * SECTOR })
}
