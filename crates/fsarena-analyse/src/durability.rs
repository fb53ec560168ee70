//! Classes of contenders that are ranked with each other. Durability: the guarantee of a contender's kind and mount
//! options, unless its device receives no flush. On clients also coherence. What the user states about a server counts
//! first. Guarantees that only one of two contenders gives are shown with the verdict, because they cost time.

use fsarena_model::event::Note;
use fsarena_model::trial::SYNCS;
use fsarena_model::{
    Class, ContenderFacts, Durability, DurablePoint, Guarantee, Label, Outcome, RunRecord, Severity, Sharing,
    StatedGuarantee, Trial, Workload, probe,
};

use crate::analysis::Analysis;

/// With at least this many syncs, missing flushes are no coincidence.
const ENOUGH: f64 = 20.0;
/// A contender with fewer flushes per sync than this does not flush; mounting may cause a few.
const NONE: f64 = 0.05;

pub fn class(record: &RunRecord, facts: &ContenderFacts) -> Class {
    let stated = stated(record, &facts.label).find_map(|guarantee| match guarantee {
        StatedGuarantee::Durability(class) => Some(class),
        StatedGuarantee::Coherence(_) => None,
    });
    let guaranteed = stated.unwrap_or(facts.durability);
    let is_broken = guaranteed == Durability::Flushed && unflushed(record, &facts.label).is_some();
    let coherence = record.plan.clients.as_ref().and_then(|_| sharing(record, facts)?.coherence);
    Class { durability: if is_broken { Durability::Unflushed } else { guaranteed }, coherence }
}

/// What a contender guarantees to its clients, with what the user states; `None` if it is no shared folder.
pub fn sharing(record: &RunRecord, facts: &ContenderFacts) -> Option<Sharing> {
    let mut sharing = facts.sharing.clone()?;
    for guarantee in stated(record, &facts.label) {
        match guarantee {
            StatedGuarantee::Durability(class) => sharing.fsync = format!("{class}, as stated"),
            StatedGuarantee::Coherence(class) => sharing.coherence = Some(class),
        }
    }
    Some(sharing)
}

fn stated(record: &RunRecord, label: &Label) -> impl Iterator<Item = StatedGuarantee> {
    record.plan.guarantees.iter().filter(move |stated| stated.label == *label).map(|stated| stated.guarantee)
}

/// Warnings about contenders that guarantee durability but send no flushes.
pub fn notes(record: &RunRecord) -> Vec<Note> {
    let guaranteeing = record.contenders.iter().filter(|facts| facts.durability == Durability::Flushed);
    let notes = guaranteeing.filter_map(|facts| {
        let (syncs, flushes) = unflushed(record, &facts.label)?;
        let text = format!(
            "{}: {syncs} syncs reached the device with {flushes} flushes: a power cut may take what was synced, so it is not \
             ranked with those that flush",
            facts.label
        );
        Some(Note { severity: Severity::Warning, text })
    });
    notes.collect()
}

/// The numbers of syncs and of device flushes of a contender that sends hardly any flush; `None` for other contenders.
fn unflushed(record: &RunRecord, label: &Label) -> Option<(f64, f64)> {
    let own = record.trials.iter().filter(|trial| trial.contender == *label && trial.outcome == Outcome::Finished);
    let workload = |trial: &Trial| record.plan.workloads.iter().find(|workload| workload.name == trial.workload);
    let (mut total, mut flushes) = (0.0, 0.0);
    for trial in own {
        let needed = workload(trial).map_or(0.0, |workload| called(workload, trial) + fewest_of_commits(trial));
        if needed > 0.0 {
            total += needed;
            flushes += trial.probe(probe::DEVICE_FLUSHES)?;
        }
    }
    (total >= ENOUGH && flushes < NONE * total).then_some((total, flushes))
}

/// Minimum number of times that a trial asked for durability: by a sync call, with each write, or with each row or
/// transaction of a database.
pub fn syncs(workload: &Workload, trial: &Trial) -> f64 {
    called(workload, trial) + commits(trial)
}

fn called(workload: &Workload, trial: &Trial) -> f64 {
    let of = |name: &str| trial.latencies.get(name).map_or(0, |latency| latency.count);
    let called = SYNCS.iter().map(|name| of(name)).sum::<u64>();
    if let Some(written) = trial.probe(probe::DURABLE_WRITES) {
        return called as f64 + written;
    }
    let with_each =
        matches!(workload.durable, DurablePoint::OSync | DurablePoint::ODsync) || workload.traits.commits_each;
    let written = trial.operations().saturating_sub(of("read") + of("random-read"));
    (if with_each { called.max(written) } else { called }) as f64
}

/// Minimum number of flushes that a trial needs, if all concurrent syncs share one.
pub fn fewest_flushes(workload: &Workload, trial: &Trial) -> f64 {
    called(workload, trial) / workload.traits.concurrency as f64 + fewest_of_commits(trial)
}

/// A database needs one flush for as many transactions as it has connections.
fn fewest_of_commits(trial: &Trial) -> f64 {
    commits(trial) / trial.probe(probe::CONNECTIONS).unwrap_or(1.0).max(1.0)
}

/// Transactions that a database acknowledged as durable.
fn commits(trial: &Trial) -> f64 {
    trial.probe(probe::COMMITS).unwrap_or(0.0)
}

/// The guarantees by which two contenders of the plan differ, in words; empty if there is no difference, or if the
/// guarantees of one are unknown.
pub fn other_guarantees(analysis: &Analysis<'_>, a: usize, b: usize) -> String {
    made_here(analysis, a).zip(made_here(analysis, b)).map(|(a, b)| guarantees_of_one(a, b)).unwrap_or_default()
}

/// The facts of a contender that was made here. An existing directory may have been made with any options, so its
/// guarantees are unknown.
fn made_here<'a>(analysis: &Analysis<'a>, contender: usize) -> Option<&'a ContenderFacts> {
    analysis.facts[contender].filter(|_| analysis.record.plan.contenders[contender].path.is_none())
}

/// `btrfs also has data checksums and copy on write; ext4 also has a journal`.
fn guarantees_of_one(a: &ContenderFacts, b: &ContenderFacts) -> String {
    let more = [beyond(a, b), beyond(b, a)];
    more.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn beyond(one: &ContenderFacts, other: &ContenderFacts) -> Option<String> {
    let further = one.guarantees.iter().filter(|guarantee| !other.guarantees.contains(guarantee));
    let own: Vec<String> = further.map(Guarantee::to_string).collect();
    let (last, rest) = own.split_last()?;
    let listed = if rest.is_empty() { last.clone() } else { format!("{} and {last}", rest.join(", ")) };
    Some(format!("{} also has {listed}", one.label))
}

#[cfg(test)]
mod tests {
    use fsarena_model::{Durability, Label};

    use super::*;

    fn guaranteeing(label: &str, guarantees: &[Guarantee]) -> ContenderFacts {
        let facts = ContenderFacts::new(Label::from(label), Durability::Flushed);
        ContenderFacts { guarantees: guarantees.to_vec(), ..facts }
    }

    #[test]
    fn both_directions_are_named() {
        let ext4 = guaranteeing("ext4", &[Guarantee::Journal, Guarantee::MetadataChecksums]);
        let all = [Guarantee::MetadataChecksums, Guarantee::DataChecksums, Guarantee::CopyOnWrite, Guarantee::Mirror];
        let btrfs = guaranteeing("btrfs", &all);
        let words = "btrfs also has data checksums, copy on write and a mirror; ext4 also has a journal";
        assert_eq!(guarantees_of_one(&btrfs, &ext4), words);
    }

    #[test]
    fn shared_guarantees_are_no_difference() {
        let (ext4, xfs) = (guaranteeing("ext4", &[Guarantee::Journal]), guaranteeing("xfs", &[Guarantee::Journal]));
        assert_eq!(guarantees_of_one(&ext4, &xfs), "");
        assert_eq!(guarantees_of_one(&guaranteeing("ext2", &[]), &xfs), "xfs also has a journal");
    }
}
