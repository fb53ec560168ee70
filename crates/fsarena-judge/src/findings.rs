//! What speaks against results, whatever their figures are. A new rule is one function and its name in [`RULES`].

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;

use fsarena_model::validity::bounds;
use serde::{Deserialize, Serialize};

use crate::measured::{Durable, Measured, Reads};
use crate::resolve::Design;

/// Names of file systems as results spell them.
const KINDS: [&str; 24] = [
    "ext4", "xfs", "btrfs", "ext3", "ext2", "f2fs", "zfs", "bcachefs", "nilfs2", "jfs", "reiserfs", "ntfs", "ntfs3",
    "exfat", "vfat", "apfs", "tmpfs", "overlay", "nfs", "nfs4", "9p", "virtiofs", "cifs", "erofs",
];

/// The file system that a name contains as a word.
pub fn kind_in(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let mut words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.find_map(|word| KINDS.into_iter().find(|kind| *kind == word))
}

/// What speaks against results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its class.
    pub class: FindingClass,
    /// The finding, as a sentence.
    pub text: String,
}

/// Classes of findings, gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingClass {
    /// What was measured is not, or may not be, what the label says.
    Identity,
    /// Something besides the contender differs.
    Confounded,
    /// Without a repetition nothing shows how much figures vary.
    OneRun,
    /// Memory served what the device should have served.
    Cached,
    /// What was written need not be on the device when the clock stops.
    Durability,
}

impl fmt::Display for FindingClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Identity => "identity",
            Self::Confounded => "confounded",
            Self::OneRun => "one run",
            Self::Cached => "cached",
            Self::Durability => "durability",
        })
    }
}

type Rule = fn(&[Measured], &Design<'_>) -> Vec<Finding>;

const RULES: [Rule; 8] = [identity, conditions, treatment, hosts, order, one_run, cached, durability];

/// All findings, gravest first.
pub fn findings(rows: &[Measured], design: &Design<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = RULES.iter().flat_map(|rule| rule(rows, design)).collect();
    found.sort_by_key(|finding| finding.class);
    found
}

/// The contenders whose results record another file system than their label names.
pub fn mislabelled(rows: &[Measured]) -> BTreeSet<&str> {
    rows.iter().filter(|row| contradicts(row)).map(|row| row.contender.as_str()).collect()
}

fn contradicts(row: &Measured) -> bool {
    let recorded = row.recorded.as_deref().and_then(kind_in);
    recorded.is_some_and(|recorded| kind_in(&row.contender).is_some_and(|labelled| labelled != recorded))
}

/// `24 results`: rows of one run of a program count as one.
pub fn results<'a>(rows: impl IntoIterator<Item = &'a Measured>) -> usize {
    rows.into_iter().map(|row| &row.source).collect::<HashSet<_>>().len()
}

fn contenders(rows: &[Measured]) -> BTreeSet<&str> {
    rows.iter().map(|row| row.contender.as_str()).collect()
}

fn one(class: FindingClass, text: String) -> Vec<Finding> {
    vec![Finding { class, text }]
}

fn identity(rows: &[Measured], _: &Design<'_>) -> Vec<Finding> {
    let recorded: BTreeSet<&str> = rows.iter().filter_map(|row| row.recorded.as_deref()).collect();
    let wrong: Vec<&Measured> = rows.iter().filter(|row| contradicts(row)).collect();
    let all = results(rows);
    let text = match (recorded.len(), wrong.is_empty()) {
        (0, _) => {
            "no result records which file system it ran on: that it is the one of its label is only assumed".to_owned()
        }
        (1, false) => {
            let only = recorded.first().copied().unwrap_or_default();
            let mut counts: BTreeMap<&str, Vec<&Measured>> = BTreeMap::new();
            wrong.iter().for_each(|row| counts.entry(&row.contender).or_default().push(row));
            let counts = counts.into_iter().map(|(name, rows)| format!("the {} called {name}", results(rows)));
            format!(
                "all {all} results record {only}, also {}: by their own record they compare {only} with itself",
                counts.collect::<Vec<_>>().join(" and ")
            )
        }
        (_, false) => {
            let first = wrong[0];
            format!(
                "{} of {all} results record another file system than their label says ({}: {} records {})",
                results(wrong.iter().copied()),
                first.source,
                first.contender,
                first.recorded.as_deref().unwrap_or_default()
            )
        }
        (_, true) => return Vec::new(),
    };
    one(FindingClass::Identity, text)
}

fn hosts(rows: &[Measured], design: &Design<'_>) -> Vec<Finding> {
    if !design.is_nested {
        return Vec::new();
    }
    let mut hosts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    rows.iter().for_each(|row| hosts.entry(&row.contender).or_default().extend(row.host.as_deref()));
    let counts: Vec<String> = hosts.into_iter().map(|(name, hosts)| format!("{name} {}", hosts.len())).collect();
    let text = format!(
        "each host had one contender only (hosts: {}): what differs between hosts looks like a difference between \
         contenders, and the runs of a host are no repetitions of each other",
        counts.join(", ")
    );
    one(FindingClass::Confounded, text)
}

fn order(rows: &[Measured], design: &Design<'_>) -> Vec<Finding> {
    let names = contenders(rows);
    if names.len() < 2 {
        return Vec::new();
    }
    if !design.has_times {
        let text = "the order is unknown: if contenders ran one after the other, whatever changed meanwhile looks like \
                    a difference between them";
        return one(FindingClass::Confounded, text.to_owned());
    }
    let mut waves: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    design.waves.iter().for_each(|(unit, wave)| waves.entry(unit.0).or_default().extend([*wave]));
    let mut apart = Vec::new();
    for (a, own) in &waves {
        let others = waves.iter().filter(|(b, others)| a < *b && own.is_disjoint(others));
        apart.extend(others.map(|(b, _)| format!("{a} and {b}")));
    }
    if apart.is_empty() {
        return Vec::new();
    }
    let text = match design.count() {
        count if count == names.len() && waves.values().all(|own| own.len() == 1) => {
            "the contenders ran one after the other, each in one piece: a drift of the machine looks like a difference"
                .to_owned()
        }
        count => format!(
            "the results were made in {count} waves that do not overlap in time, and no wave has both {}",
            apart.join(", or both ")
        ),
    };
    one(FindingClass::Confounded, text)
}

fn one_run(rows: &[Measured], design: &Design<'_>) -> Vec<Finding> {
    let mut counts: BTreeMap<(&str, &str), HashSet<&str>> = BTreeMap::new();
    for row in rows {
        let unit = if design.is_nested { row.host.as_deref().unwrap_or_default() } else { row.source.as_str() };
        counts.entry((&row.contender, &row.workload)).or_default().insert(unit);
    }
    let single: BTreeSet<&str> = counts.iter().filter(|(_, units)| units.len() == 1).map(|(key, _)| key.0).collect();
    if single.is_empty() {
        return Vec::new();
    }
    let unit = if design.is_nested { "host" } else { "run" };
    let names = single.into_iter().collect::<Vec<_>>().join(", ");
    one(FindingClass::OneRun, format!("one {unit} each: nothing shows how much the figures of {names} vary"))
}

/// Conditions of which the contenders share no value.
fn conditions(rows: &[Measured], _: &Design<'_>) -> Vec<Finding> {
    let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.conditions.keys()).collect();
    let differing = names.into_iter().filter_map(|name| differing(rows, |row| row.conditions.get(name).cloned(), name));
    let differing: Vec<String> = differing.collect();
    if differing.is_empty() {
        return Vec::new();
    }
    one(FindingClass::Confounded, format!("besides the contender, these differ: {}", differing.join("; ")))
}

/// Workloads that were synced, or cached, for one contender only.
fn treatment(rows: &[Measured], _: &Design<'_>) -> Vec<Finding> {
    let mut workloads: BTreeMap<&str, Vec<&Measured>> = BTreeMap::new();
    rows.iter().for_each(|row| workloads.entry(&row.workload).or_default().push(row));
    let of = |(workload, own): (&str, Vec<&Measured>)| differing(own, |row| Some(treated(row).to_owned()), workload);
    let differing: Vec<String> = workloads.into_iter().filter_map(of).collect();
    if differing.is_empty() {
        return Vec::new();
    }
    one(FindingClass::Confounded, format!("contenders did not do the same work: {}", differing.join("; ")))
}

fn treated(row: &Measured) -> &'static str {
    match (row.durable, row.reads) {
        (Durable::Synced, _) => "synced",
        (Durable::NotSynced, _) => "not synced",
        (_, Reads::Device) => "read from the device",
        (_, Reads::JustWritten) => "read what it had just written",
        _ => "not recorded",
    }
}

/// `name (ext4: A, xfs: B)` if two contenders have no value in common.
fn differing<'a>(
    rows: impl IntoIterator<Item = &'a Measured>,
    value: impl Fn(&Measured) -> Option<String>,
    name: &str,
) -> Option<String> {
    let mut values: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for row in rows {
        values.entry(&row.contender).or_default().extend(value(row));
    }
    let mut known = values.into_iter().filter(|(_, values)| !values.is_empty());
    let (first, own) = known.next()?;
    let (other, theirs) = known.find(|(_, theirs)| theirs.is_disjoint(&own))?;
    let joined = |values: BTreeSet<String>| values.into_iter().collect::<Vec<_>>().join(" or ");
    Some(format!("{name} ({first}: {}, {other}: {})", joined(own), joined(theirs)))
}

fn cached(rows: &[Measured], _: &Design<'_>) -> Vec<Finding> {
    let counted = rows.iter().filter_map(|row| match row.reads {
        Reads::Counted { work, device } if device < bounds::SERVED * work => Some((row, 100.0 * device / work)),
        _ => None,
    });
    let served = counted.map(|(row, share)| {
        format!("{}: the device served {share:.0} % of the bytes that were read, memory the rest", row.source)
    });
    let just_written = listed(rows, |row| row.reads == Reads::JustWritten)
        .map(|names| format!("{names}: what was read had just been written, so memory may have served it"));
    let unknown = listed(rows, |row| row.reads == Reads::Unknown)
        .map(|names| format!("{names}: nothing shows whether reads came from the device or from memory"));
    let texts = served.chain(just_written).chain(unknown);
    texts.map(|text| Finding { class: FindingClass::Cached, text }).collect()
}

/// Number of workloads that a finding names.
const NAMED: usize = 3;

/// The workloads of some rows, by name; `None` if there are none.
fn listed(rows: &[Measured], is_meant: impl Fn(&Measured) -> bool) -> Option<String> {
    let all: BTreeSet<&str> = rows.iter().map(|row| row.workload.as_str()).collect();
    let meant: BTreeSet<&str> = rows.iter().filter(|row| is_meant(row)).map(|row| row.workload.as_str()).collect();
    let named = || meant.iter().take(NAMED).copied().collect::<Vec<_>>().join("; ");
    match meant.len() {
        0 => None,
        count if count == all.len() => Some("all workloads".to_owned()),
        count if count > NAMED => Some(format!("{} and {} more", named(), count - NAMED)),
        _ => Some(named()),
    }
}

fn durability(rows: &[Measured], _: &Design<'_>) -> Vec<Finding> {
    let unsynced = listed(rows, |row| row.durable == Durable::NotSynced).map(|names| {
        format!("{names}: nothing was synced within the measured time, so what was written need not be on the device")
    });
    let unknown = listed(rows, |row| row.durable == Durable::Unknown).map(|names| {
        format!("{names}: nothing shows whether what was written was on the device when the clock stopped")
    });
    let texts = [unsynced, unknown].into_iter().flatten();
    texts.map(|text| Finding { class: FindingClass::Durability, text }).collect()
}
