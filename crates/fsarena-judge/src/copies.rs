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
    // What each run measured, and of which contender.
    let mut runs: BTreeMap<&str, (DefaultHasher, &str)> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for row in rows {
        let (hasher, _) = runs.entry(&row.run.name).or_insert_with(|| {
            order.push(&row.run.name);
            (DefaultHasher::new(), &row.contender)
        });
        (&row.workload, &row.work, row.value.to_bits()).hash(hasher);
        (row.time.map(f64::to_bits), &row.host, &row.recorded, row.run.digest).hash(hasher);
    }
    let mut known: BTreeMap<u64, &str> = BTreeMap::new();
    let mut copies = Vec::new();
    for run in order {
        let (hasher, contender) = &runs[run];
        let original = *known.entry(hasher.finish()).or_insert(run);
        if original != run {
            let names = [runs[original].1, contender];
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
