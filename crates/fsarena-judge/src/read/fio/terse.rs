//! fio's `--output-format=terse` in the versions 3 to 5 (HOWTO.rst, *Terse output*): a line for each job, without the
//! job's options.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::doubts::doubt;
use super::super::options::without_label;
use super::super::{File, ReadError, figure, program};
use super::parts::beside;
use super::{DIRECTIONS, request};
use crate::measured::{Extent, Measured, Reads, SyncedResult};

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(|line| TerseLine::of(line).is_some())
}

/// The operations per second of each job in each direction that did something. Several lines of one job are in doubt:
/// they may be its clones, runs one after the other, or states of one run.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let lines: Vec<TerseLine<'_>> = file.text.lines().filter_map(TerseLine::of).collect();
    let run = file.run(1, &lines.iter().map(|line| line.text).collect::<Vec<_>>());
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for line in &lines {
        *counts.entry(line.job).or_default() += 1;
        groups.entry(line.group).or_default().push(without_label(line.job, file.label));
    }
    groups.values_mut().for_each(|names| names.sort_unstable());
    let mut rows = Vec::new();
    for line in &lines {
        let job = without_label(line.job, file.label);
        let source = format!("{}, {job}", file.name);
        if line.error != "0" {
            return Err(ReadError::malformed(source, "the job failed, so its figures are of no work"));
        }
        let count = counts[line.job];
        let text = || {
            format!(
                "{count} lines of a job are its clones, its states or runs one after the other; give each run a file \
                 of its own, or use JSON"
            )
        };
        let notes = Vec::from_iter((count > 1).then(|| doubt(text())));
        for (direction, figures) in DIRECTIONS.into_iter().zip(&line.figures) {
            let [kib, kib_per_s, Some(rate), milliseconds] = *figures else { continue };
            let size = kib_per_s.map(|kib_per_s| request(kib_per_s, rate));
            rows.push(Measured {
                source: source.clone(),
                run: run.clone(),
                work: Arc::new(size.into_iter().chain(beside(&groups[line.group], &job)).collect()),
                extent: milliseconds.zip(kib).map(|(time, amount)| Extent { seconds: time / 1000.0, amount }),
                durable: if direction == "write" { SyncedResult::Unknown } else { SyncedResult::NothingWritten },
                reads: if direction == "read" { Reads::Unknown } else { Reads::Nothing },
                conditions: program(Some(line.program)),
                notes: notes.clone(),
                ..file.row(1, Measured::rate(format!("{job} {direction}"), rate, "ops/s"))
            });
        }
    }
    Ok(rows)
}

/// The line of a job: `3;fio-3.33;randread;0;0;1984;64000;16000;31;…`.
struct TerseLine<'a> {
    text: &'a str,
    program: &'a str,
    job: &'a str,
    group: &'a str,
    error: &'a str,
    /// The KiB, KiB and operations per second, and milliseconds of each direction, where they are above 0.
    figures: Vec<[Option<f64>; 4]>,
}

impl<'a> TerseLine<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let text = line.trim();
        let fields: Vec<&str> = text.split(';').collect();
        let [version, program, job, group, error, ref figures @ ..] = fields[..] else { return None };
        // The number of fields of a direction, and of directions.
        let (length, count) = match version {
            "3" => (41, 2),
            "4" => (41, 3),
            "5" => (47, 3),
            _ => return None,
        };
        let directions = figures.chunks_exact(length).take(count);
        let figures = Vec::from_iter(directions.map(|own| [0, 1, 2, 3].map(|place| figure(own[place]))));
        let is_whole = program.starts_with("fio-") && figures.len() == count;
        is_whole.then_some(Self { text, program, job, group, error, figures })
    }
}
