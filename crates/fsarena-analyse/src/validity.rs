//! Rules that judge how far a cell's figures can be trusted. A new rule is one function and its name in [`RULES`].

mod bounds;
mod cache;
mod impossible;

use fsarena_model::comparison::Shares;
use fsarena_model::validity::bounds::KEEPS_UP;
use fsarena_model::{Class, ContenderFacts, Finding, Guarantee, Outcome, Probe, Trial, Validity, Workload, probe};

pub(crate) use bounds::uncertainty;

use crate::analysis::{Analysis, WorkloadTrials};
use crate::baselines;

/// Returns a finding if a cell has to be read with care.
type FindingRule = fn(&Evidence<'_>) -> Option<Finding>;

const RULES: &[FindingRule] = &[
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
    bounds::few_steps,
    bounds::uneven,
    bounds::skewed,
    bounds::network_bound,
    overloaded,
];

/// What is known about a cell.
pub(crate) struct Evidence<'a> {
    analysis: &'a Analysis<'a>,
    own: &'a WorkloadTrials<'a>,
    workload: &'a Workload,
    facts: Option<&'a ContenderFacts>,
    class: Option<Class>,
    /// The finished trials among `trials`.
    finished: Vec<&'a Trial>,
    trials: &'a [&'a Trial],
    /// What baselines and the lane's cost account for.
    pub(crate) shares: Shares,
}

impl<'a> Evidence<'a> {
    /// The evidence about a cell; `trials` are those that its figure rests on.
    pub(crate) fn of(
        analysis: &'a Analysis<'a>,
        own: &'a WorkloadTrials<'a>,
        contender: usize,
        trials: &'a [&'a Trial],
    ) -> Self {
        let finished: Vec<&Trial> = trials.iter().copied().filter(|trial| trial.outcome == Outcome::Finished).collect();
        let shares = baselines::shares(own, &finished);
        let facts = analysis.facts[contender].filter(|_| !trials.is_empty());
        let class = analysis.class(contender);
        let evidence = Self { analysis, own, workload: own.workload, facts, class, finished, trials, shares };
        // Without the cost of the device, what the lane takes is not its own.
        let is_known = analysis.lane_cost.as_ref().is_some_and(|cost| cost.device.is_some());
        let lane = bounds::lane_share(&evidence).filter(|_| is_known);
        Self { shares: Shares { lane, ..shares }, ..evidence }
    }

    /// The flags of the cell, at most one for each rule.
    pub(crate) fn flags(&self) -> Vec<Validity> {
        RULES.iter().filter_map(|rule| rule(self)).map(Validity::from).collect()
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

/// The contender does not keep up with the offered rate.
fn overloaded(evidence: &Evidence<'_>) -> Option<Finding> {
    let value = |probe| fsarena_stats::median(evidence.trials.iter().filter_map(|trial| trial.probe(probe)));
    let (offered, done) = (value(probe::RATE_OFFERED)?, value(probe::RATE_DONE)?);
    (done < KEEPS_UP * offered).then_some(Finding::BehindItsRate { offered, done })
}

fn did_not_finish(evidence: &Evidence<'_>) -> Option<Finding> {
    let why = |trial: &&Trial| Some((trial.round, trial.outcome.why()?));
    let all: Vec<(u32, String)> = evidence.trials.iter().filter_map(why).collect();
    let (first, why) = all.first()?.clone();
    Some(Finding::NotFinished { rounds: all.len() as u32, of: evidence.trials.len() as u32, first, why })
}
