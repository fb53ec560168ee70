//! Rounds that do not count for a workload, because the machine was busy with other things: judged by the machine's
//! counters alone, with bounds from the plan, and never by what came out.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::event::{Note, RoundFacts};
use fsarena_model::{Disturbance, Outcome, RunRecord, Severity, Trial, Workload};

use crate::probes;

/// Seconds that the machine's counters, in ticks of 10 ms, cannot tell from nothing.
const RESOLUTION: f64 = 0.05;

/// Cores' worth of others' work, or of stolen time, from which on the report mentions a round.
const MENTIONED: f64 = 0.2;

/// Seconds of others' work within so many timed seconds.
#[derive(Default)]
struct Busy {
    seconds: f64,
    timed: f64,
}

impl Busy {
    /// What could not be read says nothing.
    fn add(&mut self, seconds: Option<f64>, trial: &Trial) {
        if let Some(seconds) = seconds {
            self.seconds += seconds;
            self.timed += trial.seconds();
        }
    }

    /// On average; 0 where nothing could be read.
    fn cores(&self) -> f64 {
        if self.timed > 0.0 { self.seconds / self.timed } else { 0.0 }
    }

    fn exceeds(&self, cores: f64) -> bool {
        self.seconds > RESOLUTION && self.seconds > cores * self.timed
    }
}

/// What else went on in a round, within a workload's slices.
#[derive(Default)]
struct Row {
    round: u32,
    foreign: Busy,
    stolen: Busy,
}

impl Row {
    fn add(&mut self, trial: &Trial, is_foreign: bool) {
        self.foreign.add(probes::beyond_own_seconds(trial).filter(|_| !is_foreign), trial);
        self.stolen.add(trial.probe("cpu.steal"), trial);
    }

    fn is_busy(&self, bounds: &Disturbance) -> bool {
        self.foreign.exceeds(bounds.foreign_cores) || self.stolen.exceeds(bounds.steal_cores)
    }
}

/// The rounds that do not count for a workload. Those up to a round follow from the rounds up to it.
pub fn set_aside(record: &RunRecord, workload: &Workload) -> Vec<u32> {
    rows_set_aside(record, workload).map(|row| row.round).collect()
}

fn rows_set_aside(record: &RunRecord, workload: &Workload) -> impl Iterator<Item = Row> {
    let mut rows: BTreeMap<u32, Row> = BTreeMap::new();
    let is_foreign = is_done_by_another_program(workload);
    for trial in record.trials.iter().filter(|trial| trial.workload == workload.name) {
        let row = rows.entry(trial.round).or_default();
        row.round = trial.round;
        row.add(trial, is_foreign);
    }
    let bounds = &record.plan.disturbance;
    let disturbed = move |row: &Row| row.is_busy(bounds) || is_held_back(record, row.round);
    rows.into_values().filter(disturbed).take(bounds.most as usize)
}

/// Whether the machine was kept from working in a round, as far as its counters tell.
fn is_held_back(record: &RunRecord, round: u32) -> bool {
    let Disturbance { throttled, swapped, .. } = record.plan.disturbance;
    record.rounds.iter().filter(|facts| facts.round == round).any(|facts| {
        let is_beyond =
            |bound: Option<f64>, seen: Option<f64>| bound.zip(seen).is_some_and(|(bound, seen)| seen > bound);
        let conditions = &facts.conditions;
        is_beyond(throttled, conditions.quota_throttled.map(|seconds| seconds / facts.seconds))
            || is_beyond(throttled.map(|_| 0.0), conditions.thermal_throttled)
            || is_beyond(swapped.map(|bytes| bytes.0 as f64), conditions.swapped.map(|bytes| bytes.0 as f64))
    })
}

/// Whether others kept the machine busy, or the hypervisor took it, while this trial alone ran. Never, where another program does
/// the work, or where nothing is ever set aside.
pub fn is_disturbed(record: &RunRecord, trial: &Trial) -> bool {
    let mut workloads = record.plan.workloads.iter();
    let mut row = Row::default();
    row.add(trial, workloads.any(|workload| workload.name == trial.workload && is_done_by_another_program(workload)));
    !record.plan.disturbance.is_ignored() && row.is_busy(&record.plan.disturbance)
}

/// In how many rounds from `first` on a workload was set aside, at most: so many more are run.
pub fn repeats(record: &RunRecord, first: u32) -> u32 {
    let of = |workload| set_aside(record, workload).into_iter().filter(|round| *round >= first).count();
    record.plan.workloads.iter().map(of).max().unwrap_or(0) as u32
}

/// Rounds of a workload that count.
pub fn counting(record: &RunRecord, workload: &Workload) -> u32 {
    let of = record.trials.iter().filter(|trial| trial.workload == workload.name);
    let rounds: BTreeSet<u32> = of.map(|trial| trial.round).collect();
    (rounds.len() - set_aside(record, workload).len()) as u32
}

/// Its work is foreign to this process, and cannot be told from others'.
fn is_done_by_another_program(workload: &Workload) -> bool {
    fsarena_apps::program_of(workload).is_some()
}

/// The trials of a cell that count; all, where else there was none to be shown.
pub fn counted<'a>(trials: &[&'a Trial], set_aside: &[u32]) -> Vec<&'a Trial> {
    let kept = trials.iter().copied().filter(|trial| !set_aside.contains(&trial.round)).collect::<Vec<_>>();
    let has_any = kept.iter().any(|trial| trial.outcome == Outcome::Finished);
    if has_any { kept } else { trials.to_vec() }
}

/// The sentence about rounds in which the machine was busy with other things, if there were any.
pub fn note(record: &RunRecord) -> Option<Note> {
    let aside: Vec<Vec<Row>> =
        record.plan.workloads.iter().map(|workload| busy_rows(record, workload).collect()).collect();
    let from_aside: BTreeSet<u32> = aside.iter().flatten().map(|row| row.round).collect();
    let busy: Vec<&RoundFacts> = record.rounds.iter().filter(is_mentioned).collect();
    let from_facts: BTreeSet<u32> = busy.iter().map(|facts| facts.round).collect();
    let rounds = record.trials.iter().map(|trial| trial.round).max().unwrap_or(0);
    let most = |of_round: fn(&RoundFacts) -> Option<f64>, of_row: fn(&Row) -> f64| {
        let means = busy.iter().filter_map(|facts| of_round(facts)).chain(aside.iter().flatten().map(of_row));
        means.fold(0.0, f64::max)
    };
    let text = format!(
        "the machine was busy with other things in {} of {rounds} rounds (up to {:.1} cores by other programs, {:.1} taken \
         by the hypervisor){}",
        from_facts.union(&from_aside).count(),
        most(|facts| facts.foreign_cores, |row| row.foreign.cores()),
        most(|facts| facts.steal_cores, |row| row.stolen.cores()),
        consequence(record, touched(record, &aside), &from_aside),
    );
    (!busy.is_empty() || !from_aside.is_empty()).then_some(Note { severity: Severity::Warning, text })
}

/// Those of the rounds set aside in which others were busy; what else kept the machine is said by [`held_back`].
fn busy_rows(record: &RunRecord, workload: &Workload) -> impl Iterator<Item = Row> {
    rows_set_aside(record, workload).filter(|row| row.is_busy(&record.plan.disturbance))
}

/// Of how many workloads rounds were set aside; a control counts as its workload.
fn touched(record: &RunRecord, aside: &[Vec<Row>]) -> usize {
    let with_rows = record.plan.workloads.iter().zip(aside).filter(|(_, rows)| !rows.is_empty());
    let names = with_rows.map(|(workload, _)| workload.control_of.as_ref().unwrap_or(&workload.name));
    names.collect::<BTreeSet<&fsarena_model::Name>>().len()
}

/// What kept the machine from working, if anything did.
pub fn held_back(record: &RunRecord) -> Vec<Note> {
    let rounds = record.rounds.iter().filter(|facts| is_held_back(record, facts.round));
    let text = |facts: &RoundFacts| {
        let conditions = &facts.conditions;
        let parts = [
            conditions
                .quota_throttled
                .filter(|seconds| *seconds > 0.0)
                .map(|seconds| format!("a processor quota held it back for {seconds:.1} s")),
            conditions
                .thermal_throttled
                .filter(|times| *times > 0.0)
                .map(|times| format!("processors were slowed down for their temperature {times} times")),
            conditions.swapped.filter(|bytes| bytes.0 > 0).map(|bytes| format!("{bytes} were swapped")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("round {} of {:.0} s: {}; set aside", facts.round, facts.seconds, parts.join(", "))
    };
    rounds.map(|facts| Note { severity: Severity::Warning, text: text(facts) }).collect()
}

fn is_mentioned(facts: &&RoundFacts) -> bool {
    facts.foreign_cores.unwrap_or(0.0) > MENTIONED || facts.steal_cores.unwrap_or(0.0) > MENTIONED
}

fn consequence(record: &RunRecord, touched: usize, rounds: &BTreeSet<u32>) -> String {
    let Disturbance { foreign_cores, steal_cores, most, .. } = record.plan.disturbance;
    if touched == 0 {
        return ": intervals are wider than they need to be; a quiet machine decides more".to_owned();
    }
    format!(
        "; set aside, for {touched} of {} workloads, in {} (bounds fixed beforehand: more than {foreign_cores} cores by other \
         programs or {steal_cores} taken by the hypervisor; at most {most} rounds of a workload)",
        record.plan.shown().count(),
        spans(rounds),
    )
}

/// `round 3`, `rounds 2, 4 to 6`.
fn spans(rounds: &BTreeSet<u32>) -> String {
    let mut spans: Vec<(u32, u32)> = Vec::new();
    for &round in rounds {
        match spans.last_mut() {
            Some((_, last)) if *last + 1 == round => *last = round,
            _ => spans.push((round, round)),
        }
    }
    let span = |&(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    let noun = if rounds.len() == 1 { "round" } else { "rounds" };
    format!("{noun} {}", spans.iter().map(span).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_named_in_spans() {
        assert_eq!(spans(&BTreeSet::from([3])), "round 3");
        assert_eq!(spans(&BTreeSet::from([1, 2, 4, 6, 7, 8])), "rounds 1, 2, 4, 6 to 8");
    }
}
