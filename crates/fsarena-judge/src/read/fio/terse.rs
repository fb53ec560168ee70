//! fio's `--output-format=terse` in the versions 3 to 5 (HOWTO.rst, *Terse output*): a line for each job, without the
//! job's options.

use std::collections::BTreeMap;

use super::super::{File, ReadError, ResultFigure, figure};
use crate::measured::{InputFacts, Measured, Reads, SyncedResult};

/// Where the figures of the first direction begin.
const FIRST: usize = 5;
/// Where a direction has its operations per second.
const IOPS: usize = 2;

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(|line| TerseLine::of(line).is_some())
}

/// The operations per second of each job in each direction that did something.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let mut rows: Vec<Measured> = Vec::new();
    let mut places = BTreeMap::new();
    for TerseLine { program, job, error, directions } in file.text.lines().filter_map(TerseLine::of) {
        let source = format!("{}, {job}", file.name);
        if error != "0" {
            return Err(ReadError::malformed(source, "the job failed, so its figures are of no work"));
        }
        for (direction, rate) in directions {
            // Lines of one name are clones of a job: parts of one run.
            let (place, clones) = places.entry((job, direction)).or_insert((rows.len(), 0_u32));
            *clones += 1;
            let work: InputFacts = BTreeMap::from([("numjobs".to_owned(), clones.to_string())]).into();
            if let Some(row) = rows.get_mut(*place) {
                (row.value, row.work) = (row.value + rate, work);
                continue;
            }
            rows.push(Measured {
                source: source.clone(),
                work,
                durable: if direction == "write" { SyncedResult::Unknown } else { SyncedResult::NothingWritten },
                reads: if direction == "read" { Reads::Unknown } else { Reads::Nothing },
                conditions: super::super::program(Some(program)),
                ..file.row(1, ResultFigure::rate(format!("{job} {direction}"), rate, "ops/s"))
            });
        }
    }
    Ok(rows)
}

/// The line of a job.
struct TerseLine<'a> {
    program: &'a str,
    job: &'a str,
    error: &'a str,
    /// The directions that did something, with their operations per second.
    directions: Vec<(&'static str, f64)>,
}

impl<'a> TerseLine<'a> {
    /// `3;fio-3.33;randread;0;0;1984;64000;16000;31;…`.
    fn of(line: &'a str) -> Option<Self> {
        let fields: Vec<&str> = line.trim().split(';').collect();
        let [version, program, job, _, error, ..] = fields[..] else { return None };
        // The number of fields of a direction, and the directions.
        let (length, directions) = match version {
            "3" => (41, &["read", "write"][..]),
            "4" => (41, &["read", "write", "trim"][..]),
            "5" => (47, &["read", "write", "trim"][..]),
            _ => return None,
        };
        let is_whole = program.starts_with("fio-") && fields.len() >= FIRST + length * directions.len();
        let rate = |(index, direction): (usize, &&'static str)| {
            Some((*direction, figure(fields[FIRST + length * index + IOPS])?))
        };
        is_whole.then(|| Self {
            program,
            job,
            error,
            directions: directions.iter().enumerate().filter_map(rate).collect(),
        })
    }
}
