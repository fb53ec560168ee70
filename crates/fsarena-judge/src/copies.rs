//! Runs that were given more than once: they show nothing new.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::measured::Measured;

/// A run that has the same results as another one.
pub struct Copy {
    pub run: String,
    pub original: String,
    /// Whether the other one has further results, as a table that grew.
    pub is_beginning: bool,
    /// The contenders of both, if they are called differently.
    pub contenders: Option<[String; 2]>,
}

/// What a run measured, and of which contender.
struct RunContent<'a> {
    contender: &'a str,
    hasher: DefaultHasher,
    /// Different figures, as far as they count.
    figures: BTreeSet<u64>,
}

/// How many figures tables must have in common: fewer may be the same by chance.
pub const FEWEST_FIGURES: usize = 3;

/// The rows without those of copies, and the copies. A run that is given under the names of two contenders is kept.
pub fn removed(rows: &[Measured]) -> (Cow<'_, [Measured]>, Vec<Copy>) {
    let mut runs: BTreeMap<&str, RunContent<'_>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    // The tables that begin like that and go on.
    let mut beginnings: BTreeMap<u64, &str> = BTreeMap::new();
    for row in rows {
        let run = runs.entry(&row.run.name).or_insert_with(|| {
            order.push(&row.run.name);
            RunContent { contender: &row.contender, hasher: DefaultHasher::new(), figures: BTreeSet::new() }
        });
        // The records of other tables and outputs are runs by themselves.
        if row.run.digest == 0 && run.figures.len() < FEWEST_FIGURES {
            run.figures.insert(row.value.to_bits());
        } else if row.run.digest == 0 {
            beginnings.insert(run.hasher.finish(), &row.run.name);
        }
        (&row.workload, &row.work, row.value.to_bits()).hash(&mut run.hasher);
        (row.time.map(f64::to_bits), &row.host, &row.recorded, row.run.digest).hash(&mut run.hasher);
    }
    let mut known: BTreeMap<u64, &str> = BTreeMap::new();
    let mut copies = Vec::new();
    for run in order {
        let digest = runs[run].hasher.finish();
        let beginning = beginnings.get(&digest);
        let original = *known.entry(digest).or_insert(beginning.unwrap_or(&run));
        if original != run {
            let names = [original, run].map(|name| runs[name].contender);
            let contenders = (names[0] != names[1]).then(|| names.map(str::to_owned));
            let (run, original) = (run.to_owned(), original.to_owned());
            copies.push(Copy { run, original, is_beginning: beginning.is_some(), contenders });
        }
    }
    let gone: BTreeSet<&str> =
        copies.iter().filter(|copy| copy.contenders.is_none()).map(|copy| copy.run.as_str()).collect();
    let rows = match gone.is_empty() {
        true => Cow::Borrowed(rows),
        false => rows.iter().filter(|row| !gone.contains(row.run.name.as_str())).cloned().collect(),
    };
    (rows, copies)
}
