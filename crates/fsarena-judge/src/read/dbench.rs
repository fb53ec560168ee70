//! dbench's text output: the throughput of a run. A file may have several runs.

use std::sync::Arc;

use super::doubts::failed;
use super::{File, ReadError, figure, program};
use crate::measured::{Measured, SyncedResult};

/// What the first line begins with.
const VERSION: &str = "dbench version ";

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(is_result)
}

fn is_result(line: &str) -> bool {
    line.starts_with("Throughput ") && line.contains(" procs")
}

/// `Running for 600 seconds with load '/usr/share/dbench/client.txt' and minimum warmup 120 secs`.
fn started<'a>(lines: &[&'a str]) -> Option<(&'a str, &'a str)> {
    lines.iter().find_map(|line| line.strip_prefix("Running for ")?.split_once(" with load "))
}

/// `Throughput 1234.5 MB/sec (sync open)  4 clients  4 procs  max_latency=12.345 ms`, which ends a run.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let version = file.text.lines().find_map(|line| line.strip_prefix(VERSION)?.split(' ').next());
    let lines: Vec<&str> = file.text.lines().collect();
    let of = |(index, own): (usize, &[&str])| {
        let line = own.last().copied().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let before = |name: &str| {
            let place = words.iter().position(|word| *word == name)?;
            words.get(place.checked_sub(1)?).copied()
        };
        let value = words.get(1).and_then(|word| figure(word));
        // Version 3 has processes only, one for each client.
        let (Some(clients), Some(value)) = (before("clients").or_else(|| before("procs")), value) else {
            return Err(file.malformed(format!("`{line}` has no throughput and clients")));
        };
        // `(sync open)` and `(sync dirs)` come before the clients.
        let syncs = ["sync open", "sync dirs"].into_iter().filter(|words| line.contains(words));
        let started = started(own).or_else(|| started(&lines));
        let load = started.map(|(_, load)| load.trim_start_matches('\'').split('\'').next().unwrap_or_default());
        let load = load.map(|path| ("load", path.rsplit('/').next().unwrap_or_default()));
        let settings = [started.map(|(time, _)| ("time", time)), load, before("procs").map(|count| ("procs", count))];
        let work = syncs.map(|words| (words, "yes")).chain(settings.into_iter().flatten());
        let failures = own.iter().filter(|line| line.contains(" failed for handle ") || line.contains(") ERROR: "));
        Ok(Measured {
            run: file.run(index + 1, &line),
            work: Arc::new(work.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()),
            // Without this option only some of its operations are synced.
            durable: if line.contains("(sync open)") { SyncedResult::Synced } else { SyncedResult::Unknown },
            conditions: program(version.map(|version| format!("dbench {version}"))),
            notes: failed(failures.count() as f64, 0.0).into_iter().collect(),
            ..file.row(index + 1, Measured::rate(format!("{clients} clients"), value, "MB/s"))
        })
    };
    let runs =
        lines.split_inclusive(|line| is_result(line)).filter(|own| own.last().is_some_and(|line| is_result(line)));
    runs.enumerate().map(of).collect()
}
