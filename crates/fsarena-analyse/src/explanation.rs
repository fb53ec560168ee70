//! Why one contender is faster: how the parts of its time differ from those of another, by traced slices. An option that
//! avoids work saves the time that this work takes in them, which tests the explanations.
//!
//! The time of a contender per operation is the sum over all rounds divided by all operations, and so is that of each
//! part, so that the differences of the parts add up to that of the times. The error of such a ratio follows from how
//! the rounds deviate from it (Cochran, Sampling Techniques, 3rd ed. 1977, section 6.4); rounds of both contenders are
//! paired.

mod recording;
mod tested;

use std::collections::{BTreeMap, BTreeSet};

use fsarena_model::comparison::PairVerdict;
use fsarena_model::event::Note;
use fsarena_model::explanation::{Activity, Difference, ExplainedPart, ExplainedRequests, Explanation};
use fsarena_model::{
    Label, Meanwhile, Measure, Metric, RequestKind, Requests, RunRecord, Severity, Spent, TimePart, Trace, TraceResult,
    Trial, Workload,
};
use fsarena_stats::{Interval, LogEstimate, median};

use crate::decisions::Decisions;
pub(crate) use recording::EventCost;
pub(crate) use tested::tested_knobs;

/// The largest share of a difference that tracing may make.
const MOST_OVERHEAD: f64 = 0.2;

/// The largest share of a contender's events that the kernel may not record.
const MOST_LOST: f64 = 0.1;

/// By how much traced slices may be longer or shorter than others.
const MOST_CHANGE: f64 = 0.5;

/// Why there is nothing to explain in operations that begin at a given rate.
const AT_A_RATE: &str = "operations begin at a given rate, so that traced slices show the time between them; leave out \
    --rate to explain how fast they can be";

/// Explanations of all pairs that are decided to differ, as far as they were traced.
pub(crate) fn explanations(decisions: &Decisions<'_>, cost: Option<EventCost>) -> Vec<Explanation> {
    if !decisions.analysis.record.plan.measuring.explained {
        return Vec::new();
    }
    decisions.verdicts.iter().flatten().filter_map(|pair| explanation(decisions, pair, cost)).collect()
}

/// Why slices could not be traced: a note for each reason.
pub(crate) fn notes(record: &RunRecord) -> Vec<Note> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for trial in &record.trials {
        let why = match &trial.trace {
            Some(TraceResult::Failed(why)) => Some(why),
            Some(TraceResult::Traced(trace)) => trace.limited.as_ref(),
            None => None,
        };
        why.into_iter().for_each(|why| *reasons.entry(why).or_default() += 1);
    }
    let text = |(why, count)| {
        format!("{count} slices were not traced, so that at most their time on processors is known: {why}")
    };
    reasons.into_iter().map(text).map(|text| Note { severity: Severity::Warning, text }).collect()
}

/// A contender's traced slices.
struct TracedSide<'a> {
    rounds: Vec<(&'a Trial, &'a Trace)>,
    operations: f64,
    cost: EventCost,
}

impl<'a> TracedSide<'a> {
    fn new(trials: &[&'a Trial], rounds: &BTreeSet<u32>, cost: EventCost) -> Self {
        let traced = trials.iter().filter(|trial| rounds.contains(&trial.round));
        let rounds: Vec<_> = traced.filter_map(|trial| Some((*trial, trace(trial)?))).collect();
        let operations = rounds.iter().map(|(_, trace)| trace.operations as f64).sum();
        Self { rounds, operations, cost }
    }

    /// Seconds per operation of the parts that `is_it` accepts, without those that recording took, and the deviation of
    /// each round from it.
    fn ratio(&self, is_it: &dyn Fn(&Spent) -> bool, event_seconds: f64) -> (f64, Vec<f64>) {
        let seconds = |trace: &Trace| -> f64 {
            let parts = trace.parts.iter().filter(|part| is_it(&part.spent));
            parts.map(|part| recording::without(part.seconds, part.events, event_seconds)).sum()
        };
        let rounds = self.rounds.iter().map(|(_, trace)| (seconds(trace), trace.operations as f64));
        ratio_of_sums(&rounds.collect::<Vec<_>>())
    }

    /// Seconds per operation of the parts that `is_it` accepts, without those that recording took.
    fn seconds(&self, is_it: &dyn Fn(&Spent) -> bool) -> f64 {
        self.ratio(is_it, self.cost.seconds).0
    }

    /// The share of the events that the kernel did not record.
    fn lost(&self) -> f64 {
        let sum = |of: fn(&Trace) -> u64| self.rounds.iter().map(|(_, trace)| of(trace)).sum::<u64>() as f64;
        let lost = sum(|trace| trace.lost);
        lost / (lost + sum(|trace| trace.recorded)).max(1.0)
    }

    /// Seconds per operation that were traced beyond those that the figure has, in each round.
    fn beyond(&self) -> Vec<f64> {
        let of_round =
            |(_, trace): &(&Trial, &Trace)| (trace.seconds - trace.elapsed.as_seconds()) / trace.operations as f64;
        self.rounds.iter().map(of_round).collect()
    }

    /// By how many seconds tracing lengthens an operation in each round, if recording an event takes `event_seconds`
    /// that do not count.
    fn longer(&self, event_seconds: f64) -> Vec<f64> {
        let of_round = |(trial, trace): &(&Trial, &Trace)| {
            let taken = |part: &TimePart| recording::taken(part.seconds, part.events, event_seconds);
            let traced = trace.elapsed.as_seconds() - trace.parts.iter().map(taken).sum::<f64>();
            traced / trace.operations as f64 - trial.seconds_per_operation()
        };
        self.rounds.iter().map(of_round).collect()
    }

    /// The median over the rounds of the share by which tracing lengthens an operation.
    fn overhead(&self, event_seconds: f64) -> Option<f64> {
        let overheads = self.longer(event_seconds).into_iter().zip(&self.rounds);
        let overheads = overheads.map(|(longer, (trial, _))| longer / trial.seconds_per_operation());
        median(overheads.filter(|overhead| overhead.is_finite()))
    }

    /// Seconds per operation in the slices that were not traced.
    fn untraced(&self) -> f64 {
        let seconds: f64 = self.rounds.iter().map(|(trial, _)| trial.seconds()).sum();
        seconds / self.rounds.iter().map(|(trial, _)| trial.operations() as f64).sum::<f64>()
    }

    /// Count per operation and mean duration of the requests of a type.
    fn requests(&self, kind: RequestKind) -> (f64, Option<f64>) {
        let all = self.rounds.iter().flat_map(|(_, trace)| &trace.requests).filter(|requests| requests.kind == kind);
        let sum = all.fold(Requests::none(kind), |sum, one| sum.plus(one));
        (sum.count as f64 / self.operations, sum.mean_seconds())
    }
}

/// The ratio of two sums over rounds, and how far the first summand of each round is from it, as a ratio (Cochran).
fn ratio_of_sums(rounds: &[(f64, f64)]) -> (f64, Vec<f64>) {
    let (sum, all) = rounds.iter().fold((0.0, 0.0), |(sum, all), (one, two)| (sum + one, all + two));
    let (ratio, mean) = (sum / all, all / rounds.len() as f64);
    (ratio, rounds.iter().map(|(one, two)| (one - ratio * two) / mean).collect())
}

fn trace(trial: &Trial) -> Option<&Trace> {
    match &trial.trace {
        Some(TraceResult::Traced(trace)) if trace.operations > 0 => Some(trace),
        _ => None,
    }
}

fn explanation(decisions: &Decisions<'_>, pair: &PairVerdict, cost: Option<EventCost>) -> Option<Explanation> {
    let (faster, slower) = pair.verdict.ordered(&pair.a, &pair.b)?;
    let analysis = &decisions.analysis;
    let trials = [slower, faster].map(|label| analysis.counted_trials(&pair.workload, label));
    let [one, two] = trials.each_ref().map(|trials| {
        let traced = trials.iter().filter(|trial| trace(trial).is_some());
        traced.map(|trial| trial.round).collect::<BTreeSet<u32>>()
    });
    let both: BTreeSet<u32> = one.intersection(&two).copied().collect();
    if both.is_empty() {
        return None;
    }
    let sides = trials.each_ref().map(|trials| TracedSide::new(trials, &both, cost.unwrap_or_default()));
    let [slower_side, faster_side] = &sides;
    let all_traces = || sides.iter().flat_map(|side| &side.rounds).map(|(_, trace)| trace);
    let kinds: BTreeSet<&Spent> = all_traces().flat_map(|trace| &trace.parts).map(|part| &part.spent).collect();
    let difference = differ(&sides, &|_| true);
    let parts = parts(&sides, &kinds);
    let unknown: f64 = parts.iter().flat_map(ExplainedPart::unknown).map(|it| it.seconds.abs()).sum();
    let remaining = sides.each_ref().map(|side| side.overhead(side.cost.seconds));
    let workload = analysis.workload(&pair.workload).map(|own| own.workload);
    let withheld = workload.and_then(of_no_time).or_else(|| withheld(&sides, [slower, faster], remaining, difference));
    let attributed = if withheld.is_none() { (1.0 - unknown / difference.seconds.abs()).max(0.0) } else { 0.0 };
    let [slower_overhead, faster_overhead] = sides.each_ref().map(|side| side.overhead(0.0));
    let [slower_remaining, faster_remaining] = remaining;
    Some(Explanation {
        workload: pair.workload.clone(),
        slower: slower.clone(),
        faster: faster.clone(),
        rounds: both.len() as u32,
        slower_seconds: slower_side.seconds(&|_| true),
        faster_seconds: faster_side.seconds(&|_| true),
        difference,
        untraced: Some(slower_side.untraced() - faster_side.untraced()),
        parts,
        is_of_runs: workload.is_some_and(|workload| workload.metric.measure == Measure::Printed),
        attributed,
        requests: requests(&sides),
        slower_overhead,
        faster_overhead,
        event_seconds: cost.map(|cost| cost.seconds),
        slower_remaining,
        faster_remaining,
        recorded: all_traces().map(|trace| trace.recorded).sum(),
        lost: all_traces().map(|trace| trace.lost).sum(),
        limited: all_traces().find_map(|trace| trace.limited.clone()),
        withheld,
    })
}

/// Why the time of traced slices does not explain the figure of a workload; `None` if it does.
fn of_no_time(workload: &Workload) -> Option<String> {
    let Metric { name, unit, .. } = &workload.metric;
    match (workload.is_open_loop(), workload.metric.is_of_time()) {
        (true, _) => Some(AT_A_RATE.to_owned()),
        (false, true) => None,
        (false, false) => {
            let unit = if unit.is_empty() { "without a unit" } else { unit };
            Some(format!("`{name}` ({unit}) is no time and no rate, and traced slices show where time goes"))
        }
    }
}

/// The difference in the parts that `is_it` accepts. Its interval is that over rounds, for whatever recording may take.
fn differ([slower, faster]: &[TracedSide<'_>; 2], is_it: &dyn Fn(&Spent) -> bool) -> Difference {
    let EventCost { seconds, low, high } = slower.cost;
    let at = |event_seconds| {
        let [(slow, deviations), (fast, others)] = [slower, faster].map(|side| side.ratio(is_it, event_seconds));
        let seconds = slow - fast;
        let rounds: Vec<f64> = deviations.iter().zip(others).map(|(one, other)| seconds + one - other).collect();
        let interval = LogEstimate::mean_of(&rounds).map(|mean| mean.pointwise()).filter(|it| it.low.is_finite());
        (seconds, interval)
    };
    let all = [seconds, low, high].map(at);
    let ends = |of: fn(&Interval) -> f64| all.iter().filter_map(move |(_, interval)| interval.as_ref().map(of));
    Difference { seconds: all[0].0, low: ends(|it| it.low).reduce(f64::min), high: ends(|it| it.high).reduce(f64::max) }
}

fn parts(sides: &[TracedSide<'_>; 2], kinds: &BTreeSet<&Spent>) -> Vec<ExplainedPart> {
    let mut activities: BTreeMap<Activity, Vec<&Meanwhile>> = BTreeMap::new();
    for spent in kinds {
        let meanwhile = activities.entry(spent.activity()).or_default();
        if let Spent::Waiting(_, happened) = spent {
            meanwhile.push(happened);
        }
    }
    let largest_first = |one: &Difference, two: &Difference| two.seconds.abs().total_cmp(&one.seconds.abs());
    let part = |(activity, happened): (Activity, Vec<&Meanwhile>)| {
        let is_it = |spent: &Spent| spent.activity() == activity;
        let of = |wanted: &Meanwhile| {
            differ(sides, &|spent| matches!(spent, Spent::Waiting(_, it) if it == wanted && is_it(spent)))
        };
        let mut meanwhile: Vec<(Meanwhile, Difference)> = happened.into_iter().map(|it| (it.clone(), of(it))).collect();
        meanwhile.sort_by(|(_, one), (_, two)| largest_first(one, two));
        let [slower_seconds, faster_seconds] = sides.each_ref().map(|side| side.seconds(&is_it));
        ExplainedPart { activity, slower_seconds, faster_seconds, difference: differ(sides, &is_it), meanwhile }
    };
    let mut parts: Vec<ExplainedPart> = activities.into_iter().map(part).collect();
    parts.sort_by(|one, two| largest_first(&one.difference, &two.difference));
    parts
}

/// Divides the difference of the device's time into more requests and slower ones (Oaxaca 1973, Blinder 1973).
fn requests(sides: &[TracedSide<'_>; 2]) -> Vec<ExplainedRequests> {
    let all = sides.iter().flat_map(|side| &side.rounds).flat_map(|(_, trace)| &trace.requests);
    let kinds: BTreeSet<RequestKind> = all.map(|requests| requests.kind).collect();
    let of_kind = |kind| {
        let [(slower_count, slow), (faster_count, fast)] = sides.each_ref().map(|side| side.requests(kind));
        // A contender without such requests has no duration of its own.
        let (slower_duration, faster_duration) =
            (if slower_count > 0.0 { slow } else { fast }, if faster_count > 0.0 { fast } else { slow });
        let both = slower_duration.zip(faster_duration);
        let divided = both.map(|(slow, fast)| {
            let by_count = (slower_count - faster_count) * (slow + fast) / 2.0;
            let by_duration = (slow - fast) * (slower_count + faster_count) / 2.0;
            (by_count, by_duration, f64::max(slower_count * slow, faster_count * fast))
        });
        // The few requests of one contender need not be as those would be that the other has.
        let divided = divided.filter(|(by_count, by_duration, most)| by_count.abs().max(by_duration.abs()) <= *most);
        ExplainedRequests {
            kind,
            slower_count,
            faster_count,
            slower_duration,
            faster_duration,
            by_count: divided.map(|it| it.0),
            by_duration: divided.map(|it| it.1),
        }
    };
    kinds.into_iter().map(of_kind).collect()
}

/// Why the traced slices do not explain the verdict, with overheads of which so much is `remaining`; `None` if they do.
fn withheld(
    sides: &[TracedSide<'_>; 2],
    labels: [&Label; 2],
    remaining: [Option<f64>; 2],
    difference: Difference,
) -> Option<String> {
    if difference.low.unwrap_or(difference.seconds) <= 0.0 {
        return Some("the traced slices do not show the difference".to_owned());
    }
    let [one, two] = sides.each_ref().map(TracedSide::lost);
    if one.max(two) > MOST_LOST {
        let [slower, faster] = labels;
        return Some(format!(
            "the kernel did not record {:.0} % of the events of {slower} and {:.0} % of those of {faster}",
            100.0 * one,
            100.0 * two
        ));
    }
    let longer = sides.each_ref().map(|side| side.longer(side.cost.seconds));
    // What may be the noise of few rounds is in the intervals of the parts.
    let is_shown = |rounds: &[f64]| {
        let interval = LogEstimate::mean_of(rounds).map(|mean| mean.pointwise());
        interval.is_some_and(|interval| !interval.low.is_finite() || !interval.contains(0.0))
    };
    for ((longer, change), label) in longer.iter().zip(remaining.map(|overhead| overhead.unwrap_or(0.0))).zip(labels) {
        if change.abs() > MOST_CHANGE && is_shown(longer) {
            let more = if change > 0.0 { "more" } else { "less" };
            let change = change.abs() * 100.0;
            return Some(format!("{label} takes {change:.0} % {more} time when it is traced"));
        }
    }
    let [slower, faster] = sides.each_ref().map(TracedSide::untraced);
    // The share, and the contenders, first the one of which there is more.
    let too_much = |[one, two]: &[Vec<f64>; 2]| {
        let rounds: Vec<f64> = one.iter().zip(two).map(|(one, two)| one - two).collect();
        let more = LogEstimate::mean_of(&rounds)?.estimate;
        let share = more.abs() / (slower - faster).abs();
        let [slower, faster] = labels;
        let labels = if more > 0.0 { (slower, faster) } else { (faster, slower) };
        Some((100.0 * share, labels)).filter(|_| share > MOST_OVERHEAD && is_shown(&rounds))
    };
    if let Some((share, _)) = too_much(&sides.each_ref().map(TracedSide::beyond)) {
        return Some(format!(
            "work that is in no figure was traced, too: it is {share:.0} % of the difference; of longer slices or runs it \
             would be less"
        ));
    }
    let (share, (more, less)) = too_much(&longer)?;
    Some(format!("tracing costs {more} more than {less}, by {share:.0} % of the difference"))
}
