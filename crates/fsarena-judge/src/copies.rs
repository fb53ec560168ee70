//! Runs that were given more than once: they show nothing new.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::measured::Measured;

/// A run that has the same results as an earlier one.
pub struct Copy {
    pub run: String,
    pub original: String,
    /// The contenders of both, if they are called differently.
    pub contenders: Option<[String; 2]>,
}

/// The rows without those of copies, and the copies. A run that is given under the names of two contenders is kept.
pub fn removed(rows: &[Measured]) -> (Cow<'_, [Measured]>, Vec<Copy>) {
    let mut runs: BTreeMap<&str, MeasuredContents<'_>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for row in rows {
        let contents = runs.entry(&row.run.name).or_insert_with(|| {
            order.push(&row.run.name);
            MeasuredContents { hasher: DefaultHasher::new(), contender: &row.contender }
        });
        contents.add(row);
    }
    let mut known: BTreeMap<u64, &str> = BTreeMap::new();
    let mut copies = Vec::new();
    for run in order {
        let contents = &runs[run];
        let original = *known.entry(contents.hasher.finish()).or_insert(run);
        if original != run {
            let names = [runs[original].contender, contents.contender];
            let contenders = (names[0] != names[1]).then(|| names.map(str::to_owned));
            copies.push(Copy { run: run.to_owned(), original: original.to_owned(), contenders });
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

/// What a run measured.
struct MeasuredContents<'a> {
    hasher: DefaultHasher,
    contender: &'a str,
}

impl MeasuredContents<'_> {
    fn add(&mut self, row: &Measured) {
        (&row.workload, &row.work, row.value.to_bits()).hash(&mut self.hasher);
        (row.time.map(f64::to_bits), &row.host, &row.recorded, row.run.digest).hash(&mut self.hasher);
    }
}
