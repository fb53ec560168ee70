//! dbench's text output: the throughput of a run. A file may have several runs.

use super::{File, ReadError, ResultFigure, figure, program};
use crate::measured::{InputFacts, Measured, SyncedResult};

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(is_result)
}

fn is_result(line: &str) -> bool {
    line.starts_with("Throughput ") && line.contains(" procs")
}

/// `Throughput 1234.5 MB/sec (sync open)  4 clients  4 procs  max_latency=12.345 ms`.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let version = file.text.lines().find_map(|line| line.strip_prefix("dbench version ")?.split(' ').next());
    // `Running for 600 seconds with load '/usr/share/dbench/client.txt' and minimum warmup 120 secs`.
    let started = file.text.lines().find_map(|line| line.strip_prefix("Running for ")?.split_once(" with load "));
    let load = started.map(|(_, load)| load.trim_start_matches('\'').split('\'').next().unwrap_or_default());
    let load = load.map(|path| ("load", path.rsplit('/').next().unwrap_or_default()));
    let settings = started.map(|(time, _)| ("time", time)).into_iter().chain(load);
    let of = |(index, line): (usize, &str)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let clients =
            words.iter().position(|word| *word == "clients").and_then(|place| words.get(place.checked_sub(1)?));
        let value = words.get(1).and_then(|word| figure(word));
        let (Some(clients), Some(value)) = (clients, value) else {
            return Err(file.malformed(format!("`{line}` has no throughput and clients")));
        };
        // `(sync open)` and `(sync dirs)` come before the clients.
        let syncs = ["sync open", "sync dirs"].into_iter().filter(|words| line.contains(words));
        let work = syncs.map(|words| (words, "yes")).chain(settings.clone());
        Ok(Measured {
            run: file.run(index + 1, &line),
            work: InputFacts::new(work.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()),
            // Without this option only some of its operations are synced.
            durable: if line.contains("(sync open)") { SyncedResult::Synced } else { SyncedResult::Unknown },
            conditions: program(version.map(|version| format!("dbench {version}"))),
            ..file.row(index + 1, ResultFigure::rate(format!("{clients} clients"), value, "MB/s"))
        })
    };
    file.text.lines().filter(|line| is_result(line)).enumerate().map(of).collect()
}
