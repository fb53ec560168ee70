//! What a run could have found, and what more rounds would decide.

use super::budget::Looks;
use super::variance::Moderated;
use super::{FEWEST_ROUNDS, Rule};
use crate::quantile::reach;

/// Maximum number of rounds that is forecast.
const MOST_ROUNDS: u32 = 1000;

/// A pair's noise, as seen at one look, applied to other numbers of rounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// The smallest difference (a logarithm) that this look would have decided with a probability of 80 %.
    pub detectable: f64,
    estimate: f64,
    margin: f64,
    /// The variance of a round's difference.
    variance: f64,
    /// Degrees of freedom from other pairs.
    prior: f64,
    /// The error rates of the pair.
    difference_level: f64,
    equivalence_level: f64,
}

impl Outlook {
    pub(super) fn new(test: &Moderated, rule: &Rule, level: f64, detectable: f64) -> Self {
        Self {
            detectable,
            estimate: test.known.estimate,
            margin: rule.margin.ln_1p(),
            variance: test.known.precision.error.powi(2) * test.rounds as f64,
            prior: test.prior,
            difference_level: level,
            equivalence_level: rule.wrong_equivalence,
        }
    }

    /// The smallest difference (a logarithm) that a run of that many rounds, at least two, would decide with a
    /// probability of 80 %.
    pub fn detectable_after(&self, rounds: u32) -> f64 {
        self.width(rounds, Looks::at(1.0, rounds as usize).difference_tail(self.difference_level))
    }

    /// If the estimate is right: the number of rounds, in all, of a run that would decide the pair with a probability
    /// of 80 %, as different or as equivalent; `None` beyond 1,000.
    pub fn needed_rounds(&self) -> Option<u32> {
        let size = self.estimate.abs();
        first(|rounds| {
            let equivalence_tail = Looks::at(1.0, rounds as usize).tail(self.equivalence_level);
            let is_different = self.detectable_after(rounds) <= size;
            is_different || size + self.width(rounds, equivalence_tail) <= self.margin
        })
    }

    /// The distance from a bound at which a test with that tail passes with a probability of 80 %.
    fn width(&self, rounds: u32, tail: f64) -> f64 {
        let rounds = f64::from(rounds.max(2));
        reach(self.prior + rounds - 1.0, tail) * (self.variance / rounds).sqrt()
    }
}

/// The first number of rounds that is enough, by bisection: more rounds only help.
fn first(is_enough: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut fails, mut holds) = (FEWEST_ROUNDS as u32 - 1, MOST_ROUNDS);
    if !is_enough(holds) {
        return None;
    }
    while holds - fails > 1 {
        let middle = u32::midpoint(fails, holds);
        if is_enough(middle) { holds = middle } else { fails = middle }
    }
    Some(holds)
}
