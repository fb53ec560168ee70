//! How much of a difference is what a claim blames for it, by this run.

use fsarena_model::explanation::{Activity, Difference, ExplainedPart, Explanation};
use fsarena_model::{Better, Label, Workload};
use fsarena_stats::{Interval, LogEstimate};

use crate::article::{Blamed, Cause, PublishedTest};
use crate::reproduction::{MeasuredFigure, ReproducedFigure};

use super::Context;
use super::claims::ShownFigures;
use super::figures::{MetricAt, properly_by_round};
use super::winners::WITHOUT_INTERVAL;

/// The least share of the difference that a cause has to be; its interval has to be above 0 as well.
const LEAST_OF_CAUSE: f64 = 0.5;

/// What is less than this share of the difference, by the upper end of its interval, is not the cause.
const MOST_OF_NO_CAUSE: f64 = 0.2;

/// A share of a difference with the ends of its 95 % interval.
struct ShareOfDifference {
    share: f64,
    low: Option<f64>,
    high: Option<f64>,
}

impl ShareOfDifference {
    /// The share of `all`, which is above 0, that `part` is, as wide as both intervals allow.
    fn new(part: Difference, all: Difference) -> Self {
        let of = |end: f64, if_negative: f64, if_positive: f64| end / if end > 0.0 { if_positive } else { if_negative };
        let ends = all.low.zip(all.high);
        Self {
            share: part.seconds / all.seconds,
            low: part.low.zip(ends).map(|(end, (low, high))| of(end, low, high)),
            high: part.high.zip(ends).map(|(end, (low, high))| of(end, high, low)),
        }
    }

    fn is_so(&self) -> Option<bool> {
        match (self.low, self.high) {
            (_, Some(high)) if high < MOST_OF_NO_CAUSE => Some(false),
            (Some(low), _) if low > 0.0 && self.share >= LEAST_OF_CAUSE => Some(true),
            _ => None,
        }
    }
}

/// What this run shows about a cause, with the share in words, or why it is not known: by the work without its harness,
/// otherwise by traced slices or options.
pub fn shown(context: &Context<'_>, cause: &Cause, figures: &[ReproducedFigure]) -> Option<ShownFigures> {
    let test = context.article.test(&cause.test)?;
    let of_harness = without_harness(cause, figures);
    let measured = of_harness.or_else(|| match &cause.blames {
        Blamed::Activities(activities) => by_activities(context, cause, test, activities),
        Blamed::Options { slower, faster } => by_options(context, cause, test, [slower, faster]),
    });
    let is_left = !context.record.plan.measuring.explained && can_be_measured(context, cause, test);
    let left = || open(format!("{}: --explain measures how much of the difference it is", test.name));
    measured.or_else(|| left().filter(|_| is_left))
}

/// An undecided cause.
fn open(words: String) -> Option<ShownFigures> {
    Some(ShownFigures::of(None, words))
}

/// Whether `--explain` would measure it here.
fn can_be_measured(context: &Context<'_>, cause: &Cause, test: &PublishedTest) -> bool {
    let is_explained = || is_traced(cause, test, &context.record.plan.workloads);
    stand_ins(context, cause).is_some() && (matches!(cause.blames, Blamed::Options { .. }) || is_explained())
}

/// Whether traced slices of these workloads can show a cause in its test.
pub fn is_traced(cause: &Cause, test: &PublishedTest, workloads: &[Workload]) -> bool {
    let is_run = |name: String| workloads.iter().any(|workload| workload.name == name);
    matches!(cause.blames, Blamed::Activities(_)) && sources(cause, test).any(is_run)
}

/// The workloads of its test, the properly measured ones first. What explains a workload explains none of its steps.
fn sources(cause: &Cause, test: &PublishedTest) -> impl Iterator<Item = String> {
    let whole = test.properly.iter().chain(&test.as_published).filter(|source| source.steps.is_empty());
    whole.map(|source| source.at(cause.at.as_deref()).workload)
}

/// Everything that the slower contender does without a program for each operation, as a share of the published form's
/// difference. What is blamed is part of it.
fn without_harness(cause: &Cause, figures: &[ReproducedFigure]) -> Option<ShownFigures> {
    let figure = |name: &String| {
        let mut own = figures.iter().filter(|figure| figure.name.as_ref() == Some(name) && figure.test == cause.test);
        own.find(|it| it.at == cause.at && cause.metric.as_ref().is_none_or(|metric| it.metric == *metric))
    };
    let slower = figure(&cause.slower).filter(|slower| slower.better == Better::Lower)?;
    let (plainly, published) = (slower.plainly?, slower.as_published?);
    let faster = figure(&cause.faster)?.as_published?;
    let most = |one: MeasuredFigure| one.high.unwrap_or(one.median * WITHOUT_INTERVAL);
    let least = |one: MeasuredFigure| one.low.unwrap_or(one.median / WITHOUT_INTERVAL);
    let (difference, least) = (published.median - faster.median, least(published) - most(faster));
    let share = ShareOfDifference { share: plainly.median / difference, low: None, high: Some(most(plainly) / least) };
    (least > 0.0 && share.is_so() == Some(false)).then(|| {
        let words = format!(
            "{}: all that {} does in one process is {} of the difference, the rest is starting programs",
            cause.test,
            cause.slower,
            percent(share.share)
        );
        ShownFigures::of(Some(false), words)
    })
}

/// By the explanation of a workload of the test.
fn by_activities(
    context: &Context<'_>,
    cause: &Cause,
    test: &PublishedTest,
    activities: &[Activity],
) -> Option<ShownFigures> {
    let [slower, faster] = stand_ins(context, cause)?;
    let is_pair = |it: &Explanation, one: &Label, other: &Label| it.slower == *one && it.faster == *other;
    let mut explained = sources(cause, test).flat_map(|workload| {
        context.comparison.judged.explanations.iter().filter(move |explanation| explanation.workload == workload)
    });
    let explanation = explained.find(|it| is_pair(it, slower, faster) || is_pair(it, faster, slower))?;
    if is_pair(explanation, faster, slower) {
        return open(format!("{}: {slower} is not the slower one", explanation.workload));
    }
    if let Some(why) = &explanation.withheld {
        return open(format!("{}: not explained, since {why}", explanation.workload));
    }
    if let Some(why) = &explanation.limited {
        return open(format!("{}: its parts are not divided, since {why}", explanation.workload));
    }
    if explanation.difference.low.is_none() {
        return open(format!("{}: one round is too few", explanation.workload));
    }
    let (blamed, others): (Vec<_>, Vec<_>) =
        explanation.parts.iter().partition(|part| activities.contains(&part.activity));
    // Parts of one time are not independent: the ends of their intervals are added. What is not known may be blamed, too.
    let unknown: f64 =
        others.into_iter().flat_map(ExplainedPart::unknown).filter_map(|it| it.high).map(|high| high.max(0.0)).sum();
    let high: Option<f64> = blamed.iter().map(|part| part.difference.high).sum();
    let share = ShareOfDifference::new(
        Difference {
            seconds: blamed.iter().map(|part| part.difference.seconds).sum(),
            low: blamed.iter().map(|part| part.difference.low).sum(),
            high: high.map(|high| high + unknown),
        },
        explanation.difference,
    );
    Some(said(&explanation.workload, &share))
}

/// By the difference that options make, round by round.
fn by_options(
    context: &Context<'_>,
    cause: &Cause,
    test: &PublishedTest,
    options: [&String; 2],
) -> Option<ShownFigures> {
    let is_it = |name: &&String| context.record.plan.contenders.iter().any(|one| one.label.0 == **name);
    if !options.iter().all(is_it) {
        return None;
    }
    let [with, without] = options.map(|name| Label(name.clone()));
    let [slower, faster] = stand_ins(context, cause)?;
    let metric = test.metric(cause.metric.as_deref())?;
    let rounds = properly_by_round(
        context,
        MetricAt { test, metric, at: cause.at.as_deref() },
        &[slower, faster, &with, &without],
    );
    let cost = |value: f64| if metric.better == Better::Lower { value } else { 1.0 / value };
    let differences =
        |one: usize| -> Vec<f64> { rounds.iter().map(|values| cost(values[one]) - cost(values[one + 1])).collect() };
    let (all, blamed) = (LogEstimate::mean_of(&differences(0))?, LogEstimate::mean_of(&differences(2))?);
    let (of_all, of_blamed) = (all.pointwise(), blamed.pointwise());
    let place = format!("{}, {}", test.name, metric.name);
    if of_all.low.is_nan() || of_all.low <= 0.0 {
        return open(format!("{place}: that {slower} is behind {faster} is not shown"));
    }
    let difference = |of: LogEstimate, Interval { low, high }: Interval| Difference {
        seconds: of.estimate,
        low: Some(low),
        high: Some(high),
    };
    let share = ShareOfDifference::new(difference(blamed, of_blamed), difference(all, of_all));
    Some(said(&place, &share))
}

fn stand_ins<'a>(context: &'a Context<'_>, cause: &Cause) -> Option<[&'a Label; 2]> {
    let of = |name: &String| context.stand_ins.iter().find(|one| one.name == *name)?.properly.as_ref();
    Some([of(&cause.slower)?, of(&cause.faster)?])
}

fn said(place: &str, share: &ShareOfDifference) -> ShownFigures {
    let interval = match (share.low, share.high) {
        (Some(low), Some(high)) => format!(" [{}, {}]", percent(low), percent(high)),
        _ => String::new(),
    };
    let words = format!("{place}: what it blames is {}{interval} of the difference", percent(share.share));
    ShownFigures::of(share.is_so(), words)
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0).replace('-', "−")
}
