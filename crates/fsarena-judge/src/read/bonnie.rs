//! bonnie++'s comma-separated lines: those of 1.03, and of the formats 1.9x (bon_csv2html(1)). Other lines are skipped.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_lane::kind::named_in;

use super::options::size;
use super::{File, ReadError, ResultFigure, figure, program};
use crate::measured::{Measured, Reads, SyncedResult};

/// A test: its name, and where its figure is after the description of the run.
type Test = (&'static str, usize);

/// Tests of a large file.
const OF_DATA: [Test; 6] =
    [("write by character", 0), ("write", 2), ("rewrite", 4), ("read by character", 6), ("read", 8), ("seeks", 10)];

/// Tests of many files.
const OF_FILES: [Test; 6] = [
    ("sequential create", 0),
    ("sequential stat", 2),
    ("sequential delete", 4),
    ("random create", 6),
    ("random stat", 8),
    ("random delete", 10),
];

/// The seconds below which bonnie++ prints `+++++` instead of a figure (bonnie++(8)).
const SHORTEST: f64 = 0.5;

/// The KiB of `1500M` or `8G`; a number alone is in MiB.
fn kib(size: &str) -> Option<f64> {
    let (digits, factor) = match size.strip_suffix('G') {
        Some(digits) => (digits, 1024.0 * 1024.0),
        None => (size.trim_end_matches('M'), 1024.0),
    };
    Some(figure(digits)? * factor)
}

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(|line| BonnieLine::of(line).is_some())
}

/// The head of its table.
pub fn is_for_people(file: &File<'_>) -> bool {
    file.text.contains("------Sequential Output------ --Sequential Input- --Random-")
}

/// Each test of each line. If the lines have several machine names, those are the contenders. Lines with the same seed
/// are of one start of the program (`-x`).
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let lines: Vec<BonnieLine<'_>> = file.text.lines().filter_map(BonnieLine::of).collect();
    let names: BTreeSet<&str> = lines.iter().map(|line| line.name()).collect();
    let of = |(index, line): (usize, &BonnieLine<'_>)| {
        let run = file.run(index + 1, &line.fields);
        let first = lines.iter().position(|other| other.start().is_some() && other.start() == line.start());
        let start = first.unwrap_or(index);
        let measured = |(figure, is_bound): (ResultFigure, bool)| {
            let row = line.measured(file.row(start + 1, figure));
            let contender = if names.len() > 1 { line.name().to_owned() } else { row.contender };
            Measured { contender, is_bound, run: run.clone(), ..row }
        };
        line.figures().into_iter().map(measured).collect::<Vec<_>>()
    };
    Ok(lines.iter().enumerate().flat_map(of).collect())
}

/// A line of results.
struct BonnieLine<'a> {
    fields: Vec<&'a str>,
    /// Where the machine's name is.
    name: usize,
    /// Where the first figure is.
    data: usize,
    /// Where the first figure of many files is.
    files: usize,
}

impl<'a> BonnieLine<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let fields: Vec<&str> = line.trim().split(',').collect();
        let is_size = |text: &str| {
            text.split(':').all(|part| figure(part.trim_end_matches(['M', 'G', 'K', 'm', 'g', 'k'])).is_some())
        };
        let version = figure(fields[0]).filter(|_| fields[0].starts_with("1.9"));
        match (fields.len(), version) {
            (46.., Some(version)) => {
                let data = if version < 1.98 { 7 } else { 9 };
                Some(Self { fields, name: 2, data, files: data + 17 })
            }
            (27, None) if is_size(fields[1]) => Some(Self { fields, name: 0, data: 2, files: 15 }),
            _ => None,
        }
    }

    fn name(&self) -> &'a str {
        self.fields[self.name]
    }

    /// The start of the program that it is of: the machine and the seed.
    fn start(&self) -> Option<(&'a str, f64)> {
        Some((self.name(), self.described(2).and_then(figure)?))
    }

    /// The field `after` the machine's name, in the formats 1.9x.
    fn described(&self, after: usize) -> Option<&'a str> {
        if self.name > 0 { self.fields.get(self.name + after).copied() } else { None }
    }

    /// What was measured, and whether it is only a bound: a test that was too fast has `+++++`, and one that was left
    /// out has nothing.
    fn figures(&self) -> Vec<(ResultFigure, bool)> {
        let size = self.described(3).unwrap_or(self.fields[1]);
        let copies = self.described(1).filter(|count| *count != "1").map(|count| format!(", {count} copies"));
        let copies = copies.unwrap_or_default();
        let count = self.fields.get(self.files - if self.name > 0 { 5 } else { 1 }).copied().unwrap_or_default();
        // The amount of work of a test, in its unit, shows how fast it was at least.
        let value = |place: usize, work: Option<f64>| match self.fields.get(place) {
            Some(word) if word.starts_with("++") && copies.is_empty() => Some((work? / SHORTEST, true)),
            word => Some((figure(word?)?, false)),
        };
        let kib = kib(size.split(':').next().unwrap_or_default());
        let seeks = self.described(5).and_then(figure);
        let data = OF_DATA.into_iter().filter_map(|(test, place)| {
            let (unit, work) = if test == "seeks" { ("seeks/s", seeks) } else { ("KiB/s", kib) };
            let (value, is_bound) = value(self.data + place, work)?;
            Some((ResultFigure::rate(format!("{test}, {size}{copies}"), value, unit), is_bound))
        });
        let number = figure(count.split(':').next().unwrap_or_default()).map(|number| 1024.0 * number);
        let files = OF_FILES.into_iter().filter_map(|(test, place)| {
            let workload = format!("{test}, {count}×1024 files{copies}");
            let (value, is_bound) = value(self.files + place, number)?;
            Some((ResultFigure::rate(workload, value, "files/s"), is_bound))
        });
        data.chain(files).collect()
    }

    /// What the line records of the work besides sizes and numbers of files, which are in the names.
    fn work(&self, test: &str) -> BTreeMap<String, String> {
        let is_of_files = OF_FILES.iter().any(|(name, _)| *name == test);
        let fields: &[(&str, Option<&str>)] = match is_of_files {
            true => &[
                ("largest file", self.of_files(4)),
                ("smallest file", self.of_files(3)),
                ("directories", self.of_files(2)),
                ("chunk of files", self.of_files(1)),
            ],
            // The format 1.97 has no numbers of seeks.
            false if self.data > 7 => {
                &[("chunk", self.described(4)), ("seeks", self.described(5)), ("seekers", self.described(6))]
            }
            false => &[("chunk", self.described(4))],
        };
        let known = fields.iter().filter_map(|(name, value)| Some((*name, value.filter(|value| !value.is_empty())?)));
        known.map(|(name, value)| (name.to_owned(), size(value))).collect()
    }

    /// A field of the description of many files, by its place before the first figure, in the formats 1.9x.
    fn of_files(&self, before: usize) -> Option<&'a str> {
        if self.name > 0 { self.fields.get(self.files - before).copied() } else { None }
    }

    fn measured(&self, row: Measured) -> Measured {
        let test = row.workload.split(',').next().unwrap_or_default();
        let version = self.described(0).and(self.fields.get(1)).unwrap_or(&"1.03");
        Measured {
            host: Some(self.name()).filter(|name| named_in(name).is_none()).map(str::to_owned),
            recorded: named_in(self.name()).map(str::to_owned),
            durable: match test {
                // It syncs and closes the file before it looks at the clock.
                "write by character" | "write" | "rewrite" => SyncedResult::Synced,
                "seeks" | "read" | "read by character" => SyncedResult::NothingWritten,
                _ if test.ends_with("stat") => SyncedResult::NothingWritten,
                _ => SyncedResult::NotSynced,
            },
            reads: match test {
                "write by character" | "write" => Reads::Nothing,
                _ if test.ends_with("create") || test.ends_with("delete") => Reads::Nothing,
                _ => Reads::JustWritten,
            },
            work: self.work(test).into(),
            conditions: program(Some(format!("bonnie++ {version}"))),
            ..row
        }
    }
}
