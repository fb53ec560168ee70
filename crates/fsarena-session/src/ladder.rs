//! The ladder: the same work in slices of 10, 50 and 200 ms and whole, to see from which length on slices say what whole
//! runs say.
//!
//! All rungs of a workload are climbed within each round, on the same mounts, so that what a round or a lane does to a
//! contender is the same for all of them. A rung is judged by how much its ratio differs from the whole runs', with the
//! code that decides comparisons.

use fsarena_model::{Label, Mode, RunRecord, Workload};
use fsarena_stats::{Decision, Interval, Observation, Rule, WorkloadData, decide};

use crate::disturbance::set_aside;
use crate::evidence::{standing, value};

/// The lengths of slices that are tried: milliseconds of the timed part, and how many of them make a trial.
const SLICED: [(u64, u32); 3] = [(10, 8), (50, 6), (200, 4)];
/// How long a whole run lasts, unless its work ends it: milliseconds.
pub(crate) const WHOLE_MS: u64 = 1500;
/// Rungs of a workload.
const RUNGS: usize = SLICED.len() + 1;

/// The rungs of each workload, the whole run last.
pub fn rungs(workloads: &[Workload]) -> Vec<Workload> {
    let of = |workload: &Workload| SLICED.map(|rung| sliced(workload, rung)).into_iter().chain([whole(workload)]);
    workloads.iter().flat_map(|workload| of(workload).collect::<Vec<_>>()).collect()
}

/// The untimed first part keeps its share of the slice.
fn sliced(workload: &Workload, (timed_ms, slices): (u64, u32)) -> Workload {
    let warm_up_ms = match workload.timed_ms {
        0 => 0,
        usual => workload.warm_up_ms * timed_ms / usual,
    };
    let name = format!("{}@{timed_ms}ms", workload.name);
    Workload { name, mode: Mode::Sliced, timed_ms, warm_up_ms, slices, ..workload.clone() }
}

/// The workload in one piece; what ends by itself is run to its end.
pub(crate) fn whole(workload: &Workload) -> Workload {
    let timed_ms = if workload.timed_ms == 0 { 0 } else { WHOLE_MS };
    Workload { name: format!("{}@whole", workload.name), mode: Mode::Whole, timed_ms, ..workload.clone() }
}

/// Whether slices say what whole runs say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Their ratios are the same within the margin.
    Agrees,
    /// Their ratios are not the same, and that is not a difference within the margin.
    Differs,
    /// The figures do not say.
    Open,
}

/// A pair on one rung.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rung {
    /// Milliseconds of a slice; `None`: the whole run.
    pub slice_ms: Option<u64>,
    /// How many times better the first contender is.
    pub ratio: Option<f64>,
    /// Its pointwise 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// Whether that is what the whole runs say; they agree with themselves.
    pub agreement: Agreement,
}

/// A pair of contenders in one workload, from the shortest slices to the whole run.
#[derive(Debug, Clone, PartialEq)]
pub struct LadderPair {
    /// The workload's name.
    pub workload: String,
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other.
    pub b: Label,
    /// Shortest first, the whole run last.
    pub rungs: Vec<Rung>,
}

/// How a workload has to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// In slices of at least so many milliseconds.
    SlicedFrom {
        /// The length from which on no pair differs.
        slice_ms: u64,
        /// Whether all pairs agree from there on, or some could not be told.
        is_shown: bool,
    },
    /// Whole: even the longest slices say something else.
    Whole,
}

/// What the ladder says of each pair: one per workload and pair, `workloads` being those that [`rungs`] were made of.
///
/// Pairs of contenders that failed are left out.
pub fn ladder(record: &RunRecord, workloads: &[Workload]) -> Vec<LadderPair> {
    let agreements = agreements(record, workloads.len());
    let standing = standing(record);
    let labels: Vec<&Label> = record.plan.contenders.iter().map(|contender| &contender.label).collect();
    let mut all = Vec::new();
    for (number, workload) in workloads.iter().enumerate() {
        for (a, b) in pairs(labels.len()) {
            let rung = |step: usize| {
                let latest = standing.pair(number * RUNGS + step, a, b)?.standing.latest;
                let between = |interval: Interval| (interval.low.exp(), interval.high.exp());
                Some(Rung {
                    slice_ms: SLICED.get(step).map(|(length, _)| *length),
                    ratio: latest.estimate.map(f64::exp),
                    interval: latest.pointwise.map(between),
                    agreement: agreements(number, step, a, b),
                })
            };
            let rungs: Option<Vec<Rung>> = (0..RUNGS).map(rung).collect();
            let (a, b) = (labels[a].clone(), labels[b].clone());
            all.extend(rungs.map(|rungs| LadderPair { workload: workload.name.clone(), a, b, rungs }));
        }
    }
    all
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)))
}

/// From which length on no pair of `workload` differs, over all of `pairs`.
pub fn finding(pairs: &[LadderPair], workload: &str) -> Finding {
    let of_step = |step: usize| {
        let own = pairs.iter().filter(move |pair| pair.workload == workload);
        own.map(move |pair| pair.rungs[step].agreement)
    };
    let agreed = |step: &usize| of_step(*step).all(|agreement| agreement != Agreement::Differs);
    let first = (0..SLICED.len()).rev().take_while(agreed).last();
    first.map_or(Finding::Whole, |first| Finding::SlicedFrom {
        slice_ms: SLICED[first].0,
        is_shown: (first..SLICED.len()).all(|step| of_step(step).all(|agreement| agreement == Agreement::Agrees)),
    })
}

/// How each rung agrees with the whole runs: by workload, rung and pair.
fn agreements(record: &RunRecord, workloads: usize) -> impl Fn(usize, usize, usize, usize) -> Agreement {
    let contenders = record.plan.contenders.len();
    let whole = |workload: usize| workload * RUNGS + SLICED.len();
    let numbers = (0..workloads).flat_map(|workload| (0..SLICED.len()).map(move |step| (workload, step)));
    let data: Vec<WorkloadData> =
        numbers.map(|(workload, step)| differences(record, workload * RUNGS + step, whole(workload))).collect();
    let rounds = data.iter().map(|data| data.observations.len() / contenders).max().unwrap_or(0).max(2) as u32;
    // There is one look, at the end.
    let rule = Rule { margin: record.plan.margin.0, first_look: rounds, last_look: rounds, ..Rule::default() };
    let decided = decide(&rule, &data).unwrap_or_default();
    move |workload, step, a, b| {
        if step == SLICED.len() {
            return Agreement::Agrees;
        }
        let look = decided.get(workload * SLICED.len() + step);
        let pair = look.and_then(|look| look.pairs.iter().find(|pair| (pair.a, pair.b) == (a, b)));
        pair.map_or(Agreement::Open, |pair| agreement(pair.verdict))
    }
}

/// What a verdict on the difference of two ratios says of them.
pub(crate) fn agreement(verdict: Decision) -> Agreement {
    match verdict {
        Decision::Equivalent => Agreement::Agrees,
        Decision::Better | Decision::Worse => Agreement::Differs,
        Decision::Undecided => Agreement::Open,
    }
}

/// By how much the slices' value of each contender and round exceeds that of the whole run in the same round, for the
/// rounds that count and in which all contenders have both. The lane of a round is the same for both and takes no part.
pub(crate) fn differences(record: &RunRecord, sliced: usize, whole: usize) -> WorkloadData {
    let contenders = record.plan.contenders.len();
    let of = |workload: usize, contender: usize, round: u32| {
        let workload = &record.plan.workloads[workload];
        let label = &record.plan.contenders[contender].label;
        let is_it = |trial: &&fsarena_model::Trial| {
            trial.round == round && trial.workload == workload.name && trial.contender == *label
        };
        record.trials.iter().find(is_it).and_then(|trial| value(trial, workload))
    };
    let aside = [sliced, whole].map(|workload| set_aside(record, &record.plan.workloads[workload])).concat();
    let last = record.trials.iter().map(|trial| trial.round).max().unwrap_or(0);
    let mut data = WorkloadData { contenders, observations: Vec::new() };
    for round in (1..=last).filter(|round| !aside.contains(round)) {
        let y = |contender| Some(of(sliced, contender, round)? - of(whole, contender, round)?);
        let row: Option<Vec<Observation>> = (0..contenders)
            .map(|contender| Some(Observation { round, contender, lane: None, y: y(contender)? }))
            .collect();
        data.observations.extend(row.into_iter().flatten());
    }
    data
}
