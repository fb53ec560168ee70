//! Rules that judge how far a cell's figures can be trusted. A new rule is one function and its name in [`RULES`].

mod bounds;
mod cache;
mod clients;
mod clock;
mod impossible;

use fsarena_model::{Class, ContenderFacts, Finding, Guarantee, Outcome, Probe, Trial, Validity, Workload};

pub(crate) use clock::uncertainty;

use crate::analysis::{Analysis, WorkloadTrials};
use crate::rate;

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
    analysis: &'a Analysis<'a>,
    own: &'a WorkloadTrials<'a>,
    workload: &'a Workload,
    facts: Option<&'a ContenderFacts>,
    class: Option<Class>,
    /// The finished trials among `trials`.
    finished: Vec<&'a Trial>,
    trials: &'a [&'a Trial],
}

/// The flags of a cell, at most one for each rule; `trials` are the trials that its figure rests on.
pub(crate) fn of_cell(
    analysis: &Analysis<'_>,
    own: &WorkloadTrials<'_>,
    contender: usize,
    trials: &[&Trial],
) -> Vec<Validity> {
    let evidence = Evidence::of(analysis, own, contender, trials);
    RULES.iter().filter_map(|rule| rule(&evidence)).map(Validity::from).collect()
}

/// The share of a cell's time that the host beneath the lane takes, 0 to 1; `None` if it is not known.
pub(crate) fn lane_share(
    analysis: &Analysis<'_>,
    own: &WorkloadTrials<'_>,
    contender: usize,
    trials: &[&Trial],
) -> Option<f64> {
    analysis.lane_cost.as_ref()?.device?;
    bounds::lane_share(&Evidence::of(analysis, own, contender, trials))
}

impl<'a> Evidence<'a> {
    fn of(analysis: &'a Analysis<'a>, own: &'a WorkloadTrials<'a>, contender: usize, trials: &'a [&'a Trial]) -> Self {
        Self {
            analysis,
            own,
            workload: own.workload,
            facts: analysis.facts[contender].filter(|_| !trials.is_empty()),
            class: analysis.class(contender),
            finished: trials.iter().copied().filter(|trial| trial.outcome == Outcome::Finished).collect(),
            trials,
        }
    }

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
