//! dbench's text output: the throughput of a run. A file may have several runs.

use std::collections::BTreeMap;

use super::{File, ReadError, ResultFigure, figure};
use crate::measured::{Measured, SyncedResult};

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(is_result)
}

fn is_result(line: &str) -> bool {
    line.starts_with("Throughput ") && line.contains(" procs")
}

/// `Throughput 1234.5 MB/sec (sync open)  4 clients  4 procs  max_latency=12.345 ms`.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let version = file.text.lines().find_map(|line| line.strip_prefix("dbench version ")?.split(' ').next());
    let version = version.map(|version| ("program".to_owned(), format!("dbench {version}")));
    // `Running for 600 seconds with load '/usr/share/dbench/client.txt' and minimum warmup 120 secs`.
    let started = file.text.lines().find_map(|line| line.strip_prefix("Running for ")?.split_once(" with load "));
    let load = started.map(|(_, load)| load.trim_start_matches('\'').split('\'').next().unwrap_or_default());
    let load = load.map(|path| path.rsplit('/').next().unwrap_or_default().to_owned());
    let settings = BTreeMap::from_iter(
        started
            .map(|(time, _)| ("time".to_owned(), time.to_owned()))
            .into_iter()
            .chain(load.map(|it| ("load".to_owned(), it))),
    );
    let of = |(index, line): (usize, &str)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let clients =
            words.iter().position(|word| *word == "clients").and_then(|place| words.get(place.checked_sub(1)?));
        let value = words.get(1).and_then(|word| figure(word));
        let (Some(clients), Some(value)) = (clients, value) else {
            return Err(file.malformed(format!("`{line}` has no throughput and clients")));
        };
        // Without this option only some of its operations are synced.
        let durable = if line.contains("(sync open)") { SyncedResult::Synced } else { SyncedResult::Unknown };
        let conditions = BTreeMap::from_iter(version.clone()).into();
        let figure = ResultFigure::rate(format!("{clients} clients"), value, "MB/s");
        let run = file.run(index + 1, &line);
        // `(sync open)` and `(sync dirs)` come before the clients.
        let syncs = ["sync open", "sync dirs"].into_iter().filter(|words| line.contains(words));
        let syncs = syncs.map(|words| (words.to_owned(), "yes".to_owned()));
        let work = BTreeMap::from_iter(syncs.chain(settings.clone())).into();
        Ok(Measured { run, work, durable, conditions, ..file.row(index + 1, figure) })
    };
    file.text.lines().filter(|line| is_result(line)).enumerate().map(of).collect()
}
