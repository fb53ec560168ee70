//! Calibration of the decision rule: false winners in runs of identical contenders, and detection in runs with a known
//! slowdown.

use fsarena_model::{RunRecord, Share, Verdict};
use fsarena_stats::upper_median;
use serde::Serialize;

use crate::looks::{Pair, standing};
use crate::verdicts::LEAST;

/// How often runs of identical contenders give a winner, and how often a slowdown is detected.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Number of runs of identical contenders in which a pair could get a verdict.
    pub runs: usize,
    /// Number of these runs in which at least one pair has a winner.
    pub runs_with_a_winner: usize,
    /// One row for each workload, in the suite's order.
    pub rows: Vec<Row>,
}

/// The calibration of one workload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The workload's name.
    pub workload: String,
    /// Runs of identical contenders in which the pair could get a verdict.
    pub equal: usize,
    /// Of these: runs with a winner (a false one).
    pub winners: usize,
    /// Of these: runs with the verdict `equivalent` (the correct one).
    pub equivalent: usize,
    /// Runs with a slowdown in which the pair could get a verdict.
    pub slowed: usize,
    /// Of these: runs with the verdict that the slowed contender is slower.
    pub found: usize,
    /// The standard deviation of the pair's ratio between rounds, as the decision rule estimates it; the median over
    /// runs.
    pub deviation: Option<Share>,
    /// The smallest difference that such a run decides with a probability of 80 %; the median over runs.
    pub finds_from: Option<Share>,
}

/// Evaluates runs of two contenders each. In `slowed`, the second contender has the slowdown.
pub fn calibration(equal: &[RunRecord], slowed: &[RunRecord]) -> Calibration {
    let plan = equal.iter().chain(slowed).map(|record| &record.plan).next();
    let workloads = plan.into_iter().flat_map(|plan| &plan.workloads);
    let names: Vec<String> = workloads.map(|workload| workload.name.to_string()).collect();
    let (equals, others) = (pairs(equal), pairs(slowed));
    let row = |(index, name): (usize, &String)| {
        let own = |runs: &[Vec<Option<Pair>>]| runs.iter().filter_map(|run| run[index]).collect::<Vec<Pair>>();
        let (equal, slowed) = (own(&equals), own(&others));
        let count =
            |pairs: &[Pair], wanted: &[Verdict]| pairs.iter().filter(|pair| wanted.contains(&pair.verdict())).count();
        Row {
            workload: name.clone(),
            equal: equal.len(),
            winners: count(&equal, &[Verdict::Faster, Verdict::Slower]),
            equivalent: count(&equal, &[Verdict::Equivalent]),
            slowed: slowed.len(),
            found: count(&slowed, &[Verdict::Faster]),
            deviation: upper_median(equal.iter().chain(&slowed).filter_map(deviation)).map(Share),
            finds_from: upper_median(equal.iter().chain(&slowed).filter_map(finds_from)).map(Share),
        }
    };
    let is_winner = |pair: &Pair| matches!(pair.verdict(), Verdict::Faster | Verdict::Slower);
    Calibration {
        runs: equals.iter().filter(|run| run.iter().any(Option::is_some)).count(),
        runs_with_a_winner: equals.iter().filter(|run| run.iter().flatten().any(is_winner)).count(),
        rows: names.iter().enumerate().map(row).collect(),
    }
}

/// The pair of each workload, run by run; `None` if it has fewer rounds than a verdict needs.
fn pairs(records: &[RunRecord]) -> Vec<Vec<Option<Pair>>> {
    let of = |record: &RunRecord| {
        let standing = standing(record);
        let pair = |workload| standing.pair(workload, 0, 1).copied().filter(|pair| pair.latest.rounds >= LEAST);
        (0..record.plan.workloads.len()).map(pair).collect()
    };
    records.iter().map(of).collect()
}

fn deviation(pair: &Pair) -> Option<f64> {
    Some(pair.latest.precision?.error * f64::from(pair.latest.rounds).sqrt())
}

fn finds_from(pair: &Pair) -> Option<f64> {
    Some(pair.latest.outlook?.detectable.exp_m1())
}
