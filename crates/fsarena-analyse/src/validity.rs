//! Rules that judge how far a cell's figures can be trusted. A new rule is one function and its name in [`RULES`].

mod bounds;
mod cache;
mod clients;
mod impossible;

use fsarena_model::{
    ContenderFacts, Guarantee, LaneCost, Outcome, Probe, RunRecord, Trial, Validity, ValidityClass, Workload,
};

use crate::{baselines, rate};

/// Returns a flag if a cell has to be read with care.
type Rule = fn(&Evidence<'_>) -> Option<Validity>;

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
    clients::uneven,
    clients::skewed,
    clients::network_bound,
    overloaded,
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
    RULES.iter().filter_map(|rule| rule(&evidence)).collect()
}

fn flag(class: ValidityClass, text: String) -> Option<Validity> {
    Some(Validity { class, text })
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

fn did_not_finish(evidence: &Evidence<'_>) -> Option<Validity> {
    let reason = |trial: &&Trial| Some(format!("round {}: {}", trial.round, trial.outcome.why()?));
    let reasons: Vec<String> = evidence.trials.iter().filter_map(reason).collect();
    let first = reasons.first()?;
    let text = format!("did not finish in {} of {} rounds ({first})", reasons.len(), evidence.trials.len());
    flag(ValidityClass::DidNotFinish, text)
}

fn overloaded(evidence: &Evidence<'_>) -> Option<Validity> {
    rate::overloaded(evidence.trials)
}
