//! The verdicts of one look (recipe, steps 10 to 12).

use serde::{Deserialize, Serialize};

use crate::equivalence::is_equivalent;
use crate::error::StatsError;
use crate::evidence::{Evidence, Suite};
use crate::fit::{Fit, LaneTerm};
use crate::interval::Interval;
use crate::look::{Budget, Rule};
use crate::observation::{Sheet, WorkloadData};
use crate::price::Market;
use crate::variance::PRIOR;

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
    Ok(look(rule, workloads)?.iter().map(|view| view.decision(Pricing::Priced)).collect())
}

/// As [`decide`], without prices, which cost most of the time.
pub(crate) fn decide_unpriced(rule: &Rule, workloads: &[WorkloadData]) -> Result<Vec<WorkloadDecision>, StatsError> {
    Ok(look(rule, workloads)?.iter().map(|view| view.decision(Pricing::Unpriced)).collect())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pricing {
    Priced,
    Unpriced,
}

/// One workload with all that it takes to decide its pairs.
struct View {
    fit: Fit,
    suite: Suite,
    budget: Budget,
}

fn look(rule: &Rule, workloads: &[WorkloadData]) -> Result<Vec<View>, StatsError> {
    rule.check()?;
    let sheets = workloads.iter().enumerate().map(|(index, data)| Sheet::new(index, data));
    let fits: Vec<Fit> = sheets.map(|sheet| Ok(Fit::new(&sheet?))).collect::<Result<_, StatsError>>()?;
    let suite = Suite::of(&fits);
    let family = fits.iter().map(|fit| fit.pairs().count()).sum();
    let view = |fit: Fit| {
        let budget = Budget { rule: *rule, contenders: fit.contenders(), family };
        View { fit, suite, budget }
    };
    Ok(fits.into_iter().map(view).collect())
}

impl View {
    fn decision(&self, pricing: Pricing) -> WorkloadDecision {
        let pairs = self.fit.pairs().map(|(a, b)| self.pair(a, b, pricing));
        WorkloadDecision { rounds: self.rounds(), lane_term: self.fit.lane_term, pairs: pairs.collect() }
    }

    fn rounds(&self) -> u32 {
        u32::try_from(self.fit.rounds).expect("rounds are labelled with a u32")
    }

    fn pair(&self, a: usize, b: usize, pricing: Pricing) -> PairDecision {
        let evidence = Evidence::new(&self.fit, &self.suite, a, b);
        let verdict = evidence.and_then(|evidence| self.verdict(&evidence)).unwrap_or(Decision::Undecided);
        let wanted = pricing == Pricing::Priced && verdict == Decision::Undecided;
        PairDecision {
            a,
            b,
            estimate: (self.fit.rounds > 0).then(|| self.fit.estimate(a, b)),
            pointwise: evidence.map(|evidence| evidence.interval(self.budget.pointwise_tail())),
            decision: evidence.and_then(|evidence| self.decision_interval(&evidence)),
            verdict,
            rounds: self.rounds(),
            needs_rounds: evidence.filter(|_| wanted).and_then(|evidence| self.market().price(&evidence)),
        }
    }

    fn decision_interval(&self, evidence: &Evidence) -> Option<Interval> {
        Some(evidence.interval(self.budget.decision_tail(self.rounds())?))
    }

    /// Equivalence takes precedence over a winner; `None` before the first look.
    fn verdict(&self, evidence: &Evidence) -> Option<Decision> {
        let tail = self.budget.equivalence_tail(self.rounds())?;
        if is_equivalent(evidence, self.budget.rule.margin_ln(), tail) {
            return Some(Decision::Equivalent);
        }
        let interval = self.decision_interval(evidence)?;
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
            spent_freedom: if self.fit.lane_term == LaneTerm::Fitted { 2 } else { 1 },
            prior_freedom: self.suite.typical.map_or(0.0, |_| PRIOR),
        }
    }
}
