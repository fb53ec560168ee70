//! Durability classes as seen: what a contender's kind and mount options promise, unless its device saw no flush.

use fsarena_engine::Tally;
use fsarena_model::event::Note;
use fsarena_model::{Durability, DurablePoint, Label, Outcome, RunRecord, Severity, Trial, Workload};

/// Syncs from which on the want of any flush is no chance.
const ENOUGH: f64 = 20.0;
/// Flushes per sync below which there were none to speak of; a few may come with mounting.
const NONE: f64 = 0.05;

/// The durability class of a contender of the plan; `None` if it was never made.
pub fn class(record: &RunRecord, contender: usize) -> Option<Durability> {
    of_label(record, &record.plan.contenders[contender].label)
}

/// The durability class of the contender `label`.
pub fn of_label(record: &RunRecord, label: &Label) -> Option<Durability> {
    let promised = record.contenders.iter().find(|facts| facts.label == *label)?.durability;
    let is_broken = promised == Durability::Flushed && unflushed(record, label).is_some();
    Some(if is_broken { Durability::Unflushed } else { promised })
}

/// What has to be said of contenders that promise durability and send no flush.
pub fn notes(record: &RunRecord) -> Vec<Note> {
    let promising = record.contenders.iter().filter(|facts| facts.durability == Durability::Flushed);
    let notes = promising.filter_map(|facts| {
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

/// Syncs, and the flushes that its device saw, of a contender that hardly sends any.
fn unflushed(record: &RunRecord, label: &Label) -> Option<(f64, f64)> {
    let own = record.trials.iter().filter(|trial| trial.contender == *label && trial.outcome == Outcome::Finished);
    let workload = |trial: &Trial| record.plan.workloads.iter().find(|workload| workload.name == trial.workload);
    let (mut total, mut flushes) = (0.0, 0.0);
    for trial in own {
        let needed = workload(trial).map_or(0.0, |workload| called(workload, trial) + fewest_of_commits(trial));
        if needed > 0.0 {
            total += needed;
            flushes += trial.probe("device.flushes")?;
        }
    }
    (total >= ENOUGH && flushes < NONE * total).then_some((total, flushes))
}

/// Whether a workload also syncs outside of its timer, so that its device's flushes are not those of its time.
pub fn syncs_untimed(workload: &Workload) -> bool {
    fsarena_apps::engine(&workload.engine).is_some_and(|engine| engine.syncs_untimed(workload))
}

/// How often a trial asked for its data to be durable, at least: by a call, with each write, or as a database does with each row or
/// transaction.
pub fn syncs(workload: &Workload, trial: &Trial) -> f64 {
    called(workload, trial) + commits(trial)
}

fn called(workload: &Workload, trial: &Trial) -> f64 {
    let of = |name: &str| trial.latencies.get(name).map_or(0, |latency| latency.count);
    let called = of("fsync") + of("fdatasync") + of("syncfs");
    if let Some(written) = trial.probe(Tally::DURABLE_WRITES) {
        return called as f64 + written;
    }
    let with_each =
        matches!(workload.durable, DurablePoint::OSync | DurablePoint::ODsync) || workload.engine == "sqlite";
    let written = trial.operations().saturating_sub(of("read") + of("random-read"));
    (if with_each { called.max(written) } else { called }) as f64
}

/// Flushes that a trial needs at least, if all that asked at the same time shared one.
pub fn fewest_flushes(workload: &Workload, trial: &Trial) -> f64 {
    called(workload, trial) / workload.at_a_time() + fewest_of_commits(trial)
}

/// Of a database one for as many transactions as it has connections.
fn fewest_of_commits(trial: &Trial) -> f64 {
    commits(trial) / trial.probe(Tally::CONNECTIONS).unwrap_or(1.0).max(1.0)
}

/// Transactions that a database acknowledged as durable.
fn commits(trial: &Trial) -> f64 {
    trial.probe(Tally::COMMITS).unwrap_or(0.0)
}
