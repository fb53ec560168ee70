//! What came out of the simulated runs.

use super::Run;
use super::scenario::Scenario;
use crate::decide::Decision;
use crate::look::Rule;
use crate::verdicts::{StandingPair, Steadiness};

/// How many of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Cases that meet the condition.
    pub hits: u32,
    /// Cases looked at.
    pub of: u32,
}

impl Share {
    /// The fraction, in [0, 1]; `None` without cases.
    #[must_use]
    pub fn fraction(&self) -> Option<f64> {
        (self.of > 0).then(|| f64::from(self.hits) / f64::from(self.of))
    }

    fn count(&mut self, is_hit: bool) {
        self.hits += u32::from(is_hit);
        self.of += 1;
    }
}

/// The counts over all runs of a simulation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tally {
    /// Runs with at least one pair whose winner is not truly the better one.
    pub runs_with_false_winner: Share,
    /// Runs in which every decision interval of every look held the truth.
    pub runs_covered: Share,
    /// Pairs with any verdict.
    pub decided: Share,
    /// Truly different pairs whose winner was found.
    pub found: Share,
    /// Truly equal pairs that were found equivalent.
    pub equal_found: Share,
    /// Pairs truly at or beyond the margin that were called equivalent.
    pub false_equivalent: Share,
    /// Pairs whose pointwise interval, when the workload stopped, held the truth.
    pub pointwise_covered: Share,
    /// Pairs whose verdict was contradicted later.
    pub unsteady: Share,
    /// For each truly different pair whose winner was found: the rounds that it took.
    pub rounds_to_find: Vec<u32>,
    /// For each truly equal pair that was found equivalent: the rounds that it took.
    pub rounds_to_equal: Vec<u32>,
}

impl Tally {
    /// The median number of rounds until a true winner was found; the upper one of the middle two.
    #[must_use]
    pub fn median_rounds_to_find(&self) -> Option<u32> {
        median(&self.rounds_to_find)
    }

    /// The median number of rounds until equality was found, likewise.
    #[must_use]
    pub fn median_rounds_to_equal(&self) -> Option<u32> {
        median(&self.rounds_to_equal)
    }

    pub(super) fn count(&mut self, scenario: &Scenario, rule: &Rule, run: &Run) {
        let mut has_false_winner = false;
        for pair in run.verdicts.workloads().iter().flat_map(|workload| &workload.pairs) {
            let truth = scenario.truth(pair.latest.a, pair.latest.b);
            has_false_winner |= is_false_winner(pair.verdict(), truth);
            self.count_pair(pair, truth, rule.margin_ln());
        }
        self.runs_with_false_winner.count(has_false_winner);
        self.runs_covered.count(run.is_family_covered);
    }

    fn count_pair(&mut self, pair: &StandingPair, truth: f64, margin: f64) {
        let is_equivalent = pair.verdict() == Decision::Equivalent;
        self.decided.count(pair.decided.is_some());
        self.unsteady.count(pair.steadiness == Steadiness::Unsteady);
        if truth == 0.0 {
            self.equal_found.count(is_equivalent);
        } else {
            self.found.count(is_true_winner(pair.verdict(), truth));
        }
        if truth.abs() >= margin {
            self.false_equivalent.count(is_equivalent);
        }
        if let Some(interval) = pair.latest.pointwise {
            self.pointwise_covered.count(interval.contains(truth));
        }
        self.note_rounds(pair, truth);
    }

    fn note_rounds(&mut self, pair: &StandingPair, truth: f64) {
        let Some(decided) = pair.decided else {
            return;
        };
        if is_true_winner(decided.verdict, truth) {
            self.rounds_to_find.push(decided.rounds);
        } else if truth == 0.0 && decided.verdict == Decision::Equivalent {
            self.rounds_to_equal.push(decided.rounds);
        }
    }
}

fn is_true_winner(verdict: Decision, truth: f64) -> bool {
    match verdict {
        Decision::Better => truth > 0.0,
        Decision::Worse => truth < 0.0,
        Decision::Equivalent | Decision::Undecided => false,
    }
}

fn is_false_winner(verdict: Decision, truth: f64) -> bool {
    matches!(verdict, Decision::Better | Decision::Worse) && !is_true_winner(verdict, truth)
}

fn median(rounds: &[u32]) -> Option<u32> {
    let mut sorted = rounds.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}
