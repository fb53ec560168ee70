//! The verdicts of one look (recipe, steps 10 to 12).

use serde::{Deserialize, Serialize};

use crate::design::LaneTerm;
use crate::equivalence::is_equivalent;
use crate::error::StatsError;
use crate::evidence::{Critical, Evidence, Suite};
use crate::fit::Fit;
use crate::interval::Interval;
use crate::look::{Budget, Rule};
use crate::looks::Looks;
use crate::observation::WorkloadData;
use crate::price::Market;
use crate::suite::Precision;

/// What is proved about the first of two contenders against the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// The first is better.
    Better,
    /// The first is worse.
    Worse,
    /// The difference is inside the margin.
    Equivalent,
    /// Nothing is proved.
    Undecided,
}

/// One pair of contenders at one look.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairDecision {
    /// Index of the first contender, below `b`.
    pub a: usize,
    /// Index of the second contender.
    pub b: usize,
    /// The logarithm of the ratio of a over b, positive where a is better; `None` without any round.
    pub estimate: Option<f64>,
    /// How well the estimate is known; `None` while nothing is known about noise.
    pub precision: Option<Precision>,
    /// The interval of this pair alone, looked at once, at 1 − α; `None` while nothing is known about noise.
    pub pointwise: Option<Interval>,
    /// The interval that holds for all pairs, workloads and looks together; `None` before the first look. It proves a
    /// winner where it excludes 0; equivalence is proved by its own test.
    pub decision: Option<Interval>,
    /// The verdict of this look alone; [`crate::Verdicts`] remembers the earlier ones.
    pub verdict: Decision,
    /// Number of rounds behind it.
    pub rounds: u32,
    /// For an undecided pair: the number of rounds, in all, that would probably settle it; `None` where it would be
    /// more than [`crate::PRICE_LIMIT`], or where nothing is known about noise.
    pub needs_rounds: Option<u32>,
}

/// One workload at one look.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadDecision {
    /// Number of rounds of this workload.
    pub rounds: u32,
    /// Whether the lanes' effect was taken out.
    pub lane_term: LaneTerm,
    /// All unordered pairs, once each, in the order (0, 1), (0, 2), … (1, 2), …
    pub pairs: Vec<PairDecision>,
}

/// Looks once at all workloads of a run and decides each pair, without memory of earlier looks.
///
/// The error budget is shared over all pairs of all workloads given: give every workload of the run each time, also
/// those that are already decided and those without data.
///
/// # Errors
/// [`StatsError`] where the rule or the data is malformed.
pub fn decide(rule: &Rule, workloads: &[WorkloadData]) -> Result<Vec<WorkloadDecision>, StatsError> {
    Ok(Looks::at_the_end(rule, workloads)?.all(Pricing::Priced))
}

/// Whether undecided pairs get a price, which costs most of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pricing {
    /// They do.
    Priced,
    /// They do not.
    Unpriced,
}

/// One workload at one look, with all that it takes to decide its pairs.
pub(crate) struct View<'a> {
    /// The workload's fit.
    pub(crate) fit: &'a Fit,
    /// What the suite says about noise.
    pub(crate) suite: &'a Suite,
    /// The error budget.
    pub(crate) budget: Budget,
}

impl View<'_> {
    /// Decides all pairs of the workload.
    pub(crate) fn decision(&self, pricing: Pricing) -> WorkloadDecision {
        let critical = Critical::new(self.fit, self.suite, &self.budget);
        let design = &self.fit.design;
        let pairs = design.pairs().map(|(a, b)| self.pair(a, b, critical.as_ref(), pricing));
        WorkloadDecision { rounds: self.rounds(), lane_term: design.lane_term, pairs: pairs.collect() }
    }

    fn rounds(&self) -> u32 {
        u32::try_from(self.fit.design.rounds).expect("rounds are labelled with a u32")
    }

    fn pair(&self, a: usize, b: usize, critical: Option<&Critical>, pricing: Pricing) -> PairDecision {
        let known = critical.and_then(|critical| Some((Evidence::new(self.fit, self.suite, a, b)?, critical)));
        let verdict = known.and_then(|(evidence, critical)| self.verdict(&evidence, critical));
        let verdict = verdict.unwrap_or(Decision::Undecided);
        let wanted = pricing == Pricing::Priced && verdict == Decision::Undecided;
        PairDecision {
            a,
            b,
            estimate: (self.fit.design.rounds > 0).then(|| self.fit.estimate(a, b)),
            precision: known.map(|(evidence, _)| evidence.precision()),
            pointwise: known.map(|(evidence, critical)| evidence.interval(critical.pointwise)),
            decision: known.and_then(|(evidence, critical)| Some(evidence.interval(critical.decision?))),
            verdict,
            rounds: self.rounds(),
            needs_rounds: known.filter(|_| wanted).and_then(|(evidence, _)| self.market().price(&evidence)),
        }
    }

    /// Equivalence takes precedence over a winner; `None` before the first look.
    fn verdict(&self, evidence: &Evidence, critical: &Critical) -> Option<Decision> {
        if is_equivalent(evidence, self.budget.rule.margin_ln(), critical.equivalence?) {
            return Some(Decision::Equivalent);
        }
        let interval = evidence.interval(critical.decision?);
        Some(match (interval.low > 0.0, interval.high < 0.0) {
            (true, _) => Decision::Better,
            (_, true) => Decision::Worse,
            _ => Decision::Undecided,
        })
    }

    fn market(&self) -> Market {
        Market {
            budget: self.budget,
            guard: self.suite.guard,
            rounds: self.rounds(),
            spent_freedom: if self.fit.design.lane_term == LaneTerm::Fitted { 2 } else { 1 },
            borrows_from_suite: self.suite.typical(self.fit).is_some(),
        }
    }
}
