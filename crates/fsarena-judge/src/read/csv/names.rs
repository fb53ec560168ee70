//! Names that people write into tables: spellings of one name, and names that are of no contender.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::options::without_label;
use crate::findings::{FindingClass, JudgedFinding};
use crate::measured::Measured;

/// Names of rows that are made of other rows.
const SUMMARIES: [&str; 9] =
    ["average", "avg", "mean", "median", "geomean", "geometric mean", "total", "sum", "stddev"];

/// Spellings of names, which differ in blanks and, unless they are paths or commands, in case: the first one counts.
#[derive(Default)]
pub(super) struct Spellings(HashMap<String, String>);

impl Spellings {
    pub fn first(&mut self, name: &str) -> &str {
        let key = name.split_whitespace().collect::<Vec<_>>().join(" ");
        let key = if key.contains('/') || key.contains(" -") { key } else { key.to_lowercase() };
        self.0.entry(key).or_insert_with(|| name.to_owned())
    }
}

/// `EXT4` and `ext4` become one contender, called as in its first row.
pub fn name_alike(rows: &mut [Measured]) {
    let mut names = Spellings::default();
    for row in rows {
        let name = names.first(&row.contender);
        if name != row.contender {
            row.contender = name.to_owned();
        }
    }
}

/// `ext4-write` and `xfs-write` become `{label}-write`, if they are of these contenders alone.
pub(super) fn name_workloads(rows: &mut [Measured]) {
    let mut owners: HashMap<&str, Option<&str>> = HashMap::new();
    for row in &*rows {
        let owner = owners.entry(&row.workload).or_insert(Some(&row.contender));
        *owner = owner.filter(|owner| *owner == row.contender);
    }
    let own = owners.iter().filter_map(|(name, owner)| Some((*name, without_label(name, (*owner)?), (*owner)?)));
    let mut general: HashMap<String, BTreeMap<&str, &str>> = HashMap::new();
    own.filter(|(name, general, _)| name != general)
        .for_each(|(name, to, owner)| _ = general.entry(to).or_default().insert(owner, name));
    general.retain(|_, own| own.len() > 1);
    let general: HashMap<String, String> =
        general.iter().flat_map(|(to, own)| own.values().map(|name| ((*name).to_owned(), to.clone()))).collect();
    for row in rows.iter_mut().filter(|_| !general.is_empty()) {
        if let Some(name) = general.get(&row.workload) {
            row.workload.clone_from(name);
        }
    }
}

/// Leaves out rows of averages and sums, with a finding.
pub(super) fn leave_out_summaries(rows: &mut Vec<Measured>) {
    let is_summary = |name: &str| SUMMARIES.contains(&name.to_lowercase().as_str());
    let names: BTreeSet<&str> = rows.iter().map(|row| row.contender.as_str()).filter(|name| is_summary(name)).collect();
    let named = names.into_iter().collect::<Vec<_>>().join(", ");
    rows.retain(|row| !is_summary(&row.contender));
    if let Some(row) = rows.first_mut().filter(|_| !named.is_empty()) {
        let text = format!("other rows are called {named}, which is no contender: they are left out");
        row.notes.push(JudgedFinding { class: FindingClass::Copy, text });
    }
}
