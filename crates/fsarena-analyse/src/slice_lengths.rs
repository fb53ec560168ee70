//! Slice lengths: the same work in slices of 10, 50 and 200 ms and as a whole run, to find the shortest slice that
//! agrees with whole runs.
//!
//! All lengths of a workload run within each round, on the same mounts, so that effects of the round and of the lane
//! are the same for all lengths. A length is judged by the difference between its ratio and that of the whole runs,
//! with the code that decides comparisons.
//!
//! A slice of a program is one run of it. A suite makes the file systems once a round, and programs find the files of
//! others there: so the first run after mkfs is compared in the same way with the runs that follow it.

use std::collections::BTreeMap;

use fsarena_model::event::Note;
use fsarena_model::{Estimate, Label, Mode, Relation, RunRecord, Severity, Variant, Workload};
use fsarena_stats::{Judge, Pair, Round, Rule, Verdict, pairs};
use serde::Serialize;

use crate::analysis::Analysis;
use crate::evidence::{Field, fields, ratio, value};
use crate::looks::Standing;

/// The slice lengths to try: milliseconds of the timed part, and slices per trial.
const SLICED: [(u64, u32); 3] = [(10, 8), (50, 6), (200, 4)];
/// Duration of a whole run in milliseconds, unless its work ends earlier.
const WHOLE_MS: u64 = 1500;
/// Number of lengths of a workload.
const LENGTHS: usize = SLICED.len() + 1;

/// The lengths of each workload, in the order of the workloads; the whole run comes last.
pub fn lengths(workloads: &[Workload]) -> Vec<Workload> {
    let of = |workload: &Workload| SLICED.map(|length| sliced(workload, length)).into_iter().chain([whole(workload)]);
    workloads.iter().flat_map(|workload| of(workload).collect::<Vec<_>>()).collect()
}

/// The names of the workloads whose lengths make up a plan; `None` if the plan is not one of slice lengths.
pub fn calibrated(workloads: &[Workload]) -> Option<Vec<String>> {
    let name = |lengths: &[Workload]| {
        let last = lengths.get(LENGTHS - 1)?.variant.as_ref()?;
        (last.relation == Relation::Whole && lengths[0].base() == last.of).then(|| last.of.clone())
    };
    let names: Option<Vec<String>> = workloads.chunks(LENGTHS).map(name).collect();
    names.filter(|names| !names.is_empty())
}

/// The workload in slices of this length; the warm-up keeps its share of the slice.
fn sliced(workload: &Workload, (timed_ms, slices): (u64, u32)) -> Workload {
    let warm_up_ms = match workload.timed_ms {
        0 => 0,
        usual => workload.warm_up_ms * timed_ms / usual,
    };
    let name = workload.name.variant(format_args!("{timed_ms}ms"));
    let variant = Some(Variant { of: workload.name.to_string(), relation: Relation::Slices(timed_ms) });
    Workload { name, mode: Mode::Sliced, timed_ms, warm_up_ms, slices, variant, ..workload.clone() }
}

/// The workload in one piece; a workload without a time limit runs to its end.
fn whole(workload: &Workload) -> Workload {
    let timed_ms = if workload.timed_ms == 0 { 0 } else { WHOLE_MS };
    let variant = Some(Variant { of: workload.name.to_string(), relation: Relation::Whole });
    Workload { name: workload.name.variant("whole"), mode: Mode::Whole, timed_ms, variant, ..workload.clone() }
}

/// Whether slices agree with whole runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// Both ratios are equivalent within the margin.
    #[serde(rename = "shown")]
    Agrees,
    /// Both ratios differ, with error control over all pairs and lengths together.
    #[serde(rename = "no")]
    Differs,
    /// The difference of the ratios exceeds the margin, and the pair's pointwise 95 % interval excludes zero. With this
    /// many comparisons that is no proof, but a reason to choose another length.
    Doubtful,
    /// The data do not suffice for a decision.
    #[serde(rename = "not-contradicted")]
    Open,
    /// No data exist.
    Unmeasured,
}

/// A pair on one length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SliceLength {
    /// Milliseconds of a slice; `None`: the whole run.
    pub slice_ms: Option<u64>,
    /// How many times better the first contender is than the second, with the pointwise 95 % interval.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Whether the ratio agrees with that of the whole runs; [`Agreement::Agrees`] for the whole runs themselves.
    #[serde(skip)]
    pub agreement: Agreement,
}

/// A pair of contenders in one workload, from the shortest slices to the whole run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SliceLengthPair {
    /// The workload's name.
    pub workload: String,
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other contender.
    pub b: Label,
    /// Lengths, shortest slices first, the whole run last.
    pub lengths: Vec<SliceLength>,
}

/// How a workload has to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceFinding {
    /// In slices of at least this length.
    SlicedFrom {
        /// The shortest length, in milliseconds, from which on no pair differs.
        slice_ms: u64,
        /// The strength of this finding: [`Agreement::Agrees`] if all pairs agree from this length on,
        /// [`Agreement::Doubtful`] if even the longest slices are doubtful, otherwise [`Agreement::Open`].
        surety: Agreement,
    },
    /// Whole: even the longest slices differ from whole runs.
    Whole,
}

/// The slice lengths of each workload and pair. `workloads` are the names of the workloads that were passed to
/// [`lengths`].
///
/// Pairs with a contender that failed are left out.
pub fn slice_lengths(record: &RunRecord, workloads: &[String]) -> Vec<SliceLengthPair> {
    let analysis = Analysis::new(record);
    let known = agreements(&analysis, workloads.len());
    let agreements = |length: usize, a: usize, b: usize| match length % LENGTHS {
        step if step == SLICED.len() => Agreement::Agrees,
        _ => known.get(&(length, a, b)).copied().unwrap_or(Agreement::Unmeasured),
    };
    let standing = Standing::new(&analysis);
    let mut all = Vec::new();
    for (number, workload) in workloads.iter().enumerate() {
        for (a, b) in pairs(analysis.count()) {
            let length = |step: usize| {
                let latest = standing.pair(number * LENGTHS + step, a, b)?.latest;
                Some(SliceLength {
                    slice_ms: SLICED.get(step).map(|(length, _)| *length),
                    estimate: ratio(latest.estimate, latest.pointwise),
                    agreement: agreements(number * LENGTHS + step, a, b),
                })
            };
            let lengths: Option<Vec<SliceLength>> = (0..LENGTHS).map(length).collect();
            let (a, b) = (analysis.label(a).clone(), analysis.label(b).clone());
            all.extend(lengths.map(|lengths| SliceLengthPair { workload: workload.clone(), a, b, lengths }));
        }
    }
    all
}

/// The shortest length from which on no pair of `workload` differs or is doubtful; `None` if no pair was measured on
/// all lengths.
pub fn finding(pairs: &[SliceLengthPair], workload: &str) -> Option<SliceFinding> {
    let is_whole =
        |pair: &&SliceLengthPair| pair.lengths.iter().all(|length| length.agreement != Agreement::Unmeasured);
    let own: Vec<&SliceLengthPair> = pairs.iter().filter(|pair| pair.workload == workload).filter(is_whole).collect();
    let of_step = |step: usize| own.iter().map(move |pair| pair.lengths[step].agreement);
    let last = SLICED.len() - 1;
    let is_good = |step: &usize| !of_step(*step).any(|it| matches!(it, Agreement::Differs | Agreement::Doubtful));
    let found = match (0..=last).rev().take_while(is_good).last() {
        Some(first) => {
            let is_shown = (first..=last).all(|step| of_step(step).all(|it| it == Agreement::Agrees));
            let surety = if is_shown { Agreement::Agrees } else { Agreement::Open };
            SliceFinding::SlicedFrom { slice_ms: SLICED[first].0, surety }
        }
        None if of_step(last).any(|it| it == Agreement::Differs) => SliceFinding::Whole,
        None => SliceFinding::SlicedFrom { slice_ms: SLICED[last].0, surety: Agreement::Doubtful },
    };
    (!own.is_empty()).then_some(found)
}

/// The note about slices that were never compared with whole runs.
pub(crate) fn unchecked(record: &RunRecord) -> Option<Note> {
    let is_unchecked = |workload: &&Workload| {
        let is_native = workload.traits.program.is_none();
        let is_sliced = workload.mode == Mode::Sliced && !workload.is_open_loop();
        is_native && is_sliced && workload.agrees_from_ms.is_none()
    };
    let workloads = &record.plan.workloads;
    let unchecked: Vec<&str> = workloads.iter().filter(is_unchecked).map(|workload| workload.name.as_str()).collect();
    let text = format!(
        "the slices of {} were not compared with whole runs; `fsarena calibrate --slices` does that",
        unchecked.join(", ")
    );
    let is_wanted = !unchecked.is_empty() && calibrated(workloads).is_none();
    is_wanted.then_some(Note { severity: Severity::Info, text })
}

/// How each length agrees with the whole runs, by the index of its workload and both contenders; those that were not
/// measured are missing.
fn agreements(analysis: &Analysis<'_>, workloads: usize) -> BTreeMap<(usize, usize, usize), Agreement> {
    // By length and class with two or more contenders that failed in neither: their differences, round by round.
    let (mut compared, mut data) = (Vec::new(), Vec::new());
    for (workload, step) in (0..workloads).flat_map(|workload| (0..SLICED.len()).map(move |step| (workload, step))) {
        let both = [step, SLICED.len()].map(|step| &analysis.workloads[workload * LENGTHS + step]);
        for (_, mut members) in analysis.classes() {
            members.retain(|member| both.iter().all(|own| !own.failed(*member)));
            if members.len() > 1 {
                let log = |own: usize, round, member| value(both[own].in_round(member, round)?, both[own].workload);
                let counting = (1..=analysis.last_round).filter(|round| both.iter().all(|own| own.counts(*round)));
                data.push(one_sweep_a_round(counting, &members, |round, member| {
                    Some(log(0, round, member)? - log(1, round, member)?)
                }));
                compared.push((both[0].index, members));
            }
        }
    }
    let mut known = BTreeMap::new();
    for ((length, members), pairs) in compared.iter().zip(one_look(analysis, &data)) {
        let place = |pair: &Pair| (*length, members[pair.a], members[pair.b]);
        known.extend(pairs.iter().map(|pair| (place(pair), agreement(analysis, pair))));
    }
    known
}

/// The rounds with one sweep each, of the values of all members; a round in which one has none is empty. All values of
/// a round are of the same lanes, so lanes are left out.
fn one_sweep_a_round(
    rounds: impl Iterator<Item = u32>,
    members: &[usize],
    value: impl Fn(u32, usize) -> Option<f64>,
) -> fsarena_stats::Workload {
    let round = |round| {
        let sweep: Option<Vec<f64>> = members.iter().map(|member| value(round, *member)).collect();
        Round { sweeps: sweep.into_iter().map(|sweep| sweep.into_iter().map(Some).collect()).collect() }
    };
    fsarena_stats::Workload { contenders: members.len(), rounds: rounds.map(round).collect() }
}

fn rule(analysis: &Analysis<'_>) -> Rule {
    Rule { margin: analysis.record.plan.margin.0, ..Rule::default() }
}

/// The pairs of each workload, by a single look at the end.
fn one_look(analysis: &Analysis<'_>, data: &[fsarena_stats::Workload]) -> Vec<Vec<Pair>> {
    Judge::new(rule(analysis)).look(data, 1.0)
}

/// Classifies the difference between two ratios, such as those of slices and of whole runs.
fn agreement(analysis: &Analysis<'_>, pair: &Pair) -> Agreement {
    let is_far = pair.estimate.is_some_and(|estimate| estimate.abs() > rule(analysis).margin.ln_1p());
    let is_no_chance = pair.pointwise.is_some_and(|interval| !interval.contains(0.0));
    match pair.verdict {
        _ if pair.pointwise.is_none() => Agreement::Unmeasured,
        Verdict::Equivalent => Agreement::Agrees,
        Verdict::Faster | Verdict::Slower => Agreement::Differs,
        Verdict::Undecided if is_far && is_no_chance => Agreement::Doubtful,
        Verdict::Undecided => Agreement::Open,
    }
}

/// Number of runs of a workload on each file system, the first of them on one that was just made.
const RUNS: u32 = 4;

/// The workload with several runs on each file system.
pub fn several_runs(workload: &Workload) -> Workload {
    let variant = Some(Variant { of: workload.name.to_string(), relation: Relation::Runs(RUNS) });
    let name = workload.name.variant(format_args!("{RUNS}-runs"));
    Workload { name, slices: RUNS, variant, ..workload.clone() }
}

/// A pair of contenders in a workload with several runs on each file system.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FreshPair {
    /// The workload's name.
    pub workload: String,
    /// The contender that comes first on the command line.
    pub a: Label,
    /// The other contender.
    pub b: Label,
    /// How many times better the first contender is in the first run, with the pointwise 95 % interval.
    pub first: Estimate,
    /// The same in the runs that follow.
    pub later: Estimate,
    /// Whether both ratios agree.
    #[serde(rename = "agree")]
    pub agreement: Agreement,
}

/// The pairs of all workloads that were made by [`several_runs`].
///
/// Pairs with a contender that failed are left out.
pub fn fresh_pairs(record: &RunRecord) -> Vec<FreshPair> {
    let analysis = Analysis::new(record);
    fields(&analysis).iter().flat_map(|field| fresh_pairs_of(&analysis, field)).collect()
}

fn fresh_pairs_of(analysis: &Analysis<'_>, field: &Field) -> Vec<FreshPair> {
    let own = &analysis.workloads[field.workload];
    let Some(Variant { of, relation: Relation::Runs(_) }) = &own.workload.variant else { return Vec::new() };
    let judged = |value: fn(&[f64]) -> Option<f64>| -> Vec<Pair> {
        let value = |round, member| {
            let slices = own.in_round(member, round)?.slices.iter();
            value(&slices.map(|slice| own.workload.metric.better.oriented_ln(slice.value)).collect::<Vec<_>>())
        };
        let counting = (1..=analysis.last_round).filter(|round| own.counts(*round));
        one_look(analysis, &[one_sweep_a_round(counting, &field.members, value)]).pop().unwrap_or_default()
    };
    let (firsts, laters) = (judged(|runs| runs.first().copied()), judged(mean_of_later));
    let differences = judged(|runs| Some(mean_of_later(runs)? - runs.first()?));
    let label = |member: usize| analysis.label(field.members[member]).clone();
    let each = firsts.iter().zip(&laters).zip(&differences);
    each.map(|((first, later), difference)| FreshPair {
        workload: of.clone(),
        a: label(first.a),
        b: label(first.b),
        first: ratio(first.estimate, first.pointwise),
        later: ratio(later.estimate, later.pointwise),
        agreement: agreement(analysis, difference),
    })
    .collect()
}

fn mean_of_later(runs: &[f64]) -> Option<f64> {
    let later = runs.get(1..).filter(|later| !later.is_empty())?;
    Some(later.iter().sum::<f64>() / later.len() as f64)
}
