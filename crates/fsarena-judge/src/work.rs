//! Which results are of the same work: those of one workload with the same options, unit and treatment.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::{Better, joined};

use crate::measured::{Measured, Reads, SyncedResult};

/// The results of one name.
pub struct Workload<'a> {
    pub name: &'a str,
    /// By what was done.
    pub variants: Vec<ComparedWork<'a>>,
}

/// Results of the same work; at least one.
pub struct ComparedWork<'a> {
    pub rows: Vec<&'a Measured>,
}

/// All workloads in the order of their first results.
pub fn workloads(rows: &[Measured]) -> Vec<Workload<'_>> {
    let mut names = BTreeMap::new();
    let mut keys = BTreeMap::new();
    let mut found: Vec<Workload<'_>> = Vec::new();
    for row in rows {
        let place = *names.entry(&row.workload).or_insert(found.len());
        if place == found.len() {
            found.push(Workload { name: &row.workload, variants: Vec::new() });
        }
        let variants = &mut found[place].variants;
        let key = (place, &row.work, &row.unit, row.better == Better::Higher, treatment(row));
        let variant = *keys.entry(key).or_insert(variants.len());
        match variants.get_mut(variant) {
            Some(variant) => variant.rows.push(row),
            None => variants.push(ComparedWork { rows: vec![row] }),
        }
    }
    found
}

/// What was done about durability and caches.
fn treatment(row: &Measured) -> &'static str {
    match (row.durable, row.reads) {
        (SyncedResult::Synced, _) => "synced",
        (SyncedResult::NotSynced, _) => "not synced",
        (_, Reads::Device) => "read from the device",
        (_, Reads::JustWritten) => "read what was just written",
        _ => "not recorded",
    }
}

impl<'a> ComparedWork<'a> {
    /// What defines the work by name; what was done about durability and caches has none.
    fn facts(&self) -> BTreeMap<&'a str, &'a str> {
        let row = self.rows[0];
        let better = if row.better == Better::Higher { "higher" } else { "lower" };
        let own = [("unit", row.unit.as_str()), ("better", better), ("", treatment(row))];
        let work = row.work.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        own.into_iter().chain(work).collect()
    }
}

impl<'a> Workload<'a> {
    /// A name for each variant: that of the workload, and the facts in which variants differ.
    pub fn titles(&self) -> Vec<String> {
        let facts: Vec<_> = self.variants.iter().map(ComparedWork::facts).collect();
        let names = differing(&facts.iter().collect::<Vec<_>>());
        let title = |own: &BTreeMap<&str, &str>| {
            let facts = names.iter().map(|name| format!(", {}", worded(name, own.get(name).unwrap_or(&UNSET))));
            format!("{}{}", self.name, facts.collect::<String>())
        };
        facts.iter().map(title).collect()
    }

    /// The places of the variants that each contender has.
    pub fn sides(&self) -> BTreeMap<&'a str, BTreeSet<usize>> {
        let mut sides: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (place, variant) in self.variants.iter().enumerate() {
            variant.rows.iter().for_each(|row| sides.entry(&row.contender).or_default().extend([place]));
        }
        sides
    }

    /// How the work of two contenders differs, as `bs 4k and 1m`, if they have variants but share none.
    pub fn mismatch(&self, own: &BTreeSet<usize>, others: &BTreeSet<usize>) -> Option<String> {
        if own.is_empty() || others.is_empty() || !own.is_disjoint(others) {
            return None;
        }
        let [own, others] =
            [own, others].map(|side| side.iter().map(|place| self.variants[*place].facts()).collect::<Vec<_>>());
        let values = |side: &[BTreeMap<&str, &str>], name: &str| {
            let values: BTreeSet<&str> = side.iter().map(|facts| facts.get(name).copied().unwrap_or(UNSET)).collect();
            joined(values, " or ")
        };
        let names = differing(&own.iter().chain(&others).collect::<Vec<_>>()).into_iter();
        let facts = names.map(|name| (name, values(&own, name), values(&others, name)));
        let facts = facts.filter(|(_, own, others)| own != others);
        let facts: Vec<String> =
            facts.map(|(name, own, others)| worded(name, &format!("{own} and {others}"))).collect();
        Some(if facts.is_empty() { "the same values in other combinations".to_owned() } else { facts.join(", ") })
    }
}

/// How far times, or amounts, of the same work may be apart: the largest over the smallest.
const SAME_EXTENT: f64 = 1.2;
/// How far times of the same work may be apart at least, in seconds: programs look at the clock between operations.
const STEP_S: f64 = 1.0;
/// How far the shares of what the device served or got may be apart.
const SAME_SHARE: f64 = 0.5;

/// How far the shares of the syncs that were done may be apart: the largest over the smallest.
const SAME_SYNCS: f64 = 1.5;

/// How the work of two contenders differs by what was counted and timed, as `run time 600 s and 1 s`.
pub fn counted_apart(sides: [&[&Measured]; 2]) -> Option<String> {
    let of = |value: fn(&Measured) -> Option<f64>| {
        let [own, others] = sides.map(|rows| CountRange::of(rows.iter().filter_map(|row| value(row))));
        Some([own?, others?])
    };
    let is_apart = |[own, others]: &[CountRange; 2]| own.and(others).ratio() > SAME_EXTENT;
    let time = of(|row| Some(row.extent?.seconds)).filter(|time| is_apart(time));
    let time = time.filter(|[own, others]| own.and(others).width() > STEP_S);
    let amount = of(|row| Some(row.extent?.amount)).filter(is_apart);
    let share = |value: fn(&Measured) -> Option<f64>| {
        of(value).filter(|[own, others]| own.and(others).width() > 100.0 * SAME_SHARE)
    };
    let served = share(|row| Some(100.0 * row.reads.served()?));
    let written = share(|row| Some(100.0 * row.on_device.filter(|_| row.durable == SyncedResult::NotSynced)?));
    let worded = |name: &str, unit: &str, [own, others]: [CountRange; 2]| {
        format!("{name} {} {unit} and {} {unit}", own.worded(), others.worded())
    };
    let extent = time.zip(amount).map(|(time, _)| worded("amount of work, in", "s,", time));
    let served = || Some(worded("share of reads that the device served", "%", served?));
    let written = || Some(worded("share of writes that the device got", "%", written?));
    let synced = of(|row| Some(100.0 * row.synced?)).filter(|[own, others]| own.and(others).ratio() > SAME_SYNCS);
    let synced = || Some(worded("share of the syncs asked for that were done", "%", synced?));
    extent.or_else(synced).or_else(served).or_else(written)
}

/// The least and the most of some counts.
#[derive(Clone, Copy)]
pub struct CountRange {
    pub least: f64,
    pub most: f64,
}

impl CountRange {
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        values.into_iter().map(|value| Self { least: value, most: value }).reduce(|one, other| one.and(&other))
    }

    fn and(&self, other: &Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    fn ratio(&self) -> f64 {
        self.most / self.least
    }

    pub fn width(&self) -> f64 {
        self.most - self.least
    }

    pub fn worded(&self) -> String {
        let [least, most] = [self.least, self.most].map(|value| format!("{value:.0}"));
        if least == most { least } else { format!("{least} to {most}") }
    }
}

/// The names of facts that differ.
fn differing<'a>(all: &[&BTreeMap<&'a str, &'a str>]) -> Vec<&'a str> {
    let names: BTreeSet<&str> = all.iter().flat_map(|facts| facts.keys().copied()).collect();
    names.into_iter().filter(|name| all.iter().any(|facts| facts.get(name) != all[0].get(name))).collect()
}

/// What is not recorded for all results is not set where it is missing.
const UNSET: &str = "not set";

fn worded(name: &str, value: &str) -> String {
    format!("{name} {value}").trim_start().to_owned()
}
