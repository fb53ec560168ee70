//! The decision rule: which pairs of contenders differ, which are equivalent, and what the run could have found.
//!
//! Guarantee: at most `alpha` of all runs contain a pair that is wrongly called faster or slower, over all pairs,
//! workloads and looks together. The steps, one file each:
//!
//! | step | file |
//! |---|---|
//! | reduce each round to one robust paired difference per pair | `decision/data.rs` |
//! | moderate the variances of all pairs of the run | `decision/variance.rs` |
//! | share the error budget over looks (O'Brien–Fleming) and pairs (Holm, Shaffer) | `decision/budget.rs` |
//! | find what the run could have found, and what more rounds would decide | `decision/outlook.rs` |
//!
//! All values are natural logarithms; larger is better. `docs/statistics.md` has the formulas and the simulations.

mod budget;
mod data;
mod outlook;
mod variance;

use std::cell::RefCell;

use serde::Deserialize;

pub(crate) use budget::Looks;
pub use data::{Reduced, Round, Sweep, Workload, pairs};
pub use outlook::Outlook;
pub use variance::no_better_than_typical;
pub(crate) use variance::{Moderated, moderate};

use crate::interval::{Interval, LogEstimate, POINTWISE_TAIL, Precision};
use crate::quantile::{reach, student_upper};
use budget::most_true_nulls;
use data::Sample;

/// Fewer rounds than this prove nothing: two can agree by chance.
pub const FEWEST_ROUNDS: usize = 3;

/// The error rates that the verdicts keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// The largest probability that a run contains a wrong `Faster` or `Slower`; in (0, .5).
    pub alpha: f64,
    /// The relative difference below which two contenders are equivalent: .05 means ±ln(1.05); positive.
    pub margin: f64,
    /// The largest probability that a pair which differs by the margin or more is called `Equivalent`; in (0, .5).
    pub wrong_equivalence: f64,
}

impl Default for Rule {
    fn default() -> Self {
        Self { alpha: 0.05, margin: 0.05, wrong_equivalence: 0.01 }
    }
}

/// What is proved about the first contender of a pair relative to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The first is faster.
    Faster,
    /// The first is slower.
    Slower,
    /// The difference is smaller than the margin.
    Equivalent,
    /// Nothing is proved.
    Undecided,
}

/// One pair of contenders of one workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Index of the first contender, below `b`.
    pub a: usize,
    /// Index of the second contender.
    pub b: usize,
    /// Number of rounds in which both were measured in the same sweep.
    pub rounds: u32,
    /// The logarithm of the ratio a / b; `None` without a round.
    pub estimate: Option<f64>,
    /// The standard error of the estimate and its degrees of freedom; `None` below two rounds.
    pub precision: Option<Precision>,
    /// The 95 % interval of this pair alone, looked at once.
    pub pointwise: Option<Interval>,
    /// The interval that decides: it excludes 0 exactly where this look proves a difference.
    pub decision: Option<Interval>,
    /// The verdict of the run: the first one that was reached, kept at later looks.
    pub verdict: Verdict,
    /// The verdict of this look alone. Where it contradicts `verdict`, the machine or the contender has changed.
    pub latest: Verdict,
    /// For an undecided pair: the direction in which the pointwise interval excludes 0. Not a verdict.
    pub leaning: Option<Verdict>,
    /// What the run could have found and what more rounds would decide; `None` below two rounds.
    pub outlook: Option<Outlook>,
}

impl Pair {
    /// The estimate with its precision; `None` below two rounds.
    pub fn known(&self) -> Option<LogEstimate> {
        Some(LogEstimate { estimate: self.estimate?, precision: self.precision? })
    }
}

/// Judges a run look by look and remembers the verdicts.
#[derive(Debug, Clone)]
pub struct Judge {
    rule: Rule,
    /// The verdict of each pair, by workload, in the order of [`pairs`].
    verdicts: Vec<Vec<Verdict>>,
}

impl Judge {
    /// Starts a run without verdicts.
    pub fn new(rule: Rule) -> Self {
        Self { rule, verdicts: Vec::new() }
    }

    /// Looks at the run after some rounds. `workloads` holds all data so far of all workloads of the run, in the same
    /// order at each look, also those that are decided or have no data: the error budget is shared over their pairs.
    /// `progress`, above 0, is the share of the planned budget (time or rounds) that is used up: 1 at the planned end,
    /// more than 1 for rounds that are added later. It must not depend on the measured values.
    ///
    /// Returns the pairs of each workload, in the order of [`pairs`].
    pub fn look(&mut self, workloads: &[Workload], progress: f64) -> Vec<Vec<Pair>> {
        let reduced: Vec<Reduced> = workloads.iter().map(Reduced::new).collect();
        self.look_at(&reduced.iter().collect::<Vec<_>>(), usize::MAX, progress)
    }

    /// Looks at the first `rounds` rounds of data that was reduced once.
    pub fn look_at(&mut self, workloads: &[&Reduced], rounds: usize, progress: f64) -> Vec<Vec<Pair>> {
        let samples: Vec<Vec<Sample>> = workloads.iter().map(|workload| workload.samples(rounds)).collect();
        let rounds = samples.iter().flatten().map(|sample| sample.rounds).max().unwrap_or(0);
        let looks = Looks::at(progress, rounds);
        let tests = variance::moderate(&samples);
        self.verdicts.resize(workloads.len(), Vec::new());
        for (verdicts, workload) in self.verdicts.iter_mut().zip(workloads) {
            verdicts.resize(workload.pairs(), Verdict::Undecided);
        }
        let level = self.step_down(workloads, &tests, &looks);
        let view = View::new(self.rule, &looks, level);
        let rows = samples.iter().zip(&tests).zip(&mut self.verdicts);
        rows.map(|((samples, tests), verdicts)| view.workload(samples, tests, verdicts)).collect()
    }

    /// Holm's procedure (1979) with Shaffer's logical restrictions (1986): tests the pairs from the smallest p value
    /// on, each at α divided by the number of pairs that can still be equal. Returns the level of the last step.
    fn step_down(&self, workloads: &[&Reduced], tests: &[Vec<Option<Moderated>>], looks: &Looks) -> f64 {
        let count = |verdicts: &Vec<Verdict>| verdicts.iter().filter(|verdict| is_difference(**verdict)).count();
        let mut differing: Vec<usize> = self.verdicts.iter().map(count).collect();
        let level = |differing: &[usize]| {
            let nulls =
                workloads.iter().zip(differing).map(|(workload, &count)| most_true_nulls(workload.contenders, count));
            self.rule.alpha / nulls.sum::<usize>().max(1) as f64
        };
        let mut open: Vec<(f64, usize)> = Vec::new();
        for (workload, (tests, verdicts)) in tests.iter().zip(&self.verdicts).enumerate() {
            let tested = tests.iter().zip(verdicts).filter(|(_, verdict)| !is_difference(**verdict));
            let ready = tested.filter_map(|(test, _)| test.as_ref().filter(|test| test.is_ready()));
            open.extend(ready.map(|test| (test.tail(), workload)));
        }
        open.sort_by(|left, right| left.0.total_cmp(&right.0));
        for (tail, workload) in open {
            if tail > looks.difference_tail(level(&differing)) {
                break;
            }
            differing[workload] += 1;
        }
        level(&differing)
    }
}

fn is_difference(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Faster | Verdict::Slower)
}

/// One look with the level at which each pair is judged.
struct View {
    rule: Rule,
    /// The error rate that each remaining pair may spend over all looks.
    level: f64,
    difference_tail: f64,
    equivalence_tail: f64,
    /// Student's quantiles by degrees of freedom; a run has only few values of these.
    critical: RefCell<Vec<(f64, Critical)>>,
}

/// The half-widths of a pair's intervals in standard errors.
#[derive(Debug, Clone, Copy)]
struct Critical {
    pointwise: f64,
    difference: f64,
    equivalence: f64,
    detectable: f64,
}

impl View {
    fn new(rule: Rule, looks: &Looks, level: f64) -> Self {
        Self {
            rule,
            level,
            difference_tail: looks.difference_tail(level),
            equivalence_tail: looks.tail(rule.wrong_equivalence),
            critical: RefCell::default(),
        }
    }

    fn critical(&self, freedom: f64) -> Critical {
        let mut known = self.critical.borrow_mut();
        if let Some((_, critical)) = known.iter().find(|(other, _)| *other == freedom) {
            return *critical;
        }
        let critical = Critical {
            pointwise: student_upper(freedom, POINTWISE_TAIL),
            difference: student_upper(freedom, self.difference_tail),
            equivalence: student_upper(freedom, self.equivalence_tail),
            detectable: reach(freedom, self.difference_tail),
        };
        known.push((freedom, critical));
        critical
    }

    fn workload(&self, samples: &[Sample], tests: &[Option<Moderated>], verdicts: &mut [Verdict]) -> Vec<Pair> {
        let rows = samples.iter().zip(tests).zip(verdicts);
        rows.map(|((sample, test), verdict)| self.pair(sample, test.as_ref(), verdict)).collect()
    }

    fn pair(&self, sample: &Sample, test: Option<&Moderated>, verdict: &mut Verdict) -> Pair {
        let known = test.map(|test| (test, self.critical(test.known.precision.freedom)));
        let ready = known.filter(|(test, _)| test.is_ready());
        let pointwise = known.map(|(test, critical)| test.interval(critical.pointwise));
        let latest = ready.map_or(Verdict::Undecided, |(test, critical)| self.verdict(test, critical));
        if *verdict == Verdict::Undecided {
            *verdict = latest;
        }
        let is_open = *verdict == Verdict::Undecided;
        let leaning = pointwise.map(|interval| interval.direction());
        let outlook = |(test, critical): (&Moderated, Critical)| {
            Outlook::new(test, &self.rule, self.level, critical.detectable * test.known.precision.error)
        };
        Pair {
            a: sample.a,
            b: sample.b,
            rounds: sample.rounds as u32,
            estimate: (sample.rounds > 0).then_some(sample.mean),
            precision: test.map(|test| test.known.precision),
            pointwise,
            decision: ready.map(|(test, critical)| test.interval(critical.difference)),
            verdict: *verdict,
            latest,
            leaning: leaning.filter(|side| is_open && *side != Verdict::Undecided),
            outlook: known.map(outlook),
        }
    }

    /// Equivalence takes precedence: a proved difference smaller than the margin has no winner. Two one-sided tests
    /// (Schuirmann 1987), each at the level of one pair.
    fn verdict(&self, test: &Moderated, critical: Critical) -> Verdict {
        match test.interval(critical.equivalence).is_within(self.rule.margin.ln_1p()) {
            true => Verdict::Equivalent,
            false => test.interval(critical.difference).direction(),
        }
    }
}

impl Moderated {
    fn is_ready(&self) -> bool {
        self.rounds >= FEWEST_ROUNDS && self.may_decide
    }

    fn interval(&self, half_width: f64) -> Interval {
        Interval::around(self.known.estimate, half_width * self.known.precision.error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of three contenders, one decided pair leaves one pair that can still be equal, because a third contender that
    /// equals both is then impossible (Shaffer 1986). Without a decided pair there are three.
    #[test]
    fn a_decided_pair_leaves_the_others_a_larger_level() {
        let workload = Workload { contenders: 3, rounds: Vec::new() };
        let reduced = Reduced::new(&workload);
        let level = |verdicts: [Verdict; 3]| {
            let judge = Judge { rule: Rule::default(), verdicts: vec![verdicts.to_vec()] };
            let looks = Looks::at(1.0, 3);
            judge.step_down(&[&reduced], &[vec![None, None, None]], &looks)
        };
        let alpha = Rule::default().alpha;
        assert_eq!(level([Verdict::Undecided; 3]), alpha / 3.0);
        for decided in [Verdict::Faster, Verdict::Slower] {
            assert_eq!(level([Verdict::Undecided, decided, Verdict::Undecided]), alpha);
        }
        assert_eq!(level([Verdict::Equivalent, Verdict::Undecided, Verdict::Undecided]), alpha / 3.0);
    }

    /// Equal slices give an interval of width 0 at 0: no winner.
    #[test]
    fn an_interval_that_ends_at_0_has_no_winner() {
        let direction = |low, high| Interval { low, high }.direction();
        assert_eq!([direction(0.0, 1.0), direction(-1.0, 0.0), direction(0.0, 0.0)], [Verdict::Undecided; 3]);
        assert_eq!([direction(1e-9, 1.0), direction(-1.0, -1e-9)], [Verdict::Faster, Verdict::Slower]);
    }
}
