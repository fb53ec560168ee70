//! What speaks against results, whatever their figures are. A new rule is one function and its name in [`RULES`].

mod compared;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use fsarena_lane::kind::named_in;
use fsarena_model::joined;
use fsarena_model::validity::bounds;
use serde::{Deserialize, Serialize};

pub use compared::{copies, of_pairs, renamed};

use crate::design::Design;
use crate::measured::{Measured, Reads, SyncedResult};
use crate::work::{CountRange, workloads};

/// What speaks against results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedFinding {
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
    /// Contenders did not do the same work.
    Work,
    /// Something besides the contender differs.
    Confounded,
    /// A run was given more than once.
    Copy,
    /// Without a repetition nothing shows how much figures vary.
    OneRun,
    /// The program's clock, or the rounding of its figures, hides differences.
    Clock,
    /// The parts of a run did not work all the time, or not equally much.
    Uneven,
    /// Memory served what the device should have served.
    Cached,
    /// What was written need not be on the device when the clock stops.
    Durability,
    /// Columns of a table that no option names.
    Unread,
}

impl fmt::Display for FindingClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&in_words(self))
    }
}

/// The name of a value in JSON as words, such as `one run`.
pub fn in_words(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default().trim_matches('"').replace('-', " ")
}

impl FindingClass {
    /// A finding of this class for each text.
    pub fn findings(self, texts: impl IntoIterator<Item = String>) -> impl Iterator<Item = JudgedFinding> {
        texts.into_iter().map(move |text| JudgedFinding { class: self, text })
    }
}

type FindingsRule = fn(&[Measured], &Design<'_>) -> Vec<String>;

const RULES: [(FindingClass, FindingsRule); 8] = [
    (FindingClass::Identity, identity),
    (FindingClass::Confounded, conditions),
    (FindingClass::Confounded, hosts),
    (FindingClass::Confounded, order),
    (FindingClass::OneRun, one_run),
    (FindingClass::Clock, clock),
    (FindingClass::Cached, cached),
    (FindingClass::Durability, durability),
];

/// All findings that follow from rows alone.
pub fn findings(rows: &[Measured], design: &Design<'_>) -> Vec<JudgedFinding> {
    let of_rules = RULES.iter().flat_map(|(class, rule)| class.findings(rule(rows, design)));
    noted(rows).into_iter().chain(of_rules).collect()
}

/// The contenders whose results record another file system than their label names.
pub fn mislabelled(rows: &[Measured]) -> BTreeSet<&str> {
    rows.iter().filter(|row| contradicts(row)).map(|row| row.contender.as_str()).collect()
}

fn contradicts(row: &Measured) -> bool {
    let recorded = row.recorded.as_deref().and_then(named_in);
    recorded.is_some_and(|recorded| named_in(&row.contender).is_some_and(|labelled| labelled != recorded))
}

/// `24 results`: rows of one run of a program, such as its iterations, count as one.
pub fn results<'a>(rows: impl IntoIterator<Item = &'a Measured>) -> usize {
    rows.into_iter().map(|row| &row.source).collect::<HashSet<_>>().len()
}

pub fn contenders<'a>(rows: impl IntoIterator<Item = &'a Measured>) -> BTreeSet<&'a str> {
    rows.into_iter().map(|row| row.contender.as_str()).collect()
}

fn identity(rows: &[Measured], _: &Design<'_>) -> Vec<String> {
    let recording: Vec<&Measured> = rows.iter().filter(|row| row.recorded.is_some()).collect();
    let wrong: Vec<&Measured> = recording.iter().copied().filter(|row| contradicts(row)).collect();
    let recorded: BTreeSet<&str> = recording.iter().filter_map(|row| row.recorded.as_deref()).collect();
    let all = results(rows);
    let text = wrong.first().map(|first| match recorded.first() {
        Some(only) if recorded.len() == 1 => {
            let mut counts: BTreeMap<&str, Vec<&Measured>> = BTreeMap::new();
            wrong.iter().for_each(|row| counts.entry(&row.contender).or_default().push(row));
            let counts = counts.into_iter().map(|(name, rows)| format!("the {} called {name}", results(rows)));
            format!(
                "all {all} results record {only}, also {}: by their own record they compare {only} with itself",
                joined(counts, " and ")
            )
        }
        _ => format!(
            "{} of {all} results record another file system than their label says ({}: {} records {})",
            results(wrong.iter().copied()),
            first.source,
            first.contender,
            first.recorded.as_deref().unwrap_or_default()
        ),
    });
    let known = contenders(recording);
    let unknown: BTreeSet<&str> = contenders(rows).difference(&known).copied().collect();
    let of = if known.is_empty() { String::new() } else { format!(" of {}", some_of(&unknown)) };
    let unknown = (!unknown.is_empty()).then(|| {
        format!("no result{of} records which file system it ran on: that it is the one of its label is only assumed")
    });
    text.into_iter().chain(unknown).collect()
}

fn hosts(rows: &[Measured], design: &Design<'_>) -> Vec<String> {
    if !design.is_nested {
        let hosts = differing(rows, |row| row.host.as_deref());
        return besides(hosts.map(|hosts| format!("host ({hosts})")).into_iter().collect());
    }
    let mut hosts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    rows.iter().for_each(|row| hosts.entry(&row.contender).or_default().extend(row.host.as_deref()));
    let counts: Vec<String> = hosts.into_iter().map(|(name, hosts)| format!("{name} {}", hosts.len())).collect();
    vec![format!(
        "each host had one contender only (hosts: {}): what differs between hosts looks like a difference between \
         contenders, and the runs of a host are no repetitions of each other",
        counts.join(", ")
    )]
}

fn order(rows: &[Measured], design: &Design<'_>) -> Vec<String> {
    if contenders(rows).len() < 2 {
        return Vec::new();
    }
    if !design.has_times {
        let text = "the order is unknown: if contenders ran one after the other, whatever changed meanwhile looks like \
                    a difference between them";
        return vec![text.to_owned()];
    }
    if let Some(text) = apart(design) {
        return vec![text];
    }
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let workloads = workloads(rows);
    for workload in &workloads {
        let own = workload.variants.iter().map(|variant| apart(&Design::of(variant.rows.iter().copied())));
        let own = own.zip(workload.titles()).filter_map(|(text, title)| Some((text?, title)));
        own.for_each(|(text, title)| _ = found.entry(text).or_default().insert(title));
    }
    let all: usize = workloads.iter().map(|workload| workload.variants.len()).sum();
    let of = |(text, titles): (String, BTreeSet<String>)| match titles.len() == all {
        true => format!("in each workload {text}"),
        false => format!("{}: {text}", some_of(&titles.iter().map(String::as_str).collect())),
    };
    found.into_iter().map(of).collect()
}

/// Which contenders never ran at the same time.
fn apart(design: &Design<'_>) -> Option<String> {
    let mut waves: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    design.waves.iter().for_each(|(unit, wave)| waves.entry(unit.0).or_default().extend([*wave]));
    let pairs = waves.iter().flat_map(|(a, own)| {
        let others = waves.iter().filter(move |(b, others)| a < *b && own.is_disjoint(others));
        others.map(move |(b, _)| format!("{a} and {b}"))
    });
    let mut apart: Vec<String> = pairs.take(NAMED + 1).collect();
    let more = if apart.len() > NAMED { ", and so on" } else { "" };
    apart.truncate(NAMED);
    match design.count() {
        _ if apart.is_empty() => None,
        count if count == waves.len() && waves.values().all(|own| own.len() == 1) => Some(
            "the contenders ran one after the other, each in one piece: a drift of the machine looks like a difference"
                .to_owned(),
        ),
        count => Some(format!(
            "the results were made in {count} waves that do not overlap in time, and no wave has both {}{more}",
            apart.join(", or both ")
        )),
    }
}

fn one_run(rows: &[Measured], design: &Design<'_>) -> Vec<String> {
    let is_same = |one: &Measured, other: &Measured| match design.is_nested {
        true => one.host == other.host,
        false => one.source == other.source,
    };
    let (mut single, mut places): (BTreeSet<&str>, BTreeSet<&str>) = Default::default();
    for workload in &workloads(rows) {
        for variant in &workload.variants {
            let mut firsts = HashMap::new();
            for row in &variant.rows {
                let (first, is_alone) = firsts.entry(row.contender.as_str()).or_insert((*row, true));
                *is_alone &= is_same(first, row);
            }
            let alone = firsts.into_iter().filter(|(_, (_, is_alone))| *is_alone).map(|(name, _)| name);
            alone.for_each(|name| _ = (single.insert(name), places.insert(workload.name)));
        }
    }
    let Some(listed) = listed(rows, |row| places.contains(row.workload.as_str())) else { return Vec::new() };
    let unit = if design.is_nested { "host" } else { "run" };
    let names = joined(single, ", ");
    vec![format!("{listed}: one {unit} each, so nothing shows how much the figures of {names} vary")]
}

/// Conditions of which the contenders share no value.
fn conditions(rows: &[Measured], _: &Design<'_>) -> Vec<String> {
    besides(other_conditions(rows))
}

/// What is recorded of two contenders without a value in common, as `disk (ext4: A, xfs: B)`.
pub fn other_conditions<'a>(rows: impl IntoIterator<Item = &'a Measured>) -> Vec<String> {
    // Many rows share what is known of them.
    let mut known = HashSet::new();
    let is_new = |row: &&'a Measured| known.insert((row.contender.as_str(), Arc::as_ptr(&row.conditions)));
    let rows: Vec<&Measured> = rows.into_iter().filter(is_new).collect();
    let names: BTreeSet<&String> = rows.iter().flat_map(|row| row.conditions.keys()).collect();
    let named = |name: &String| {
        let values = differing(rows.iter().copied(), |row| row.conditions.get(name).map(String::as_str))?;
        Some(format!("{name} ({values})"))
    };
    names.into_iter().filter_map(named).collect()
}

fn besides(differing: Vec<String>) -> Vec<String> {
    match differing.is_empty() {
        true => Vec::new(),
        false => vec![format!("besides the contender, these differ: {}", differing.join("; "))],
    }
}

/// `ext4: A, xfs: B` if two contenders have no value in common.
fn differing<'a>(
    rows: impl IntoIterator<Item = &'a Measured>,
    value: impl Fn(&'a Measured) -> Option<&'a str>,
) -> Option<String> {
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in rows {
        values.entry(&row.contender).or_default().extend(value(row));
    }
    values.retain(|_, values| !values.is_empty());
    let pairs =
        values.iter().enumerate().flat_map(|(place, one)| values.iter().skip(place + 1).map(move |it| (one, it)));
    let ((one, own), (other, theirs)) = pairs.into_iter().find(|(one, other)| one.1.is_disjoint(other.1))?;
    Some(format!("{one}: {}, {other}: {}", joined(own, " or "), joined(theirs, " or ")))
}

fn cached(rows: &[Measured], _: &Design<'_>) -> Vec<String> {
    let counted = |row: &Measured| row.reads.served().filter(|share| *share < bounds::SERVED);
    let sources: BTreeSet<&str> =
        rows.iter().filter(|row| counted(row).is_some()).map(|row| row.source.as_str()).collect();
    let served = CountRange::of(rows.iter().filter_map(counted).map(|share| 100.0 * share)).map(|range| {
        let (sources, share) = (some_of(&sources), range.worded());
        format!("{sources}: the device served {share} % of the bytes that were read, memory the rest")
    });
    let just_written = "what was read had just been written, so memory may have served it";
    let just_written = stated(rows, |row| row.reads == Reads::JustWritten, just_written);
    let unknown = "nothing shows whether reads came from the device or from memory";
    let unknown = stated(rows, |row| row.reads == Reads::Unknown, unknown);
    served.into_iter().chain(just_written).chain(unknown).collect()
}

/// Number of workloads that a finding names.
const NAMED: usize = 3;

/// The workloads of some rows, by name, and their contenders if there are others; `None` if there are no such rows.
fn listed(rows: &[Measured], is_meant: impl Fn(&Measured) -> bool) -> Option<String> {
    // Rows are many and their names are few.
    let names: HashSet<(&str, &str, bool)> =
        rows.iter().map(|row| (row.workload.as_str(), row.contender.as_str(), is_meant(row))).collect();
    let all: HashSet<&str> = names.iter().map(|(workload, ..)| *workload).collect();
    let (meant, these): (BTreeSet<&str>, BTreeSet<&str>) =
        names.iter().filter(|(.., is_meant)| *is_meant).map(|(workload, contender, _)| (*workload, *contender)).unzip();
    let has_others =
        names.iter().any(|(workload, contender, _)| meant.contains(workload) && !these.contains(contender));
    let workloads = match meant.len() {
        0 => return None,
        count if count == all.len() => "all workloads".to_owned(),
        _ => some_of(&meant),
    };
    Some(match has_others {
        true => format!("{workloads} of {}", some_of(&these)),
        false => workloads,
    })
}

/// What holds for the workloads of some rows.
fn stated(rows: &[Measured], is_meant: impl Fn(&Measured) -> bool, what: &str) -> Option<String> {
    listed(rows, is_meant).map(|names| format!("{names}: {what}"))
}

fn durability(rows: &[Measured], _: &Design<'_>) -> Vec<String> {
    let unsynced = [(true, "nothing"), (false, "too little")].into_iter().filter_map(|(is_none, amount)| {
        let is_none = |row: &Measured| is_none == row.synced.is_none_or(|share| share <= 0.0);
        let what = "was synced within the measured time, so what was written need not be on the device";
        let is_meant = |row: &Measured| row.durable == SyncedResult::NotSynced && is_none(row);
        stated(rows, is_meant, &format!("{amount} {what}"))
    });
    let unknown = "nothing shows whether what was written was on the device when the clock stopped";
    unsynced.chain(stated(rows, |row| row.durable == SyncedResult::Unknown, unknown)).collect()
}

/// How many times more a part of a run may do than another, or parts by themselves than their run, without a finding.
pub const UNEVEN: f64 = 1.2;

/// The share of the measured time from which on a step of the clock is a finding.
const COARSE: f64 = 0.01;

fn clock(rows: &[Measured], _: &Design<'_>) -> Vec<String> {
    let step = |row: &Measured| row.clock_step.filter(|step| *step > COARSE);
    let largest = rows.iter().filter_map(step).fold(0.0, f64::max);
    let coarse = format!(
        "a step of the program's clock, or the rounding, is up to {:.0} % of what was measured, so smaller differences \
         cannot be seen",
        100.0 * largest.min(1.0)
    );
    let coarse = stated(rows, |row| step(row).is_some(), &coarse);
    let bounds = stated(rows, |row| row.is_bound, "too fast for the program's clock, so only a bound is known");
    coarse.into_iter().chain(bounds).collect()
}

/// What results show against themselves: once for texts that differ in figures only.
fn noted(rows: &[Measured]) -> Vec<JudgedFinding> {
    type Sources<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;
    let mut notes: BTreeMap<(FindingClass, String), Sources<'_>> = BTreeMap::new();
    for (row, note) in rows.iter().flat_map(|row| row.notes.iter().map(move |note| (row, note))) {
        let kind = (note.class, note.text.replace(|letter: char| letter.is_ascii_digit() || letter == '.', ""));
        notes.entry(kind).or_default().entry(&note.text).or_default().insert(&row.source);
    }
    let of = |((class, _), texts): ((FindingClass, String), Sources<'_>)| {
        let (text, sources) = texts.first_key_value()?;
        let more =
            texts.values().skip(1).flatten().collect::<BTreeSet<_>>().difference(&sources.iter().collect()).count();
        let more = if more > 0 { format!("; {more} more with other figures") } else { String::new() };
        Some(JudgedFinding { class, text: format!("{}: {text}{more}", some_of(sources)) })
    };
    notes.into_iter().filter_map(of).collect()
}

/// The first of some names, and how many more there are.
fn some_of(names: &BTreeSet<&str>) -> String {
    let named = joined(names.iter().take(NAMED), "; ");
    match names.len() - names.len().min(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}
