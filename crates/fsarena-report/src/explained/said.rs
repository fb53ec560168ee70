//! Figures that the program of a workload reports: a server's latencies and percentiles, a tool's counts.

use std::collections::BTreeMap;

use fsarena_model::comparison::WorkloadRow;
use fsarena_model::{Comparison, Reading};

use super::{Line, Subject};
use crate::group;
use crate::number::{DASH, three_digits};

pub const SUBJECT: Subject = Subject {
    title: "In the program's own words",
    meaning: "What the programs that do the work say of it themselves, in their own units; the median over rounds.",
    lines: all,
    brief: |_, _| Vec::new(),
    rest: |_| None,
    hint: |_, _| None,
};

/// Transactions that were acknowledged as durable, and the connections that may share a flush.
const COMMITS: [(&str, &str); 2] = [
    ("commits", "Transactions that were acknowledged as durable: each needs a flush, which connections may share."),
    ("connections", "Connections that may commit at the same time."),
];

/// The readings whose names begin with the workload's engine, and the transactions.
fn all(comparison: &Comparison, workload: &WorkloadRow) -> Vec<Line> {
    let group = format!("{}.", workload.engine);
    let known = comparison.contenders.iter().map(|row| group::cell(comparison, &workload.name, &row.label));
    let probes: Vec<Option<&BTreeMap<String, Reading>>> = known.map(|cell| cell.map(|cell| &cell.probes)).collect();
    let named = |name: &str| probes.iter().flatten().any(|probes| probes.contains_key(name));
    let commits = COMMITS.into_iter().filter(|(name, _)| named(name));
    let commits = commits.map(|(name, meaning)| (name.to_owned(), name.to_owned(), meaning));
    let mut said: Vec<&String> = probes.iter().flatten().flat_map(|probes| probes.keys()).collect();
    said.retain(|name| name.starts_with(&group));
    said.sort();
    said.dedup();
    let said = said.into_iter().map(|name| (name.clone(), name[group.len()..].to_owned(), "As the program says."));
    let line = |(name, what, meaning): (String, String, &'static str)| Line {
        what: what.into(),
        meaning,
        values: probes.iter().map(|probes| printed(probes.and_then(|probes| probes.get(&name)))).collect(),
        baselines: String::new(),
    };
    said.chain(commits).map(line).collect()
}

fn printed(reading: Option<&Reading>) -> String {
    let value = reading.and_then(|reading| Some((reading.value?, &reading.unit)));
    value.map_or_else(
        || DASH.to_owned(),
        |(value, unit)| format!("{} {unit}", three_digits(value)).trim_end().to_owned(),
    )
}
