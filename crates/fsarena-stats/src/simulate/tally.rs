//! What came out of the simulated runs.

use super::play::{Call, Run};
use super::scenario::Scenario;
use super::share::{Histogram, Share};
use crate::decide::{Decision, PairDecision};
use crate::interval::Interval;
use crate::look::Rule;
use crate::suite::SuiteRatio;

/// The counts over all runs of a simulation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tally {
    /// Runs with at least one pair whose winner is not truly the better one.
    pub runs_with_false_winner: Share,
    /// Runs in which the decision interval of every pair, at the look at which it was decided or else at the last one,
    /// held the truth.
    pub runs_covered: Share,
    /// Runs in which every decision interval of every look held the truth.
    pub runs_always_covered: Share,
    /// Pairs whose winner is not truly the better one.
    pub false_winner: Share,
    /// Truly different pairs whose winner was found.
    pub found: Share,
    /// Pairs that were called equivalent.
    pub equivalent: Share,
    /// Pairs without a verdict.
    pub undecided: Share,
    /// Pairs truly at or beyond the margin that were called equivalent.
    pub false_equivalent: Share,
    /// Pairs whose pointwise interval, at the look at which they were decided or else at the last one, held the truth.
    pub pointwise_covered: Share,
    /// Runs in which the interval of the geometric mean over the suite, of the first contender against the second, held the
    /// truth when the run was over.
    pub suite_covered: Share,
    /// Pairs whose verdict was contradicted later.
    pub unsteady: Share,
    /// For each truly different pair whose winner was found: the rounds that it took.
    pub rounds_to_find: Histogram,
    /// For each pair that was found equivalent: the rounds that it took.
    pub rounds_to_equal: Histogram,
}

impl Tally {
    /// Truly different pairs whose winner was found by that round.
    #[must_use]
    pub fn found_by(&self, rounds: u32) -> Share {
        Share { hits: self.rounds_to_find.at_most(rounds), of: self.found.of }
    }

    /// Adds the counts of other runs.
    pub fn add(&mut self, other: &Self) {
        self.runs_with_false_winner.add(other.runs_with_false_winner);
        self.runs_covered.add(other.runs_covered);
        self.runs_always_covered.add(other.runs_always_covered);
        self.false_winner.add(other.false_winner);
        self.found.add(other.found);
        self.equivalent.add(other.equivalent);
        self.undecided.add(other.undecided);
        self.false_equivalent.add(other.false_equivalent);
        self.pointwise_covered.add(other.pointwise_covered);
        self.suite_covered.add(other.suite_covered);
        self.unsteady.add(other.unsteady);
        self.rounds_to_find.add(&other.rounds_to_find);
        self.rounds_to_equal.add(&other.rounds_to_equal);
    }

    pub(super) fn count(&mut self, scenario: &Scenario, rule: &Rule, run: &Run) {
        let truth = |look: &PairDecision| scenario.truth(look.a, look.b);
        for call in &run.calls {
            self.unsteady.count(call.is_unsteady);
            self.count_pair(&call.look, truth(&call.look), rule.margin_ln());
        }
        let is_wrong = |call: &Call| is_false_winner(call.look.verdict, truth(&call.look));
        let is_covered = |call: &Call| holds(call.look.decision, truth(&call.look));
        self.runs_with_false_winner.count(run.calls.iter().any(is_wrong));
        self.runs_covered.count(run.calls.iter().all(is_covered));
        self.runs_always_covered.count(run.was_always_covered);
        self.count_suite(scenario, rule, run);
    }

    /// The suite's ratio of the first two contenders stands for all pairs.
    fn count_suite(&mut self, scenario: &Scenario, rule: &Rule, run: &Run) {
        let first = run.calls.iter().map(|call| call.latest).filter(|look| (look.a, look.b) == (0, 1));
        if let Some(ratio) = SuiteRatio::new(&first.collect::<Vec<_>>()) {
            self.suite_covered.count(ratio.interval(rule.alpha).contains(scenario.truth(0, 1)));
        }
    }

    fn count_pair(&mut self, look: &PairDecision, truth: f64, margin: f64) {
        let is_equivalent = look.verdict == Decision::Equivalent;
        self.false_winner.count(is_false_winner(look.verdict, truth));
        self.equivalent.count(is_equivalent);
        self.undecided.count(look.verdict == Decision::Undecided);
        if truth != 0.0 {
            self.found.count(is_true_winner(look.verdict, truth));
        }
        if truth.abs() >= margin {
            self.false_equivalent.count(is_equivalent);
        }
        if look.pointwise.is_some() {
            self.pointwise_covered.count(holds(look.pointwise, truth));
        }
        if is_true_winner(look.verdict, truth) {
            self.rounds_to_find.count(look.rounds);
        } else if is_equivalent {
            self.rounds_to_equal.count(look.rounds);
        }
    }
}

fn holds(interval: Option<Interval>, truth: f64) -> bool {
    interval.is_none_or(|interval| interval.contains(truth))
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
