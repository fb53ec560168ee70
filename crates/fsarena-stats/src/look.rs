//! The rule, and how its error budget is spread over the looks and the pairs.

use serde::{Deserialize, Serialize};

use crate::error::StatsError;
use crate::part::Part;

/// The part of the error budget that is kept for rounds added after the planned last look.
const RESERVE: f64 = 0.1;

/// What counts as proof. The default is the project's: α = .05, margin 5 %, looks from round 4, planned to round 12.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// The chance, at most, of any false winner in the whole run, and of a false `Equivalent` per pair; in (0, .5).
    pub alpha: f64,
    /// The relative difference below which two contenders count as equivalent: .05 means ±ln(1.05); positive.
    pub margin: f64,
    /// The first round after which a verdict may fall, at least 2. With K contenders it is never before more than
    /// K/2 rounds, because lanes cannot be told from contenders earlier.
    pub first_look: u32,
    /// The last round for which the error budget is planned; later looks share the reserve.
    pub last_look: u32,
}

impl Default for Rule {
    fn default() -> Self {
        Self { alpha: 0.05, margin: 0.05, first_look: 4, last_look: 12 }
    }
}

impl Rule {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`StatsError::Rule`] names the first field that is out of range.
    pub fn check(&self) -> Result<(), StatsError> {
        let fail = |field, requirement| Err(StatsError::Rule { field, requirement });
        if !(self.alpha > 0.0 && self.alpha < 0.5) {
            return fail("alpha", "between 0 and .5, both excluded");
        }
        if !(self.margin > 0.0 && self.margin.is_finite()) {
            return fail("margin", "positive and finite");
        }
        if self.first_look < 2 {
            return fail("first_look", "at least 2");
        }
        if self.last_look < self.first_look {
            return fail("last_look", "not before first_look");
        }
        Ok(())
    }

    /// The first round after which a workload with that many contenders may be decided.
    #[must_use]
    pub fn first_look_of(&self, contenders: usize) -> u32 {
        let half = u32::try_from(contenders / 2).unwrap_or(u32::MAX - 1);
        self.first_look.max(half + 1)
    }

    /// The share of the error budget that the look after `rounds` rounds may spend: 0 before the first look, then
    /// flat up to the planned last one, then falling; all shares together are 1 (recipe, step 1).
    #[must_use]
    pub fn look_weight(&self, contenders: usize, rounds: u32) -> f64 {
        let first = self.first_look_of(contenders);
        let last = self.last_look.max(first);
        if rounds < first {
            0.0
        } else if rounds <= last {
            (1.0 - RESERVE) / f64::from(last - first + 1)
        } else {
            let beyond = f64::from(rounds - last);
            RESERVE / (beyond * (beyond + 1.0))
        }
    }

    /// The margin as a logarithm.
    pub(crate) fn margin_ln(&self) -> f64 {
        self.margin.ln_1p()
    }
}

/// The rule as it applies to one workload: it turns a number of rounds into tail probabilities.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// The rule of the run.
    pub(crate) rule: Rule,
    /// Number of contenders of the workload.
    pub(crate) contenders: usize,
    /// Number of pairs over all workloads, the m of the recipe.
    pub(crate) family: usize,
    /// The part of the rule that a simulation leaves out.
    pub(crate) without: Option<Part>,
}

impl Budget {
    /// The upper tail of the decision interval, `None` before the first look (recipe, step 10).
    pub(crate) fn decision_tail(&self, rounds: u32) -> Option<f64> {
        Some(self.spent(rounds)? / (2.0 * self.family as f64))
    }

    /// The tail of each of the two one-sided tests, `None` before the first look (recipe, step 11).
    pub(crate) fn equivalence_tail(&self, rounds: u32) -> Option<f64> {
        self.spent(rounds)
    }

    /// The upper tail of the pointwise interval: one pair, one look.
    pub(crate) fn pointwise_tail(&self) -> f64 {
        self.rule.alpha / 2.0
    }

    fn spent(&self, rounds: u32) -> Option<f64> {
        let weight = self.rule.look_weight(self.contenders, rounds);
        let weight = if self.without == Some(Part::LookWeights) { weight.ceil() } else { weight };
        (weight > 0.0).then_some(self.rule.alpha * weight)
    }
}
