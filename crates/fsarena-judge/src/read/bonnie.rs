//! bonnie++'s comma-separated lines: those of 1.03, and of the formats 1.9x (bon_csv2html(1)). Other lines are skipped.

use std::collections::BTreeSet;
use std::sync::Arc;

use fsarena_lane::kind::named_in;

use super::options::size;
use super::{File, ReadError, figure, program};
use crate::measured::{InputFacts, Measured, Reads, SyncedResult};

/// A test: its name, the unit of its figure, and what it says about durability and caches.
type BonnieTest = (&'static str, &'static str, SyncedResult, Reads);

/// Tests of a large file, in the order of the fields. bonnie++ syncs and closes it before it looks at the clock.
const OF_DATA: [BonnieTest; 6] = [
    ("write by character", "KiB/s", SyncedResult::Synced, Reads::Nothing),
    ("write", "KiB/s", SyncedResult::Synced, Reads::Nothing),
    ("rewrite", "KiB/s", SyncedResult::Synced, Reads::JustWritten),
    ("read by character", "KiB/s", SyncedResult::NothingWritten, Reads::JustWritten),
    ("read", "KiB/s", SyncedResult::NothingWritten, Reads::JustWritten),
    ("seeks", "seeks/s", SyncedResult::NothingWritten, Reads::JustWritten),
];

/// Tests of many files, in the order of the fields.
const OF_FILES: [BonnieTest; 6] = [
    ("sequential create", "files/s", SyncedResult::NotSynced, Reads::Nothing),
    ("sequential stat", "files/s", SyncedResult::NothingWritten, Reads::JustWritten),
    ("sequential delete", "files/s", SyncedResult::NotSynced, Reads::Nothing),
    ("random create", "files/s", SyncedResult::NotSynced, Reads::Nothing),
    ("random stat", "files/s", SyncedResult::NothingWritten, Reads::JustWritten),
    ("random delete", "files/s", SyncedResult::NotSynced, Reads::Nothing),
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
        let measured = |figure| {
            let row = file.row(start + 1, figure);
            let contender = if names.len() > 1 { line.name().to_owned() } else { row.contender };
            Measured { contender, run: run.clone(), ..row }
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

    /// What was measured. A test that was too fast has `+++++`, and one that was left out has nothing.
    fn figures(&self) -> Vec<Measured> {
        let size = self.described(3).unwrap_or(self.fields[1]);
        let copies = self.described(1).filter(|count| *count != "1").map(|count| format!(", {count} copies"));
        let copies = copies.unwrap_or_default();
        let count = self.fields.get(self.files - if self.name > 0 { 5 } else { 1 }).copied().unwrap_or_default();
        let first = |list: &'a str| list.split(':').next().unwrap_or_default();
        // The amount of work of a test, in its unit, shows how fast it was at least.
        let [kib, seeks] = [kib(first(size)), self.described(5).and_then(figure)];
        let number = figure(first(count)).map(|number| 1024.0 * number);
        // The format 1.97 has no numbers of seeks.
        let of_data = [("chunk", self.name + 4), ("seeks", self.name + 5), ("seekers", self.name + 6)];
        let of_data = Arc::new(self.work(if self.data > 7 { &of_data } else { &of_data[..1] }));
        let of_files = [("largest file", 4), ("smallest file", 3), ("directories", 2), ("chunk of files", 1)];
        let of_files = Arc::new(self.work(&of_files.map(|(name, before)| (name, self.files - before))));
        let version = self.described(0).and(self.fields.get(1)).unwrap_or(&"1.03");
        let line = Measured {
            host: Some(self.name()).filter(|name| named_in(name).is_none()).map(str::to_owned),
            recorded: named_in(self.name()).map(str::to_owned),
            conditions: program(Some(format!("bonnie++ {version}"))),
            ..Measured::default()
        };
        let data = OF_DATA.into_iter().zip((self.data..).step_by(2)).map(|(test, place)| {
            (test, place, format!("{size}{copies}"), if test.1 == "seeks/s" { seeks } else { kib }, &of_data)
        });
        let files = OF_FILES.into_iter().zip((self.files..).step_by(2));
        let files = files.map(|(test, place)| (test, place, format!("{count}×1024 files{copies}"), number, &of_files));
        let figures =
            data.chain(files).filter_map(|((test, unit, durable, reads), place, parameters, amount, work)| {
                let (value, is_bound) = match *self.fields.get(place)? {
                    word if word.starts_with("++") && copies.is_empty() => (amount? / SHORTEST, true),
                    word => (figure(word)?, false),
                };
                let (workload, unit, work) = (format!("{test}, {parameters}"), unit.to_owned(), Arc::clone(work));
                Some(Measured { workload, value, unit, is_bound, durable, reads, work, ..line.clone() })
            });
        figures.collect()
    }

    /// What the formats 1.9x record of the work besides sizes and numbers of files, which are in the names.
    fn work(&self, fields: &[(&str, usize)]) -> InputFacts {
        let known = fields.iter().filter_map(|(name, place)| Some((*name, *self.fields.get(*place)?)));
        let known = known.filter(|(_, value)| self.name > 0 && !value.is_empty());
        known.map(|(name, value)| (name.to_owned(), size(value))).collect()
    }
}
