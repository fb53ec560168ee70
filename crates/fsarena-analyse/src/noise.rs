//! The machine's condition: the load that other programs, the hypervisor and other disk users put on it while the
//! workloads run. All verdicts of a run refer to one condition: the quiet machine, or one under a load. It is the one
//! in which the most workloads have rounds enough for a verdict; of several, the most frequent one. Runs of a workload
//! in another condition do not count.
//!
//! The condition is judged only by the machine's counters, with bounds from the plan, and never by the results. All
//! contenders of a workload in a round are judged together.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::event::{Note, RoundFacts};
use fsarena_model::{
    Accelerator, AtRest, Bytes, Conditions, NoiseBounds, Outcome, RunRecord, Severity, Trial, Workload, probe,
};

use crate::analysis::Analysis;
use crate::verdicts::LEAST;
use crate::{baselines, probes};

/// Processor seconds below which the machine's counters, in ticks of 10 ms, show no load.
const RESOLUTION: f64 = 0.05;

/// At most that many loads of a run are tried as its condition.
const TRIED: usize = 64;

/// A load belongs to a condition if it differs from the usual load by at most this share of it, or by at most the
/// plan's bound.
const ALIKE: f64 = 0.5;

/// Load on the machine that does not come from this run, per second.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Rates {
    /// Processor seconds used by other programs.
    foreign: f64,
    /// Processor seconds taken by the hypervisor.
    stolen: f64,
    /// Bytes that other programs read from, or wrote to, the storage beneath the lanes.
    disk: f64,
}

/// The sum of what trials have of an amount, and the seconds in which it accumulated; without values that could not be
/// read.
fn accumulated(trials: &[&Trial], of: fn(&Trial) -> Option<f64>) -> (f64, f64) {
    let known = trials.iter().filter_map(|trial| Some((of(trial)?, probes::counted_seconds(trial))));
    known.fold((0.0, 0.0), |(sum, seconds), (amount, own)| (sum + amount, seconds + own))
}

impl Rates {
    /// The load while these trials ran. Processor times up to [`RESOLUTION`] become 0.
    fn of(trials: &[&Trial]) -> Self {
        let rate = |of, resolution: f64| match accumulated(trials, of) {
            (amount, seconds) if amount > resolution && seconds > 0.0 => amount / seconds,
            _ => 0.0,
        };
        Self {
            foreign: rate(probes::beyond_own_seconds, RESOLUTION),
            stolen: rate(|trial| trial.probe(probe::CPU_STEAL), RESOLUTION),
            disk: rate(probes::disk_others, 0.0),
        }
    }

    /// Whether `load` belongs to the condition whose usual load is `self`.
    fn has(&self, load: &Self, bounds: &NoiseBounds) -> bool {
        let is_near = |usual: f64, seen: f64, bound: f64| (seen - usual).abs() <= bound.max(ALIKE * usual);
        is_near(self.foreign, load.foreign, bounds.foreign_cores)
            && is_near(self.stolen, load.stolen, bounds.steal_cores)
            && is_near(self.disk, load.disk, bounds.disk_per_second.map_or(f64::INFINITY, |bytes| bytes.0 as f64))
    }

    /// The loads that exceed their bound, for example `1.6 cores used by other programs, 0.3 cores taken by the
    /// hypervisor`.
    fn words(&self, bounds: &NoiseBounds) -> String {
        let disk = bounds.disk_per_second.filter(|bound| self.disk > bound.0 as f64);
        let parts = [
            (self.foreign > bounds.foreign_cores).then(|| format!("{:.1} cores used by other programs", self.foreign)),
            (self.stolen > bounds.steal_cores).then(|| format!("{:.1} cores taken by the hypervisor", self.stolen)),
            disk.map(|_| format!("{}/s of other programs' disk traffic", Bytes(self.disk as u64))),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// Above this ratio of two rounds of the same work in memory, the machine's own speed is worth a sentence. Measured on
/// a host whose load changed: 1.3 and 1.4.
const UNSTEADY: f64 = 1.25;

/// One workload in one round, on all contenders.
struct Visit<'a> {
    workload: &'a str,
    round: u32,
    rates: Rates,
    /// Whether a processor quota, thermal throttling or swapping slowed the machine down.
    is_held_back: bool,
}

/// The condition that the verdicts refer to.
pub(crate) struct Condition<'a> {
    /// The usual load; all zero if the machine was quiet.
    usual: Rates,
    visits: Vec<Visit<'a>>,
    /// Whether most visits were slowed down; if so, a slowdown does not exclude a visit.
    is_held_back: bool,
    bounds: &'a NoiseBounds,
    /// Whether the run has verdicts: several contenders, and more than a smoke run.
    has_verdicts: bool,
    guest: Option<Accelerator>,
}

impl<'a> Condition<'a> {
    pub(crate) fn of(record: &'a RunRecord) -> Self {
        let bounds = &record.plan.measuring.noise;
        let visits = visits(record);
        let quiet = Rates::default();
        let (idle, busy): (Vec<&Visit<'_>>, Vec<_>) =
            visits.iter().partition(|visit| quiet.has(&visit.rates, bounds) || bounds.is_ignored());
        // Later rounds may have the workloads only that are not decided.
        let size = |visits: &[&Visit<'_>], load: Rates| {
            let mut rounds: BTreeMap<&str, u32> = BTreeMap::new();
            let own = visits.iter().filter(|visit| load.has(&visit.rates, bounds));
            own.for_each(|visit| *rounds.entry(visit.workload).or_default() += 1);
            let enough = rounds.values().filter(|rounds| **rounds >= LEAST).count();
            (enough, rounds.values().sum::<u32>())
        };
        let tried = busy.iter().step_by(busy.len().div_ceil(TRIED).max(1)).map(|visit| visit.rates);
        let sized = tried.map(|load| (size(&busy, load), load));
        let (_, usual) =
            sized.fold((size(&idle, quiet), quiet), |most, next| if next.0 > most.0 { next } else { most });
        let held_back = visits.iter().filter(|visit| visit.is_held_back).count();
        let has_verdicts = record.plan.contenders.len() > 1 && !record.plan.is_smoke();
        let guest = record.plan.guest.as_ref().map(|guest| guest.accelerator);
        Self { usual, is_held_back: 2 * held_back > visits.len(), visits, bounds, has_verdicts, guest }
    }

    fn has(&self, visit: &Visit<'_>) -> bool {
        let counts = self.usual.has(&visit.rates, self.bounds) && (self.is_held_back || !visit.is_held_back);
        counts || self.bounds.is_ignored()
    }

    fn is_quiet(&self) -> bool {
        self.usual == Rates::default()
    }

    /// The visits that do not count.
    fn others(&self) -> impl Iterator<Item = &Visit<'a>> {
        self.visits.iter().filter(|visit| !self.has(visit))
    }

    /// The rounds of a workload that do not count.
    pub(crate) fn excluded(&self, workload: &Workload) -> Vec<u32> {
        self.others().filter(|visit| visit.workload == workload.name.as_str()).map(|visit| visit.round).collect()
    }

    /// The usual load during the run; `None` if the machine was quiet.
    pub(crate) fn load(&self) -> Option<String> {
        (!self.is_quiet()).then(|| self.usual.words(self.bounds))
    }

    fn of_load(&self) -> Option<String> {
        let busy: Vec<&Visit<'_>> = self.others().filter(|visit| !visit.is_held_back).collect();
        let rounds = spans(&busy.iter().map(|visit| visit.round).collect());
        let (left_out, all) = (busy.len(), self.visits.len());
        let (what, otherwise) = match self.has_verdicts {
            true => ("verdicts", "rank otherwise"),
            false => ("figures", "show others"),
        };
        match (self.is_quiet(), left_out) {
            (true, 0) => None,
            (true, _) => Some(format!(
                "The machine was busy with other things in {rounds} ({}). The {what} are of the quieter machine: they \
                 leave out {left_out} of {all} measurements (a workload in a round).",
                most(&busy).words(self.bounds),
            )),
            (false, _) => {
                let without = format!(
                    " They leave out {left_out} of {all} measurements (a workload in a round), in {rounds}, under \
                     another load."
                );
                let when = if 2 * left_out < all { "most of the time" } else { "more often than another load" };
                Some(format!(
                    "Measured on a busy machine: {} {when}. The {what} are of this condition; a quiet machine may \
                     {otherwise}.{}",
                    self.usual.words(self.bounds),
                    if left_out == 0 { "" } else { &without },
                ))
            }
        }
    }
}

/// The condition, the runs that were left out because of another one, and that the machine's own speed varied; `None`
/// if the machine was quiet and steady throughout.
pub(crate) fn sentence(analysis: &Analysis<'_>) -> Option<String> {
    let condition = &analysis.condition;
    let guest = condition.guest.map(|guest| format!("Measured in {}: {}.", guest.place(), guest.caveat()));
    let sentences: Vec<String> = guest.into_iter().chain(condition.of_load()).chain(of_speed(analysis)).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// That the machine's own speed varied, although its counters show no load.
fn of_speed(analysis: &Analysis<'_>) -> Option<String> {
    let is_quiet = analysis.condition.is_quiet();
    let times = baselines::spread_in_memory(analysis).filter(|times| is_quiet && *times > UNSTEADY)?;
    Some(format!(
        "The machine's own speed varied: the same work in memory took {times:.1} times as long in one round as in \
         another. The rounds that count show no load; other users of the host slow it down. Differences then need more \
         rounds."
    ))
}

fn visits(record: &RunRecord) -> Vec<Visit<'_>> {
    let mut loads: BTreeMap<(&str, u32), Vec<&Trial>> = BTreeMap::new();
    // A trial that did not finish may have been too short to show any load, and is no measurement.
    for trial in record.trials.iter().filter(|trial| trial.outcome == Outcome::Finished) {
        loads.entry((trial.workload.as_str(), trial.round)).or_default().push(trial);
    }
    let held_back: BTreeSet<u32> =
        record.rounds.iter().filter(|facts| is_held_back(record, facts)).map(|facts| facts.round).collect();
    let visit = |((workload, round), trials): ((_, u32), Vec<&Trial>)| Visit {
        workload,
        round,
        rates: Rates::of(&trials),
        is_held_back: held_back.contains(&round),
    };
    loads.into_iter().map(visit).collect()
}

/// Whether a quota, heat or swapping slowed the machine down in a round, as far as its counters show.
fn is_held_back(record: &RunRecord, facts: &RoundFacts) -> bool {
    let NoiseBounds { throttled, swapped, .. } = record.plan.measuring.noise;
    let is_beyond = |bound: Option<f64>, seen: Option<f64>| bound.zip(seen).is_some_and(|(bound, seen)| seen > bound);
    let conditions = &facts.conditions;
    is_beyond(throttled, conditions.quota_throttled.map(|seconds| seconds / facts.seconds))
        || is_beyond(throttled.map(|_| 0.0), conditions.thermal_throttled)
        || is_beyond(swapped.map(|bytes| bytes.0 as f64), conditions.swapped.map(|bytes| bytes.0 as f64))
}

/// Whether the machine was busy while this trial ran. False if the plan ignores noise.
pub fn is_noisy(record: &RunRecord, trial: &Trial) -> bool {
    let bounds = &record.plan.measuring.noise;
    !bounds.is_ignored() && !Rates::default().has(&Rates::of(&[trial]), bounds)
}

/// The number of rounds that a workload ran in, including rounds that do not count.
pub fn rounds(record: &RunRecord, workload: &Workload) -> u32 {
    let of = record.trials.iter().filter(|trial| trial.workload == workload.name);
    of.map(|trial| trial.round).collect::<BTreeSet<u32>>().len() as u32
}

/// The load on the machine before the run began; `None` if it was quiet.
pub fn before(at_rest: &AtRest, bounds: &NoiseBounds) -> Option<String> {
    let rates = Rates {
        foreign: at_rest.foreign_cores.unwrap_or(0.0),
        stolen: at_rest.steal_cores.unwrap_or(0.0),
        disk: at_rest.disk_per_second.unwrap_or(0.0),
    };
    (!Rates::default().has(&rates, bounds)).then(|| format!("this machine is busy: {}", rates.words(bounds)))
}

/// The highest value of each rate.
fn most(visits: &[&Visit<'_>]) -> Rates {
    let most = |of: fn(&Rates) -> f64| visits.iter().map(|visit| of(&visit.rates)).fold(0.0, f64::max);
    Rates { foreign: most(|it| it.foreign), stolen: most(|it| it.stolen), disk: most(|it| it.disk) }
}

/// One warning for each round in which a quota, heat or swapping slowed the machine down.
pub fn held_back(analysis: &Analysis<'_>) -> Vec<Note> {
    let Analysis { record, condition, .. } = analysis;
    let rounds = record.rounds.iter().filter(|facts| is_held_back(record, facts));
    let text = |facts: &RoundFacts| {
        let Conditions { quota_throttled, thermal_throttled, swapped, .. } = &facts.conditions;
        let quota = quota_throttled.filter(|seconds| *seconds > 0.0);
        let heat = thermal_throttled.filter(|times| *times > 0.0);
        let parts = [
            quota.map(|seconds| format!("a processor quota held it back for {seconds:.1} s")),
            heat.map(|times| format!("processors were slowed down for their temperature {times} times")),
            swapped.filter(|bytes| bytes.0 > 0).map(|bytes| format!("{bytes} were swapped")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let consequence = if condition.is_held_back { "it counts, for most rounds were like that" } else { "excluded" };
        format!("round {} of {:.0} s: {}; {consequence}", facts.round, facts.seconds, parts.join(", "))
    };
    rounds.map(|facts| Note { severity: Severity::Warning, text: text(facts) }).collect()
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
