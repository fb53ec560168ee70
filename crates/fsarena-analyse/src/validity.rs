//! Rules that judge how far a cell's figures can be trusted. A new rule is one function and its name in [`RULES`].

mod bounds;
mod cache;
mod clients;
mod clock;
mod impossible;

use fsarena_model::{
    ContenderFacts, Finding, Guarantee, LaneCost, Outcome, Probe, RunRecord, Trial, Validity, Workload,
};

pub(crate) use clock::uncertainty;

use crate::{baselines, rate};

/// Returns a finding if a cell has to be read with care.
type Rule = fn(&Evidence<'_>) -> Option<Finding>;

const RULES: &[Rule] = &[
    did_not_finish,
    cache::cached,
    cache::not_direct,
    impossible::without_flushes,
    impossible::beyond_memory,
    impossible::beyond_device,
    impossible::of_another_size,
    bounds::lane_bound,
    bounds::device_bound,
    bounds::cpu_bound,
    bounds::harness_bound,
    clock::few_steps,
    clients::uneven,
    clients::skewed,
    clients::network_bound,
    |evidence| rate::overloaded(evidence.trials),
];

/// The input of the rules.
struct Evidence<'a> {
    record: &'a RunRecord,
    workload: &'a Workload,
    facts: Option<&'a ContenderFacts>,
    lane_cost: Option<LaneCost>,
    /// The finished trials among `trials`.
    finished: Vec<&'a Trial>,
    trials: &'a [&'a Trial],
}

/// The flags of a cell, at most one for each rule; `trials` are the trials that its figure rests on.
pub fn of_cell(record: &RunRecord, workload: &Workload, trials: &[&Trial]) -> Vec<Validity> {
    let facts = trials.first().and_then(|trial| record.contenders.iter().find(|facts| facts.label == trial.contender));
    let finished = trials.iter().copied().filter(|trial| trial.outcome == Outcome::Finished).collect();
    let evidence = Evidence { record, workload, facts, lane_cost: baselines::lane_cost(record), finished, trials };
    RULES.iter().filter_map(|rule| rule(&evidence)).map(Validity::from).collect()
}

impl Evidence<'_> {
    /// The sum of a probe over all finished trials; `None` if one of them lacks it.
    fn sum(&self, probe: Probe) -> Option<f64> {
        self.finished.iter().map(|trial| trial.probe(probe)).sum()
    }

    fn bytes(&self) -> f64 {
        self.finished.iter().map(|trial| trial.bytes() as f64).sum()
    }

    fn operations(&self) -> f64 {
        self.finished.iter().map(|trial| trial.operations() as f64).sum()
    }

    fn seconds(&self) -> f64 {
        self.finished.iter().map(|trial| trial.seconds()).sum()
    }

    fn is_compressed(&self) -> bool {
        self.facts.is_some_and(|facts| facts.guarantees.contains(&Guarantee::Compression))
    }
}

fn did_not_finish(evidence: &Evidence<'_>) -> Option<Finding> {
    let why = |trial: &&Trial| Some((trial.round, trial.outcome.why()?));
    let all: Vec<(u32, String)> = evidence.trials.iter().filter_map(why).collect();
    let (first, why) = all.first()?.clone();
    Some(Finding::NotFinished { rounds: all.len() as u32, of: evidence.trials.len() as u32, first, why })
}
