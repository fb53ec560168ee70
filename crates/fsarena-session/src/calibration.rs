//! What runs of equals, and of one that is slowed down on purpose, say about what can be told apart here.

use fsarena_model::{Nanos, Plan, RunRecord, Share, Verdict};
use fsarena_stats::Rule;
use fsarena_stats::simulate::{Lanes, Method, Scenario, simulate};

use crate::evidence::{Pair, standing};

/// What was called and what could be seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Runs of equals.
    pub runs: usize,
    /// Those of them in which anybody was called a winner.
    pub runs_with_a_winner: usize,
    /// In the suite's order.
    pub rows: Vec<Row>,
}

/// One workload.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its name.
    pub workload: String,
    /// Runs of equals that gave it a verdict or could have.
    pub equal: usize,
    /// Of these: a winner was called, who is none.
    pub winners: usize,
    /// Of these: they were called equivalent, as they are.
    pub equivalent: usize,
    /// Runs with a handicap.
    pub handicapped: usize,
    /// Of these: the slower one was called slower.
    pub found: usize,
    /// The standard deviation, between rounds, of a pair's ratio, as the rule sees it; the median over the runs.
    pub deviation: Option<Share>,
    /// The smallest difference that it would find nine times in ten.
    pub sees: Option<Sees>,
}

/// A difference that can be seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sees {
    /// The true difference.
    pub difference: Share,
    /// Rounds after which half of the runs have found it.
    pub rounds: u32,
    /// How long so many rounds take here.
    pub time: Nanos,
}

/// Differences that are tried, smallest first.
const DIFFERENCES: [f64; 10] = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3];
/// Simulated runs for each.
const RUNS: u32 = 200;
/// How often it has to be found.
const OFTEN: f64 = 0.9;

/// Judges the runs: each of two contenders, the second of which has the handicap.
pub fn calibration(equal: &[RunRecord], handicapped: &[RunRecord]) -> Calibration {
    let plan = equal.iter().chain(handicapped).map(|record| &record.plan).next();
    // Controls, which a long budget adds, stand behind the others and are none to be called.
    let shown = plan.into_iter().flat_map(Plan::shown);
    let names: Vec<String> = shown.map(|workload| workload.name.to_string()).collect();
    let (equals, others) = (pairs(equal), pairs(handicapped));
    let lanes = plan.map_or(Lanes::None, |plan| {
        if fsarena_lane::lane_count(plan) > 0 && plan.lanes.is_own() { Lanes::LatinSquares } else { Lanes::None }
    });
    let round = seconds_of_a_round(equal.iter().chain(handicapped));
    let row = |(index, name): (usize, &String)| {
        let deviation = deviation(index, &equals, &others);
        let seen = deviation.and_then(|deviation| sees(deviation, names.len(), lanes));
        let verdicts = |runs: &[Vec<Option<Pair>>], wanted: &[Verdict]| {
            runs.iter().filter_map(|run| run[index].as_ref()).filter(|pair| wanted.contains(&pair.verdict())).count()
        };
        Row {
            workload: name.clone(),
            equal: equals.iter().filter(|run| run[index].is_some()).count(),
            winners: verdicts(&equals, &[Verdict::Faster, Verdict::Slower]),
            equivalent: verdicts(&equals, &[Verdict::Equivalent]),
            handicapped: others.iter().filter(|run| run[index].is_some()).count(),
            found: verdicts(&others, &[Verdict::Faster]),
            deviation: deviation.map(Share),
            sees: seen.map(|(difference, rounds)| {
                let time = Nanos((f64::from(rounds) * round * 1e9) as u64);
                Sees { difference: Share(difference), rounds, time }
            }),
        }
    };
    let is_winner = |pair: &Pair| matches!(pair.verdict(), Verdict::Faster | Verdict::Slower);
    Calibration {
        runs: equal.len(),
        runs_with_a_winner: equals.iter().filter(|run| run.iter().flatten().any(is_winner)).count(),
        rows: names.iter().enumerate().map(row).collect(),
    }
}

/// The pair of each workload, run by run.
fn pairs(records: &[RunRecord]) -> Vec<Vec<Option<Pair>>> {
    let of = |record: &RunRecord| {
        let standing = standing(record);
        standing.shown().into_iter().map(|workload| standing.pair(workload, 0, 1)).collect()
    };
    records.iter().map(of).collect()
}

fn deviation(workload: usize, equals: &[Vec<Option<Pair>>], others: &[Vec<Option<Pair>>]) -> Option<f64> {
    let of = |pair: &Pair| {
        let latest = pair.standing.latest;
        Some(latest.precision?.error * f64::from(latest.rounds).sqrt())
    };
    let runs = equals.iter().chain(others);
    let mut all: Vec<f64> = runs.filter_map(|run| run[workload].as_ref().and_then(of)).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

/// The smallest difference found often enough within the usual number of rounds, and the median of the rounds it takes.
fn sees(deviation: f64, workloads: usize, lanes: Lanes) -> Option<(f64, u32)> {
    DIFFERENCES.into_iter().find_map(|difference| {
        let effects = vec![f64::ln_1p(difference), 0.0];
        let scenario = Scenario { workloads, lanes, ..Scenario::new(effects, deviation) };
        let tally = simulate(&Rule::default(), &scenario, Method::Recipe, 0..RUNS, 1).ok()?;
        let is_seen = tally.found.fraction().is_some_and(|share| share >= OFTEN);
        is_seen.then(|| tally.rounds_to_find.quantile(0.5)).flatten().map(|rounds| (difference, rounds))
    })
}

/// The median over all rounds.
fn seconds_of_a_round<'a>(records: impl Iterator<Item = &'a RunRecord>) -> f64 {
    let mut seconds: Vec<f64> = records.flat_map(|record| record.rounds.iter().map(|facts| facts.seconds)).collect();
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or(0.0)
}
