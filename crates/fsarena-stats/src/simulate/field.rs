//! The rules of the field: what benchmarks do today, on the same data.

use super::play::{Call, Run};
use super::scenario::Scenario;
use crate::decide::{Decision, PairDecision};
use crate::error::StatsError;
use crate::interval::Interval;
use crate::look::Rule;
use crate::observation::{Sheet, WorkloadData};
use crate::quantile::student_upper;

/// Rounds that every rule of the field begins with.
const FEWEST: usize = 3;
/// A contender's standard deviation below which no more rounds are run.
const STEADY: f64 = 0.025;
/// The difference that then makes a winner.
const VISIBLE: f64 = 0.01;

/// A rule that is in use. Each looks at one pair of one workload alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRule {
    /// Repeat from three rounds on until the standard deviation of both contenders is under 2.5 %; more than 1 % apart
    /// wins.
    DeviationBelow,
    /// Repeat from three rounds on until a paired t-test says p < α.
    UntilSignificant,
    /// Three rounds; who is apart by more than the bars of one standard deviation wins.
    ThreeBars,
}

/// What a rule says after some rounds: go on, or this verdict, with the interval it rests on if it has one.
struct Saying {
    verdict: Option<Decision>,
    interval: Option<Interval>,
}

/// Plays a whole run by a rule of the field.
pub(crate) fn play(
    name: FieldRule,
    rule: &Rule,
    scenario: &Scenario,
    world: &[WorkloadData],
) -> Result<Run, StatsError> {
    let mut calls = Vec::new();
    for (index, data) in world.iter().enumerate() {
        let sheet = Sheet::new(index, data)?;
        let last = scenario.rounds as usize;
        for a in 0..data.contenders {
            for b in a + 1..data.contenders {
                let rows = sheet.values.rows().take(last);
                let pairs: Vec<(f64, f64)> = rows.map(|row| (row[a], row[b])).collect();
                calls.push(name.call((a, b), &pairs, rule.alpha));
            }
        }
    }
    let covers = |look: &PairDecision| look.decision.is_none_or(|held| held.contains(scenario.truth(look.a, look.b)));
    let was_always_covered = calls.iter().all(|call| covers(&call.look));
    Ok(Run { calls, was_always_covered })
}

impl FieldRule {
    fn call(self, (a, b): (usize, usize), pairs: &[(f64, f64)], alpha: f64) -> Call {
        let looks = FEWEST..=pairs.len();
        let mut said = looks.map(|rounds| (rounds, self.says(&pairs[..rounds], alpha)));
        let fell = said.find(|(rounds, saying)| saying.verdict.is_some() || *rounds == pairs.len());
        let (rounds, saying) = fell.unwrap_or((pairs.len(), Saying { verdict: None, interval: None }));
        let look = PairDecision {
            a,
            b,
            estimate: None,
            precision: None,
            pointwise: saying.interval,
            decision: saying.interval,
            verdict: saying.verdict.unwrap_or(Decision::Undecided),
            rounds: rounds as u32,
            needs_rounds: None,
        };
        Call { look, latest: look, is_unsteady: false }
    }

    fn says(self, pairs: &[(f64, f64)], alpha: f64) -> Saying {
        match self {
            Self::DeviationBelow => until_steady(pairs),
            Self::UntilSignificant => until_significant(pairs, alpha),
            Self::ThreeBars => bars(pairs),
        }
    }
}

fn until_steady(pairs: &[(f64, f64)]) -> Saying {
    let ((left, left_deviation), (right, right_deviation)) = both(pairs);
    let is_steady = left_deviation < STEADY && right_deviation < STEADY;
    Saying { verdict: is_steady.then(|| winner(left - right, VISIBLE)), interval: None }
}

fn until_significant(pairs: &[(f64, f64)], alpha: f64) -> Saying {
    let count = pairs.len() as f64;
    let (mean, deviation) = moments(pairs.iter().map(|(left, right)| left - right));
    let width = student_upper(count - 1.0, alpha / 2.0) * deviation / count.sqrt();
    let verdict = (mean.abs() > width).then(|| winner(mean, width));
    Saying { verdict, interval: Some(Interval::around(mean, width)) }
}

fn bars(pairs: &[(f64, f64)]) -> Saying {
    let ((left, left_deviation), (right, right_deviation)) = both(pairs);
    Saying { verdict: Some(winner(left - right, left_deviation + right_deviation)), interval: None }
}

fn winner(difference: f64, limit: f64) -> Decision {
    match difference {
        _ if difference > limit => Decision::Better,
        _ if difference < -limit => Decision::Worse,
        _ => Decision::Undecided,
    }
}

fn both(pairs: &[(f64, f64)]) -> ((f64, f64), (f64, f64)) {
    (moments(pairs.iter().map(|pair| pair.0)), moments(pairs.iter().map(|pair| pair.1)))
}

/// Mean and standard deviation.
fn moments(values: impl ExactSizeIterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let square = values.map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, square.sqrt())
}
