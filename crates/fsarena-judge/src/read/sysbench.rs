//! sysbench's text output, versions 0.4 to 1.1: `fileio`, and the transactions of its database tests. A file may have
//! several runs.

use std::collections::BTreeMap;

use super::{Figure, File, ReadError, after, figure};
use crate::measured::{Durable, Measured, Reads};

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(|line| begins(line) || line.starts_with("Running the test with following options:"))
}

/// `sysbench 1.0.20 (using …)` or `sysbench 0.4.12:  multi-threaded system evaluation benchmark`.
fn begins(line: &str) -> bool {
    line.strip_prefix("sysbench ").is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// Operations per second of each direction, or transactions.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let mut rows = Vec::new();
    for (index, lines) in file.runs(begins).iter().enumerate() {
        if lines.iter().any(|line| line.starts_with("FATAL")) {
            return Err(file.malformed(format!("run {} failed, so its figures are of no work", index + 1)));
        }
        let version = lines[0].split([' ', ':']).nth(1).filter(|_| begins(lines[0]));
        let program = version.map(|version| ("program".to_owned(), format!("sysbench {version}")));
        let conditions: BTreeMap<String, String> = program.into_iter().collect();
        for figure in figures(lines) {
            let (durable, reads) = (durable(lines, &figure), reads(lines, &figure));
            rows.push(Measured { durable, reads, conditions: conditions.clone(), ..file.row(index + 1, figure) });
        }
    }
    Ok(rows)
}

fn figures(lines: &[&str]) -> Vec<Figure> {
    let test = lines.iter().find_map(|line| line.trim().strip_prefix("Doing ")).unwrap_or("database");
    let block = lines.iter().find_map(|line| line.trim().strip_prefix("Block size "));
    let size = lines.iter().find_map(|line| line.trim().strip_suffix(" total file size"));
    let threads = after(lines, "Number of threads").map(|count| format!("{count} threads"));
    let parts = [test.trim_end_matches(" test"), block.unwrap_or_default(), size.unwrap_or_default()];
    let parts = parts.into_iter().map(str::to_lowercase).chain(threads).filter(|part| !part.is_empty());
    let work = parts.collect::<Vec<_>>().join(", ");
    let of = |name: &str, unit, value: Option<f64>| Some(Figure::rate(format!("{work}: {name}"), value?, unit));
    let directions = [("reads", "reads/s"), ("writes", "writes/s")];
    let directions = directions.map(|(name, key)| {
        let newer = || after(lines, &key[..key.len() - "s/s".len()])?.strip_prefix("IOPS=")?.split(' ').next();
        of(name, "ops/s", after(lines, key).or_else(newer).and_then(figure))
    });
    let requests = lines.iter().find_map(|line| line.trim().strip_suffix(" Requests/sec executed")).and_then(figure);
    let transactions = after(lines, "transactions").and_then(per_second);
    let further = [of("requests", "ops/s", requests), of("transactions", "transactions/s", transactions)];
    directions.into_iter().chain(further).flatten().collect()
}

/// `1000   (99.94 per sec.)`.
fn per_second(text: &str) -> Option<f64> {
    figure(text.split_once('(')?.1.split_whitespace().next()?)
}

fn durable(lines: &[&str], figure: &Figure) -> Durable {
    let has = |words: &str| lines.iter().any(|line| line.contains(words));
    let is_synced = has("Calling fsync() at the end of test, Enabled")
        || has("Calling fsync() after each write operation")
        || has("Extra file open flags: sync")
        || has("Extra file open flags: dsync")
        || has("Using synchronous file I/O mode");
    match figure.workload.rsplit(": ").next() {
        Some("reads") => Durable::NothingWritten,
        Some("writes" | "requests") if is_synced => Durable::Synced,
        Some("writes" | "requests") => Durable::NotSynced,
        _ => Durable::Unknown,
    }
}

fn reads(lines: &[&str], figure: &Figure) -> Reads {
    let is_direct = lines.iter().any(|line| line.contains("Extra file open flags: direct"));
    match figure.workload.rsplit(": ").next() {
        Some("writes") => Reads::Nothing,
        Some("reads" | "requests") if is_direct => Reads::Device,
        _ => Reads::Unknown,
    }
}
