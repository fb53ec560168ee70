//! What would settle an undecided pair: the price in rounds (recipe, step 13).
//!
//! The recipe names the price of a winner; a pair whose difference is inside the margin can also be settled by
//! equivalence, so the price is that of the cheaper outcome. Both are computed from the 80 % upper bound of the
//! variance, as if the rounds to come were whole Latin squares and the estimate stayed where it is.

use crate::evidence::Evidence;
use crate::guard::Guard;
use crate::look::Budget;
use crate::quantile::{chi_squared_lower, student_upper};
use crate::variance::{Variance, borrowing, prior};

/// The largest price that is named, in rounds; a dearer pair has none.
pub const PRICE_LIMIT: u32 = 1000;
/// The chance that the true variance lies above the bound that is used.
const DOUBT: f64 = 0.2;
/// Rounds beyond the planned last look within which the falling look weights may make a later round dearer.
const UNEVEN: u32 = 10;

/// What the price of a pair depends on besides its evidence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Market {
    /// The error budget of the workload.
    pub(crate) budget: Budget,
    /// The dependence between rounds.
    pub(crate) guard: Guard,
    /// Rounds had so far.
    pub(crate) rounds: u32,
    /// Degrees of freedom per pair that are not the rounds': 1 for the mean, 1 more for lanes.
    pub(crate) spent_freedom: u32,
    /// Whether the suite has a typical variance, which adds degrees of freedom.
    pub(crate) borrows_from_suite: bool,
}

impl Market {
    /// The smallest number of rounds that would settle the pair, `None` beyond [`PRICE_LIMIT`].
    pub(crate) fn price(&self, evidence: &Evidence) -> Option<u32> {
        let difference = upper_bound(evidence.difference);
        let equivalence = upper_bound(evidence.equivalence);
        let margin = self.budget.rule.margin_ln();
        self.first_round(|rounds| {
            let estimate = evidence.estimate.abs();
            self.decision_width(difference, rounds).is_some_and(|width| width < estimate)
                || self.equivalence_width(equivalence, rounds).is_some_and(|width| width < margin - estimate)
        })
    }

    fn decision_width(&self, square: f64, rounds: u32) -> Option<f64> {
        let prior = if self.borrows_from_suite { prior(self.pooled_freedom(rounds)) } else { 0.0 };
        let freedom = self.freedom(rounds) + prior;
        self.width(square, freedom, rounds, self.budget.decision_tail(rounds)?)
    }

    fn equivalence_width(&self, square: f64, rounds: u32) -> Option<f64> {
        self.width(square, self.freedom(rounds), rounds, self.budget.equivalence_tail(rounds)?)
    }

    fn width(&self, square: f64, freedom: f64, rounds: u32, tail: f64) -> Option<f64> {
        let freedom = self.guard.remaining(freedom);
        (freedom > 0.0).then(|| student_upper(freedom, tail) * (square / f64::from(rounds)).sqrt())
    }

    /// The degrees of freedom of step 6 after that many rounds.
    fn freedom(&self, rounds: u32) -> f64 {
        borrowing(self.pooled_freedom(rounds), self.own_freedom(rounds))
    }

    fn pooled_freedom(&self, rounds: u32) -> f64 {
        self.own_freedom(rounds) * (self.budget.contenders - 1) as f64
    }

    fn own_freedom(&self, rounds: u32) -> f64 {
        f64::from(rounds.saturating_sub(self.spent_freedom))
    }

    /// Tries the uneven rounds one by one; from there on more rounds only help, so that halving finds the first.
    fn first_round(&self, settles: impl Fn(u32) -> bool) -> Option<u32> {
        let even = self.budget.rule.last_look.max(self.rounds).saturating_add(UNEVEN);
        if let Some(rounds) = (self.rounds + 1..=even).find(|&rounds| settles(rounds)) {
            return Some(rounds);
        }
        let (mut fails, mut holds) = (even, PRICE_LIMIT);
        if fails >= holds || !settles(holds) {
            return None;
        }
        while holds - fails > 1 {
            let middle = u32::midpoint(fails, holds);
            if settles(middle) { holds = middle } else { fails = middle }
        }
        Some(holds)
    }
}

fn upper_bound(variance: Variance) -> f64 {
    variance.square * variance.freedom / chi_squared_lower(variance.freedom, DOUBT)
}
