//! dbench's text output: the throughput of a run. A file may have several runs.

use std::collections::BTreeMap;

use super::{Figure, File, ReadError, figure};
use crate::measured::{Durable, Measured};

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
    let of = |(index, line): (usize, &str)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let clients =
            words.iter().position(|word| *word == "clients").and_then(|place| words.get(place.checked_sub(1)?));
        let value = words.get(1).and_then(|word| figure(word));
        let (Some(clients), Some(value)) = (clients, value) else {
            return Err(file.malformed(format!("`{line}` has no throughput and clients")));
        };
        // Without this option only some of its operations are synced.
        let durable = if line.contains("(sync open)") { Durable::Synced } else { Durable::Unknown };
        let conditions = BTreeMap::from_iter(version.clone());
        let figure = Figure::rate(format!("{clients} clients"), value, "MB/s");
        Ok(Measured { durable, conditions, ..file.row(index + 1, figure) })
    };
    file.text.lines().filter(|line| is_result(line)).enumerate().map(of).collect()
}
