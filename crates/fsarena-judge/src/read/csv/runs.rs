//! Which rows of a table are of one run, and which are there once more.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

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

/// Makes runs of their own of the copies of a table whose rows are all there several times, in the same order.
pub(super) fn name_copies(rows: &mut [Measured]) {
    let key = |row: &Measured| {
        let mut hasher = DefaultHasher::new();
        (&row.contender, &row.workload, row.value.to_bits(), &row.host).hash(&mut hasher);
        hasher.finish()
    };
    let keys: Vec<u64> = rows.iter().map(key).collect();
    let is_whole = |length: &usize| {
        let (first, rest) = keys.split_at(*length);
        let figures = || rows[..*length].iter().map(|row| row.value.to_bits()).collect::<BTreeSet<u64>>();
        rest.len().is_multiple_of(*length)
            && rest.chunks(*length).all(|part| part == first)
            && figures().len() >= FEWEST_FIGURES
    };
    let Some(length) = (FEWEST_FIGURES..=rows.len() / 2).find(is_whole) else { return };
    for (place, row) in rows.iter_mut().enumerate().skip(length) {
        row.run.name += &format!(", once more ({})", place / length);
    }
}
