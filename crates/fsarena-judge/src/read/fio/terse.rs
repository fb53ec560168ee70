//! fio's `--output-format=terse` in the versions 3 to 5 (HOWTO.rst, *Terse output*): a line for each job, without the
//! job's options.

use std::collections::BTreeMap;

use super::super::options::without_label;
use super::super::{File, ReadError, ResultFigure, figure};
use super::parts::beside;
use super::{DIRECTIONS, request};
use crate::findings::{FindingClass, JudgedFinding};
use crate::measured::{Extent, InputFacts, Measured, Reads, SyncedResult};

/// Where the figures of the first direction begin.
const FIRST: usize = 5;

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(|line| TerseLine::of(line).is_some())
}

/// The operations per second of each job in each direction that did something.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let mut jobs: Vec<Vec<TerseLine<'_>>> = Vec::new();
    let mut places = BTreeMap::new();
    let own: Vec<&str> = file.text.lines().map(str::trim).filter(|line| TerseLine::of(line).is_some()).collect();
    let run = file.run(1, &own);
    for line in own.into_iter().filter_map(TerseLine::of) {
        if line.error != "0" {
            let source = format!("{}, {}", file.name, line.job);
            return Err(ReadError::malformed(source, "the job failed, so its figures are of no work"));
        }
        let place = *places.entry(line.job).or_insert(jobs.len());
        if place == jobs.len() {
            jobs.push(Vec::new());
        }
        jobs[place].push(line);
    }
    jobs.iter_mut().for_each(|lines| *lines = without_states(lines));
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let named = |lines: &[TerseLine<'_>]| without_label(lines[0].job, file.label);
    jobs.iter().for_each(|lines| groups.entry(lines[0].group).or_default().push(named(lines)));
    groups.values_mut().for_each(|names| names.sort_unstable());
    let of = |lines: &Vec<TerseLine<'_>>| {
        let TerseLine { program, group, .. } = lines[0];
        let job = &*named(lines);
        let count = Some(lines.len()).filter(|count| *count > 1);
        let lines_of_name = count.map(|count| ("lines of this name".to_owned(), count.to_string()));
        let doubt = count.map(|count| {
            format!(
                "{count} lines of a job are its clones or runs one after the other; give each run a file of its own, \
                 or use JSON"
            )
        });
        let notes: Vec<JudgedFinding> = FindingClass::Work.findings(doubt).collect();
        let row = |direction: &'static str| {
            let figures = || lines.iter().flat_map(|line| &line.figures).filter(|it| it.direction == direction);
            let rate = Some(figures().map(|it| it.ops_per_s).sum::<f64>()).filter(|rate| *rate > 0.0)?;
            let size = request(figures().map(|it| it.kib_per_s).sum(), rate);
            Some(Measured {
                source: format!("{}, {job}", file.name),
                run: run.clone(),
                work: InputFacts::new(
                    [size].into_iter().chain(beside(&groups[group], job)).chain(lines_of_name.clone()).collect(),
                ),
                extent: lines.iter().map(|line| line.extent(direction)).reduce(|_, _| None).flatten(),
                durable: if direction == "write" { SyncedResult::Unknown } else { SyncedResult::NothingWritten },
                reads: if direction == "read" { Reads::Unknown } else { Reads::Nothing },
                conditions: super::super::program(Some(program)),
                notes: notes.clone(),
                ..file.row(1, ResultFigure::rate(format!("{job} {direction}"), rate, "ops/s"))
            })
        };
        DIRECTIONS.into_iter().filter_map(row).collect::<Vec<_>>()
    };
    Ok(jobs.iter().flat_map(of).collect())
}

/// The line of a job.
#[derive(Clone)]
struct TerseLine<'a> {
    program: &'a str,
    job: &'a str,
    group: &'a str,
    error: &'a str,
    /// Those of directions that did something.
    figures: Vec<TerseFigures>,
}

#[derive(Clone)]
struct TerseFigures {
    direction: &'static str,
    kib: f64,
    kib_per_s: f64,
    ops_per_s: f64,
    milliseconds: f64,
}

impl<'a> TerseLine<'a> {
    /// `3;fio-3.33;randread;0;0;1984;64000;16000;31;…`.
    fn of(line: &'a str) -> Option<Self> {
        let fields: Vec<&str> = line.trim().split(';').collect();
        let [version, program, job, group, error, ..] = fields[..] else { return None };
        // The number of fields of a direction, and of directions.
        let (length, directions) = match version {
            "3" => (41, 2),
            "4" => (41, 3),
            "5" => (47, 3),
            _ => return None,
        };
        let is_whole = program.starts_with("fio-") && fields.len() >= FIRST + length * directions;
        let of = |(index, direction): (usize, &'static str)| {
            let [kib, kib_per_s, ops_per_s, milliseconds] =
                [0, 1, 2, 3].map(|place| figure(fields[FIRST + length * index + place]));
            let [kib, kib_per_s, milliseconds] = [kib, kib_per_s, milliseconds].map(Option::unwrap_or_default);
            Some(TerseFigures { direction, kib, kib_per_s, ops_per_s: ops_per_s?, milliseconds })
        };
        let figures = || DIRECTIONS.into_iter().take(directions).enumerate().filter_map(of).collect();
        is_whole.then(|| Self { program, job, group, error, figures: figures() })
    }

    fn extent(&self, direction: &str) -> Option<Extent> {
        let own = self.figures.iter().find(|it| it.direction == direction)?;
        let extent = Extent { seconds: own.milliseconds / 1000.0, amount: own.kib };
        Some(extent).filter(|extent| extent.seconds > 0.0 && extent.amount > 0.0)
    }

    fn kib(&self) -> f64 {
        self.figures.iter().map(|it| it.kib).sum()
    }

    fn milliseconds(&self) -> f64 {
        self.figures.iter().map(|it| it.milliseconds).fold(0.0, f64::max)
    }
}

/// The lines of a job; of several states of a run, as `--status-interval` prints them, the last one. In each, more was
/// done in a longer time, and all but the last are as far apart as the first is from the start. Runs one after the
/// other, and clones, may also do more in a longer time, but not by as much.
fn without_states<'a>(lines: &[TerseLine<'a>]) -> Vec<TerseLine<'a>> {
    const SAME_STEP: f64 = 0.5;
    let is_more =
        |one: &TerseLine<'_>, next: &TerseLine<'_>| next.kib() > one.kib() && next.milliseconds() > one.milliseconds();
    let of = |chain: &[TerseLine<'a>]| {
        let first = chain[0].milliseconds();
        let steps = chain.windows(2).map(|pair| pair[1].milliseconds() - pair[0].milliseconds());
        let is_state = steps.take(1.max(chain.len().saturating_sub(2))).all(|step| step >= SAME_STEP * first);
        chain[if is_state { chain.len() - 1 } else { 0 }..].to_vec()
    };
    lines.chunk_by(is_more).flat_map(of).collect()
}
