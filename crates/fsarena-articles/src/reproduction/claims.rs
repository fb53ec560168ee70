//! The outcome of an article's claims in this run.

use crate::article::{Check, Claim, ClaimOutcome, PublishedMetric, at_place};
use crate::reproduction::{ClaimHere, MeasuredFigure, ReproducedFigure};
use fsarena_model::units::significant;
use fsarena_model::{Better, distinct};

use super::figures::{MetricAt, places};
use super::winners::{compared, is_last, properly_for_it, times_better};
use super::{Context, causes};

/// Figures are equal if the intervals allow no larger ratio.
const MOST_OF_EQUAL: f64 = 1.1;

/// The outcome of every claim: from this run's figures if the claim can be checked with them, otherwise from the
/// catalogue.
pub fn claims(context: &Context<'_>, figures: &[ReproducedFigure]) -> Vec<ClaimHere> {
    context.article.claims.iter().map(|claim| here(context, claim, figures)).collect()
}

fn here(context: &Context<'_>, claim: &Claim, figures: &[ReproducedFigure]) -> ClaimHere {
    // A smoke run has no figures that decide.
    let checks = claim.check.iter().filter(|_| !figures.is_empty());
    let cause = claim.cause.as_ref().filter(|_| !figures.is_empty());
    let cause = cause.and_then(|cause| causes::shown(context, cause, figures));
    let is_cause = cause.as_ref().and_then(|shown| shown.is_so);
    let checks = checks.map(|check| seen(context, check, figures));
    let seen = ShownFigures::all(checks.chain(cause).collect());
    let outcome = match (claim.outcome, seen.is_so) {
        // A claim that contradicts itself keeps its outcome whatever this run shows. One that the article's own data do
        // not support can be refuted by an order; that it holds is shown only by how much of the difference its cause is.
        (ClaimOutcome::Contradiction, _) => ClaimOutcome::Contradiction,
        (ClaimOutcome::Unsupported, Some(true)) if is_cause != Some(true) => ClaimOutcome::Unsupported,
        (stays, None) => stays,
        (_, Some(true)) => ClaimOutcome::Holds,
        (_, Some(false)) => ClaimOutcome::DoesNotHold,
    };
    let shown = shown_here(context, &seen).map(|words| words + " ").unwrap_or_default();
    ClaimHere { claim: claim.name.clone(), outcome, why: shown + &claim.why, checked: seen.is_so.is_some() }
}

/// What this run shows about a claim, and what it lacks to decide it; `None` if it shows and lacks nothing.
fn shown_here(context: &Context<'_>, seen: &ShownFigures) -> Option<String> {
    let words = seen.words.join("; ");
    let lack = |name: &String| match context.stand_ins.iter().any(|one| one.name == *name && one.properly.is_some()) {
        true => format!("{name} has no valid figure"),
        false => format!("{name} takes no part"),
    };
    let lacking = seen.lacking.iter().map(lack).collect::<Vec<_>>().join(", ");
    match (seen.is_so, words.is_empty(), lacking.is_empty()) {
        (_, true, true) => None,
        (Some(_), _, true) => Some(format!("In this run {words}.")),
        (Some(_), _, false) => Some(format!("In this run {words} ({lacking}).")),
        (None, true, false) => Some(format!("This run cannot check it: {lacking}.")),
        (None, false, true) => Some(format!("This run does not decide it: {words}.")),
        (None, false, false) => Some(format!("This run cannot check all of it: {lacking}; {words}.")),
    }
}

/// Contenders of an article, with the properly measured figure of each.
type FiguresOfGroup<'a> = Vec<(&'a String, MeasuredFigure)>;

/// What the properly measured figures show about a check or a cause.
#[derive(Default)]
pub struct ShownFigures {
    /// Whether it is so; `None` if that is open, also where it is so as far as figures are there, and some are not.
    is_so: Option<bool>,
    /// The figures in words.
    words: Vec<String>,
    /// The contenders that lack a figure.
    lacking: Vec<String>,
}

impl ShownFigures {
    /// Without a contender that lacks a figure.
    pub fn of(is_so: Option<bool>, words: String) -> Self {
        Self { is_so, words: vec![words], lacking: Vec::new() }
    }

    /// Several together: all of them have to hold, so the first that does not decides.
    fn all(several: Vec<Self>) -> Self {
        let is_so = all_of(several.iter().map(|one| one.is_so).collect()).filter(|_| !several.is_empty());
        let lacking = distinct(several.iter().flat_map(|one| one.lacking.iter().cloned()));
        Self { is_so, words: several.into_iter().flat_map(|one| one.words).collect(), lacking }
    }
}

/// Whether the properly measured figures have the order of the check at each of its places. Places that the check does
/// not name count if at least one of its contenders has a figure there.
fn seen(context: &Context<'_>, check: &Check, figures: &[ReproducedFigure]) -> ShownFigures {
    let test = context.article.test(&check.test);
    let Some((test, metric)) = test.and_then(|test| Some((test, test.metric(check.metric.as_deref())?))) else {
        return ShownFigures::default();
    };
    let margin = context.record.plan.margin.0;
    let at_place = |at: Option<String>| {
        let (groups, lacking) = found(check, MetricAt { test, metric, at: at.as_deref() }, figures);
        let place = at_place(at.as_ref());
        let is_so = is_so(check, metric.better, margin, &groups);
        ShownFigures {
            is_so: is_so.filter(|is_so| !is_so || lacking.is_empty()),
            words: (!groups.is_empty())
                .then(|| format!("{}{place}: {}", test.name, words(metric, &groups)))
                .into_iter()
                .collect(),
            lacking,
        }
    };
    let at_each: Vec<ShownFigures> = match check.at.as_slice() {
        [] => places(test, metric).into_iter().map(at_place).collect(),
        named => named.iter().cloned().map(|at| at_place(Some(at))).collect(),
    };
    let all_lack = at_each.iter().all(|one| one.words.is_empty());
    ShownFigures::all(
        at_each.into_iter().filter(|one| all_lack || !check.at.is_empty() || !one.words.is_empty()).collect(),
    )
}

/// `None` if the intervals allow both.
fn is_so(check: &Check, better: Better, margin: f64, groups: &[FiguresOfGroup<'_>]) -> Option<bool> {
    let is_equal = |one: MeasuredFigure, other: MeasuredFigure| match compared(better, margin, one, other) {
        0 => {
            let (low, _, high) = times_better(better, one, other);
            (low > 1.0 / MOST_OF_EQUAL && high < MOST_OF_EQUAL).then_some(true)
        }
        _ => Some(false),
    };
    let is_better = |one: MeasuredFigure, other: MeasuredFigure| {
        let least = check.at_least.unwrap_or(1.0);
        let (_, median, high) = times_better(better, one, other);
        let is_shown = compared(better, margin, one, other) == 1 && median >= least;
        let is_refuted = high < least.max(1.0 + margin);
        (is_shown || is_refuted).then_some(is_shown)
    };
    let all = |one: &FiguresOfGroup<'_>,
               other: &FiguresOfGroup<'_>,
               is_it: &dyn Fn(MeasuredFigure, MeasuredFigure) -> Option<bool>| {
        let pairs = one.iter().flat_map(|(_, a)| other.iter().map(move |(_, b)| (*a, *b)));
        pairs.map(|(a, b)| is_it(a, b)).collect::<Vec<_>>()
    };
    all_of(match groups {
        [equals] if check.order.len() == 1 => all(equals, equals, &is_equal),
        groups => groups.windows(2).flat_map(|pair| all(&pair[0], &pair[1], &is_better)).collect(),
    })
}

/// Several statements together: one that is false decides; one that is undecided leaves it open.
fn all_of(several: Vec<Option<bool>>) -> Option<bool> {
    match several {
        all if all.contains(&Some(false)) => Some(false),
        all => (!all.contains(&None)).then_some(true),
    }
}

fn words(metric: &PublishedMetric, groups: &[FiguresOfGroup<'_>]) -> String {
    let word = |(name, measured): &(&String, MeasuredFigure)| match is_last(metric.better, *measured) {
        true => format!("{name} did not finish"),
        false => format!("{name} {} {}", significant(measured.median, 3), metric.unit),
    };
    groups.iter().flatten().map(word).collect::<Vec<_>>().join(", ")
}

/// The groups of a check at a place, with the figures that are there, and the contenders that have none. A contender
/// that ran out of time ranks behind those that finished.
fn found<'a>(
    check: &'a Check,
    metric_at: MetricAt<'_>,
    figures: &[ReproducedFigure],
) -> (Vec<FiguresOfGroup<'a>>, Vec<String>) {
    let of = |name: &'a String| {
        let mut own = figures.iter().filter(|figure| metric_at.has(figure));
        let figure = own.find(|figure| figure.name.as_ref() == Some(name))?;
        Some((name, properly_for_it(figure, metric_at.metric.better)?))
    };
    let groups = check.order.iter().map(|group| group.iter().filter_map(of).collect());
    let lacking = check.order.iter().flatten().filter(|name| of(name).is_none());
    (groups.filter(|group: &FiguresOfGroup<'_>| !group.is_empty()).collect(), lacking.cloned().collect())
}
