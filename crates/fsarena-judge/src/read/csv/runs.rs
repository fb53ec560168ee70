//! Which rows of a table are of one run, and which are there once more.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use super::CsvRecord;
use crate::copies::FEWEST_FIGURES;
use crate::findings::FindingClass;
use crate::measured::{Measured, Run};

/// The run that a record is of. Records of the same time are one run if they are the same; without times, figures may
/// be the same by chance, and all of a table are of one run.
pub(super) fn run(name: &str, source: &str, has_time: bool, record: &CsvRecord<'_>) -> Run {
    if !has_time {
        let table = if record.table > 0 { format!(", table {}", record.table + 1) } else { String::new() };
        return Run { name: format!("{name}{table}"), digest: 0 };
    }
    let mut hasher = DefaultHasher::new();
    record.fields.hash(&mut hasher);
    Run { name: source.to_owned(), digest: hasher.finish() }
}

/// Makes all that a contender did on a host at one time a single run, named after its first row.
pub(super) fn name_runs(rows: &mut [Measured]) {
    let mut firsts: HashMap<u64, usize> = HashMap::new();
    for place in 0..rows.len() {
        let mut hasher = DefaultHasher::new();
        (&rows[place].contender, &rows[place].host, rows[place].time.map(f64::to_bits)).hash(&mut hasher);
        let first = *firsts.entry(hasher.finish()).or_insert(place);
        if first < place {
            rows[place].source = rows[first].source.clone();
        }
    }
    // Records that are the same are copies.
    let mut again: HashMap<_, BTreeSet<u64>> = HashMap::new();
    for row in &*rows {
        let work = (&row.source, &row.contender, &row.workload, &row.unit, &row.work);
        again.entry(work).or_default().insert(row.run.digest);
    }
    let most = again
        .iter()
        .max_by_key(|((_, contender, ..), digests)| (digests.len(), Reverse(*contender)))
        .filter(|(_, digests)| digests.len() > 1);
    let note = most.map(|((_, contender, ..), digests)| {
        format!(
            "{} rows of {contender} have the same time, so they are one run; leave out `--time` if each is a run",
            digests.len()
        )
    });
    if let Some(row) = rows.first_mut() {
        row.notes.extend(FindingClass::OneRun.findings(note));
    }
}

/// Makes runs of their own of rows that are in a table once more.
pub(super) fn name_copies(rows: &mut [Measured]) {
    let key = |row: &Measured| {
        let mut hasher = DefaultHasher::new();
        (&row.contender, &row.workload, row.value.to_bits(), &row.host).hash(&mut hasher);
        hasher.finish()
    };
    let keys: Vec<u64> = rows.iter().map(key).collect();
    let copies = copies_of_all(rows, &keys).unwrap_or_else(|| copies_of_parts(rows, &keys));
    for (row, copy) in rows.iter_mut().zip(copies).filter(|(_, copy)| *copy > 0) {
        row.run.name += &format!(", once more ({copy})");
    }
}

/// In which copy of a table each row is, from 0, if all rows are there equally often, in any order, with enough
/// different figures of a contender in a workload.
fn copies_of_all(rows: &[Measured], keys: &[u64]) -> Option<Vec<usize>> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    let mut seen = |key: &u64| {
        let count = counts.entry(*key).or_default();
        *count += 1;
        *count - 1
    };
    let copies = keys.iter().map(&mut seen).collect();
    let times = counts.values().copied().min().filter(|times| *times > 1)?;
    let mut figures: HashMap<_, BTreeSet<u64>> = HashMap::new();
    for row in rows {
        figures.entry((&row.contender, &row.workload)).or_default().insert(row.value.to_bits());
    }
    let has_enough = figures.values().any(|own| own.len() >= FEWEST_FIGURES);
    (has_enough && counts.values().all(|count| *count == times)).then_some(copies)
}

/// In which copy of a part of a table each row is; 0: in none. A part at one end counts as a copy if it is at the other
/// end, too, or next to itself, as where a table and a later state of it are in one file.
fn copies_of_parts(rows: &[Measured], keys: &[u64]) -> Vec<usize> {
    let is_same = |a: usize, b: usize, length: usize| keys[a..a + length] == keys[b..b + length];
    let copy = |rest: Range<usize>| {
        let own = || rows[rest.clone()].iter();
        let (from_start, from_end) = (with_figures(own()), with_figures(own().rev()));
        (from_start.min(from_end)..=rest.len() / 2).find_map(|length| {
            let (start, last) = (rest.start, rest.end - length);
            let is_first = length >= from_start && is_same(start, start + length, length);
            let is_last = length >= from_end && (is_same(start, last, length) || is_same(last - length, last, length));
            if is_first { Some(start..start + length) } else { is_last.then_some(last..rest.end) }
        })
    };
    let (mut copies, mut rest) = (vec![0; rows.len()], 0..rows.len());
    for count in 1.. {
        let Some(part) = copy(rest.clone()) else { break };
        rest = if part.start == rest.start { part.end..rest.end } else { rest.start..part.start };
        copies[part].fill(count);
    }
    copies
}

/// How many rows have enough different figures: one more than usual, since many parts are tried.
fn with_figures<'a>(mut rows: impl Iterator<Item = &'a Measured>) -> usize {
    let mut figures: BTreeSet<u64> = BTreeSet::new();
    let is_last = |row: &Measured| figures.insert(row.value.to_bits()) && figures.len() > FEWEST_FIGURES;
    rows.position(is_last).map_or(usize::MAX, |place| place + 1)
}
