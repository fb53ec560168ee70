//! Which results are of the same work: those of one workload with the same options, unit and treatment.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::Better;

use crate::measured::{Durable, Measured, Reads};

/// The results of one name.
pub struct Workload<'a> {
    pub name: &'a str,
    /// By what was done.
    pub variants: Vec<Variant<'a>>,
}

/// Results of the same work.
pub struct Variant<'a> {
    /// What defines the work by name; what was done about durability and caches has none.
    facts: BTreeMap<&'a str, &'a str>,
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
            None => variants.push(Variant::of(row)),
        }
    }
    found
}

/// What was done about durability and caches.
fn treatment(row: &Measured) -> &'static str {
    match (row.durable, row.reads) {
        (Durable::Synced, _) => "synced",
        (Durable::NotSynced, _) => "not synced",
        (_, Reads::Device) => "read from the device",
        (_, Reads::JustWritten) => "read what was just written",
        _ => "not recorded",
    }
}

impl<'a> Variant<'a> {
    fn of(row: &'a Measured) -> Self {
        let better = if row.better == Better::Higher { "higher" } else { "lower" };
        let own = [("unit", row.unit.as_str()), ("better", better), ("", treatment(row))];
        let work = row.work.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Self { facts: work.chain(own).collect(), rows: vec![row] }
    }

    pub fn has(&self, contender: &str) -> bool {
        self.rows.iter().any(|row| row.contender == contender)
    }
}

impl Workload<'_> {
    /// The name, and in which facts the variant differs from others.
    pub fn title(&self, variant: &Variant<'_>) -> String {
        let facts = self.differing(&self.variants.iter().collect::<Vec<_>>()).into_iter();
        let facts = facts.map(|name| format!(", {}", worded(name, variant.facts.get(name).unwrap_or(&UNSET))));
        format!("{}{}", self.name, facts.collect::<String>())
    }

    /// The names of facts that differ.
    fn differing(&self, variants: &[&Variant<'_>]) -> Vec<&str> {
        let names: BTreeSet<&str> = self.variants.iter().flat_map(|variant| variant.facts.keys().copied()).collect();
        let differs = |name: &&str| variants.iter().any(|it| it.facts.get(name) != variants[0].facts.get(name));
        names.into_iter().filter(differs).collect()
    }

    /// How the work of two contenders differs, as `bs 4k and 1m`, if they have results but none of the same work.
    pub fn mismatch(&self, a: &str, b: &str) -> Option<String> {
        let of = |name: &str| self.variants.iter().filter(|variant| variant.has(name)).collect::<Vec<_>>();
        let (own, others) = (of(a), of(b));
        let shares = own.iter().any(|variant| variant.has(b));
        if own.is_empty() || others.is_empty() || shares {
            return None;
        }
        let values = |variants: &[&Variant<'_>], name: &str| {
            let values: BTreeSet<&str> =
                variants.iter().map(|variant| variant.facts.get(name).copied().unwrap_or(UNSET)).collect();
            values.into_iter().collect::<Vec<_>>().join(" or ")
        };
        let all: Vec<&Variant<'_>> = own.iter().chain(&others).copied().collect();
        let facts = self.differing(&all).into_iter();
        let facts = facts.map(|name| (name, values(&own, name), values(&others, name)));
        let facts = facts.filter(|(_, own, others)| own != others);
        let facts: Vec<String> =
            facts.map(|(name, own, others)| worded(name, &format!("{own} and {others}"))).collect();
        Some(if facts.is_empty() { "the same values in other combinations".to_owned() } else { facts.join(", ") })
    }
}

/// What is not recorded for all results is not set where it is missing.
const UNSET: &str = "not set";

fn worded(name: &str, value: &str) -> String {
    format!("{name} {value}").trim_start().to_owned()
}
