//! Names that people write into tables: spellings of one name, and names that are of no contender.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::options::without_label;
use crate::findings::{FindingClass, JudgedFinding};
use crate::measured::Measured;

/// Words in names of rows that are made of other rows.
const SUMMARIES: [&str; 9] = ["average", "avg", "mean", "median", "geomean", "geometric", "total", "sum", "stddev"];
/// Names of such rows in a column that numbers the others.
const OF_NUMBERED: [&str; 4] = ["best", "worst", "min", "max"];

/// What a name has besides words for summaries; `None` if it has none of these.
fn summarised(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let (summaries, others): (Vec<&str>, Vec<&str>) = words.partition(|word| SUMMARIES.contains(word));
    (!summaries.is_empty()).then(|| others.join(" "))
}

/// Whether a cell of a column that otherwise has numbers is that of a row made of others.
pub(super) fn is_summary(cell: &str) -> bool {
    OF_NUMBERED.contains(&cell.to_lowercase().as_str()) || summarised(cell).is_some_and(|rest| rest.is_empty())
}

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

/// Leaves out rows of averages and sums, also of one contender (`ext4 (avg)`), with a finding. Those that are called
/// `names` in a column of runs were left out before.
pub(super) fn leave_out_summaries(rows: &mut Vec<Measured>, mut names: BTreeSet<String>) {
    let contenders: BTreeSet<&str> = rows.iter().map(|row| row.contender.as_str()).collect();
    let plain: BTreeSet<String> = contenders.iter().map(|name| name.to_lowercase()).collect();
    let is_summary = |name: &&&str| summarised(name).is_some_and(|rest| rest.is_empty() || plain.contains(&rest));
    let summaries: BTreeSet<String> = contenders.iter().filter(is_summary).map(|name| (*name).to_owned()).collect();
    rows.retain(|row| !summaries.contains(&row.contender));
    names.extend(summaries);
    if let Some(row) = rows.first_mut().filter(|_| !names.is_empty()) {
        let named = Vec::from_iter(names).join(", ");
        let text = format!("other rows are called {named}: they are made of others and left out");
        row.notes.push(JudgedFinding { class: FindingClass::Copy, text });
    }
}
