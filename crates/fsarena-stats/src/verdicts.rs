//! The verdicts of a whole run: what fell stays, and what is contradicted later is marked (recipe, steps 12 and 14).

use serde::{Deserialize, Serialize};

use crate::decide::{Decision, PairDecision, Pricing, WorkloadDecision};
use crate::design::LaneTerm;
use crate::error::StatsError;
use crate::look::Rule;
use crate::looks::Looks;
use crate::observation::WorkloadData;

/// Whether later looks agree with the verdict that fell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Steadiness {
    /// No later look decided the contrary.
    Steady,
    /// A later look decided the contrary: the other direction, or an equivalence and a difference that lies wholly
    /// beyond the margin. (A proved small difference and an equivalence do not contradict each other.)
    Unsteady,
}

/// One pair over the run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StandingPair {
    /// The latest look: its estimate and intervals are the ones to print.
    pub latest: PairDecision,
    /// The look at which the verdict fell, `None` while undecided.
    pub decided: Option<PairDecision>,
    /// Whether later looks agree.
    pub steadiness: Steadiness,
}

impl StandingPair {
    /// The verdict that stands.
    #[must_use]
    pub fn verdict(&self) -> Decision {
        self.decided.map_or(Decision::Undecided, |decided| decided.verdict)
    }

    fn new(first: PairDecision) -> Self {
        let decided = is_decisive(&first).then_some(first);
        Self { latest: first, decided, steadiness: Steadiness::Steady }
    }

    fn update(&mut self, next: PairDecision, margin: f64) {
        self.latest = next;
        match self.decided {
            None => self.decided = is_decisive(&next).then_some(next),
            Some(first) if contradict(&first, &next, margin) => self.steadiness = Steadiness::Unsteady,
            Some(_) => {}
        }
    }
}

/// One workload over the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StandingWorkload {
    /// Number of rounds at the latest look.
    pub rounds: u32,
    /// Whether the lanes' effect was taken out at the latest look.
    pub lane_term: LaneTerm,
    /// All unordered pairs, in the order of [`WorkloadDecision::pairs`].
    pub pairs: Vec<StandingPair>,
}

impl StandingWorkload {
    /// Whether all pairs are decided, so that the workload needs no more rounds.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.pairs.iter().all(|pair| pair.decided.is_some())
    }

    fn new(first: &WorkloadDecision) -> Self {
        let pairs = first.pairs.iter().copied().map(StandingPair::new).collect();
        Self { rounds: first.rounds, lane_term: first.lane_term, pairs }
    }

    /// A workload without a new round is not looked at again: its share of the error budget is spent.
    fn update(&mut self, next: &WorkloadDecision, margin: f64) {
        if next.rounds <= self.rounds {
            return;
        }
        (self.rounds, self.lane_term) = (next.rounds, next.lane_term);
        for (pair, next) in self.pairs.iter_mut().zip(&next.pairs) {
            pair.update(*next, margin);
        }
    }
}

/// The verdicts of a run so far; fed with every look, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdicts {
    margin: f64,
    workloads: Vec<StandingWorkload>,
}

impl Verdicts {
    /// No look yet.
    #[must_use]
    pub fn new(rule: &Rule) -> Self {
        Self { margin: rule.margin_ln(), workloads: Vec::new() }
    }

    /// Takes in one look at all workloads of the run, always the same ones in the same order.
    pub fn update(&mut self, look: &[WorkloadDecision]) {
        for (workload, next) in self.workloads.iter_mut().zip(look) {
            workload.update(next, self.margin);
        }
        let new = look.iter().skip(self.workloads.len());
        self.workloads.extend(new.map(StandingWorkload::new));
    }

    /// Takes in one look at one workload that was looked at before.
    pub(crate) fn update_workload(&mut self, workload: usize, next: &WorkloadDecision) {
        self.workloads[workload].update(next, self.margin);
    }

    /// The workloads, in the order of the looks.
    #[must_use]
    pub fn workloads(&self) -> &[StandingWorkload] {
        &self.workloads
    }

    /// Indices of the workloads that need more rounds.
    pub fn open(&self) -> impl Iterator<Item = usize> + '_ {
        let open = self.workloads.iter().enumerate().filter(|(_, workload)| !workload.is_settled());
        open.map(|(index, _)| index)
    }
}

/// Rebuilds the verdicts of a run from its data alone, by looking again after each of its rounds.
///
/// # Errors
/// [`StatsError`] where the rule or the data is malformed.
pub fn replay(rule: &Rule, workloads: &[WorkloadData]) -> Result<Verdicts, StatsError> {
    let mut looks = Looks::new(rule, workloads, None)?;
    let mut verdicts = Verdicts::new(rule);
    verdicts.update(&looks.all(Pricing::Unpriced));
    for label in looks.labels() {
        let fresh: Vec<usize> = (0..workloads.len()).filter(|&workload| looks.has(workload, label)).collect();
        looks.advance(label, &fresh);
        for &workload in &fresh {
            let is_last = looks.ends_by(workload, label);
            let pricing = if is_last { Pricing::Priced } else { Pricing::Unpriced };
            verdicts.update_workload(workload, &looks.view(workload).decision(pricing));
        }
    }
    Ok(verdicts)
}

fn is_decisive(pair: &PairDecision) -> bool {
    pair.verdict != Decision::Undecided
}

fn contradict(first: &PairDecision, next: &PairDecision, margin: f64) -> bool {
    let is_beyond = |pair: &PairDecision| pair.decision.is_some_and(|interval| interval.is_beyond(margin));
    match (first.verdict, next.verdict) {
        (Decision::Better, Decision::Worse) | (Decision::Worse, Decision::Better) => true,
        (Decision::Equivalent, Decision::Better | Decision::Worse) => is_beyond(next),
        (Decision::Better | Decision::Worse, Decision::Equivalent) => is_beyond(first),
        _ => false,
    }
}
