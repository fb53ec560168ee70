//! The ladder: the same work in slices of 10, 50 and 200 ms and whole, to see from which length on slices say what whole
//! runs say.
//!
//! All rungs of a workload are climbed within each round, on the same mounts, so that what a round or a lane does to a
//! contender is the same for all of them. A rung is judged by how much its ratio differs from the whole runs', with the
//! code that decides comparisons.

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::{Label, Mode, RunRecord, Workload};
use fsarena_stats::{Decision, Observation, PairDecision, Rule, WorkloadData, decide};

use crate::disturbance::set_aside;
use crate::evidence::{Field, failed, groups, pairs, standing, value};

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

/// The names of the workloads of which a plan has the rungs; `None` if it is not that of a ladder.
pub fn climbed(workloads: &[Workload]) -> Option<Vec<String>> {
    let name = |rungs: &[Workload]| {
        let first = rungs[0].name.strip_suffix(&format!("@{}ms", SLICED[0].0))?;
        let last = rungs.get(RUNGS - 1)?.name.strip_suffix("@whole")?;
        (first == last).then(|| first.to_owned())
    };
    let names: Option<Vec<String>> = workloads.chunks(RUNGS).map(name).collect();
    names.filter(|names| !names.is_empty())
}

/// The untimed first part keeps its share of the slice.
fn sliced(workload: &Workload, (timed_ms, slices): (u64, u32)) -> Workload {
    let warm_up_ms = match workload.timed_ms {
        0 => 0,
        usual => workload.warm_up_ms * timed_ms / usual,
    };
    let name = workload.name.variant(format_args!("{timed_ms}ms"));
    Workload { name, mode: Mode::Sliced, timed_ms, warm_up_ms, slices, ..workload.clone() }
}

/// The workload in one piece; what ends by itself is run to its end.
pub(crate) fn whole(workload: &Workload) -> Workload {
    let timed_ms = if workload.timed_ms == 0 { 0 } else { WHOLE_MS };
    Workload { name: workload.name.variant("whole"), mode: Mode::Whole, timed_ms, ..workload.clone() }
}

/// Whether slices say what whole runs say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Their ratios are the same within the margin.
    Agrees,
    /// Their ratios are shown not to be the same, over all pairs and rungs together.
    Differs,
    /// Their ratios are further apart than the margin, and the pair's own 95 % interval of that excludes chance: no proof
    /// among so many, and reason enough to choose another length.
    Doubtful,
    /// The figures do not say.
    Open,
    /// There are no figures.
    Unmeasured,
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
        /// How sure that is: [`Agreement::Agrees`] if all pairs agree from there on, [`Agreement::Doubtful`] if even the
        /// longest slices are doubtful, else [`Agreement::Open`].
        surety: Agreement,
    },
    /// Whole: even the longest slices say something else.
    Whole,
}

/// What the ladder says of each pair: one per workload and pair, `workloads` being the names of those that [`rungs`] were
/// made of.
///
/// Pairs of contenders that failed are left out.
pub fn ladder(record: &RunRecord, workloads: &[String]) -> Vec<LadderPair> {
    let agreements = agreements(record, workloads.len());
    let standing = standing(record);
    let labels: Vec<&Label> = record.plan.contenders.iter().map(|contender| &contender.label).collect();
    let mut all = Vec::new();
    for (number, workload) in workloads.iter().enumerate() {
        for (a, b) in pairs(labels.len()) {
            let rung = |step: usize| {
                let latest = standing.pair(number * RUNGS + step, a, b)?.standing.latest;
                Some(Rung {
                    slice_ms: SLICED.get(step).map(|(length, _)| *length),
                    ratio: latest.estimate.map(f64::exp),
                    interval: latest.pointwise.map(|interval| interval.ratios()),
                    agreement: agreements(number, step, a, b),
                })
            };
            let rungs: Option<Vec<Rung>> = (0..RUNGS).map(rung).collect();
            let (a, b) = (labels[a].clone(), labels[b].clone());
            all.extend(rungs.map(|rungs| LadderPair { workload: workload.clone(), a, b, rungs }));
        }
    }
    all
}

/// From which length on no pair of `workload` differs or is in doubt, over all of `pairs`; `None` where no pair was measured on
/// all rungs.
pub fn finding(pairs: &[LadderPair], workload: &str) -> Option<Finding> {
    let is_whole = |pair: &&LadderPair| pair.rungs.iter().all(|rung| rung.agreement != Agreement::Unmeasured);
    let own: Vec<&LadderPair> = pairs.iter().filter(|pair| pair.workload == workload).filter(is_whole).collect();
    let of_step = |step: usize| own.iter().map(move |pair| pair.rungs[step].agreement);
    let last = SLICED.len() - 1;
    let is_good = |step: &usize| !of_step(*step).any(|it| matches!(it, Agreement::Differs | Agreement::Doubtful));
    let found = match (0..=last).rev().take_while(is_good).last() {
        Some(first) => {
            let is_shown = (first..=last).all(|step| of_step(step).all(|it| it == Agreement::Agrees));
            let surety = if is_shown { Agreement::Agrees } else { Agreement::Open };
            Finding::SlicedFrom { slice_ms: SLICED[first].0, surety }
        }
        None if of_step(last).any(|it| it == Agreement::Differs) => Finding::Whole,
        None => Finding::SlicedFrom { slice_ms: SLICED[last].0, surety: Agreement::Doubtful },
    };
    (!own.is_empty()).then_some(found)
}

/// How each rung agrees with the whole runs: by workload, rung and pair.
fn agreements(record: &RunRecord, workloads: usize) -> impl Fn(usize, usize, usize, usize) -> Agreement {
    let rungs = (0..workloads).flat_map(|workload| (0..SLICED.len()).map(move |step| (workload, step)));
    let compared: Vec<Field> = rungs
        .flat_map(|(workload, step)| differences(record, workload * RUNGS + step, workload * RUNGS + SLICED.len()))
        .collect();
    let data: Vec<WorkloadData> = compared.iter().map(|field| field.data.clone()).collect();
    let rounds = || data.iter().map(|data| data.observations.len() / data.contenders).filter(|rounds| *rounds > 0);
    let (fewest, most) = (rounds().min().unwrap_or(0).max(2), rounds().max().unwrap_or(0).max(2));
    // There is one look, at the end; rounds that were set aside make it an earlier one for some.
    let (first_look, last_look) = (fewest as u32, most as u32);
    let rule = Rule { margin: record.plan.margin.0, first_look, last_look, ..Rule::default() };
    let decided = decide(&rule, &data).unwrap_or_default();
    move |workload, step, a, b| {
        if step == SLICED.len() {
            return Agreement::Agrees;
        }
        let rung = compared.iter().zip(&decided).filter(|(field, _)| field.workload == workload * RUNGS + step);
        let mut pairs = rung.filter_map(|(field, look)| Some((field.places(a, b)?, look)));
        let pair = pairs.find_map(|(places, look)| look.pairs.iter().find(|pair| (pair.a, pair.b) == places));
        pair.map_or(Agreement::Unmeasured, |pair| rung_agreement(pair, rule.margin))
    }
}

fn rung_agreement(pair: &PairDecision, margin: f64) -> Agreement {
    let is_far = pair.estimate.is_some_and(|estimate| estimate.abs() > margin.ln_1p());
    let is_no_chance = pair.pointwise.is_some_and(|interval| !interval.contains(0.0));
    match agreement(pair.verdict) {
        _ if pair.pointwise.is_none() => Agreement::Unmeasured,
        Agreement::Open if is_far && is_no_chance => Agreement::Doubtful,
        other => other,
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

/// By how much the slices' value of each contender and round exceeds that of the whole run in the same round, as a field of the
/// sliced workload: for each class of durability those contenders that failed in neither, where there are two or more, in the
/// rounds that count and in which all have both. The lane of a round is the same for both and takes no part.
pub(crate) fn differences(record: &RunRecord, sliced: usize, whole: usize) -> Vec<Field> {
    let never_failed = |member: &usize| [sliced, whole].iter().all(|workload| !failed(record, *workload, *member));
    let classes = groups(record).into_iter();
    let members = classes.map(|class| class.into_iter().filter(never_failed).collect::<Vec<usize>>());
    let several = members.filter(|members| members.len() > 1);
    let field = |members: Vec<usize>| Field {
        workload: sliced,
        data: between(record, sliced, whole, &members),
        members,
        sweeps: Default::default(),
    };
    several.map(field).collect()
}

fn between(record: &RunRecord, sliced: usize, whole: usize, members: &[usize]) -> WorkloadData {
    let [slices, pieces] = [sliced, whole].map(|workload| values(record, workload));
    let aside = [sliced, whole].map(|workload| set_aside(record, &record.plan.workloads[workload])).concat();
    let rounds: BTreeSet<u32> = pieces.keys().map(|(round, _)| *round).collect();
    let mut data = WorkloadData { contenders: members.len(), ..WorkloadData::default() };
    for round in rounds.into_iter().filter(|round| !aside.contains(round)) {
        let y = |member: usize| {
            let key = (round, &record.plan.contenders[member].label);
            Some(slices.get(&key)? - pieces.get(&key)?)
        };
        let rows = members.iter().enumerate();
        let row: Option<Vec<Observation>> = rows
            .map(|(contender, member)| Some(Observation { round, contender, lane: None, y: y(*member)? }))
            .collect();
        data.observations.extend(row.into_iter().flatten());
    }
    data
}

/// What each contender had in each round of a workload.
fn values(record: &RunRecord, workload: usize) -> BTreeMap<(u32, &Label), f64> {
    let workload = &record.plan.workloads[workload];
    let own = record.trials.iter().filter(|trial| trial.workload == workload.name);
    own.filter_map(|trial| Some(((trial.round, &trial.contender), value(trial, workload)?))).collect()
}
