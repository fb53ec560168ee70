//! fio's `--output-format=json`: each job and direction is a workload of the contender that the file is called.

use serde_json::Value;

use super::{Figure, File, ReadError, positive};
use crate::measured::{Durable, Measured, Reads};

/// Bytes of a sector in `disk_util` (HOWTO.rst).
const SECTOR: f64 = 512.0;
/// Options that make writes durable within the measured time (HOWTO.rst).
const SYNCING: [&str; 5] = ["fsync", "fdatasync", "end_fsync", "sync", "sync_file_range"];

pub fn knows(value: &Value) -> bool {
    value["fio version"].is_string() && value["jobs"].is_array()
}

/// The operations per second of each job in each direction that did something.
pub fn read(file: &File<'_>, value: &Value) -> Result<Vec<Measured>, ReadError> {
    let jobs = value["jobs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut rows = Vec::new();
    for job in jobs {
        let name = job["jobname"].as_str().unwrap_or("job");
        let source = format!("{}, {name}", file.name);
        if job["error"].as_i64().is_some_and(|error| error != 0) {
            return Err(ReadError::malformed(source, "the job failed, so its figures are of no work"));
        }
        for direction in ["read", "write", "trim"] {
            let Some(rate) = positive(&job[direction]["iops"]) else { continue };
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
    job["job options"][name].as_str().or_else(|| value["global options"][name].as_str())
}

fn durable(value: &Value, job: &Value) -> Durable {
    let is_set = |name: &&str| option(value, job, name).is_some_and(|text| !["0", "none"].contains(&text));
    let is_known = job["job options"].is_object() || value["global options"].is_object();
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
