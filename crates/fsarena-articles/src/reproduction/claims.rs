//! The outcome of an article's claims in this run.

use fsarena_model::Better;
use fsarena_model::article::{Check, Claim, Outcome, PublishedMetric};
use fsarena_model::reproduction::{ClaimHere, Measured, ReproducedFigure};

use super::Context;
use super::figures::places;
use super::winners::{compared, is_last, properly_for_it};

/// The outcome of every claim: from this run's figures if the claim can be checked with them, otherwise from the
/// catalogue.
pub fn claims(context: &Context<'_>, figures: &[ReproducedFigure]) -> Vec<ClaimHere> {
    context.article.claims.iter().map(|claim| here(context, claim, figures)).collect()
}

fn here(context: &Context<'_>, claim: &Claim, figures: &[ReproducedFigure]) -> ClaimHere {
    let seen = claim.check.as_ref().and_then(|check| seen(context, check, figures));
    let (outcome, why) = match &seen {
        None => (claim.outcome, claim.why.clone()),
        Some((holds, words)) => {
            let here = if *holds { Outcome::Holds } else { Outcome::DoesNotHold };
            // A claim that contradicts itself, or the article's own data, keeps its outcome whatever this run shows.
            let stays = matches!(claim.outcome, Outcome::Contradiction | Outcome::Unsupported);
            (if stays { claim.outcome } else { here }, format!("In this run {words}. {}", claim.why))
        }
    };
    ClaimHere { claim: claim.name.clone(), outcome, why, checked: seen.is_some() }
}

/// Contenders of an article, with the properly measured figure of each.
type Group<'a> = Vec<(&'a String, Measured)>;

/// Whether the properly measured figures have the order of the check at each of its places, with the figures in words;
/// `None` if a contender lacks a figure at a place that the check names, or at all places.
fn seen(context: &Context<'_>, check: &Check, figures: &[ReproducedFigure]) -> Option<(bool, String)> {
    let test = context.article.test(&check.test)?;
    let metric = match &check.metric {
        Some(name) => test.metrics.iter().find(|metric| metric.name == *name)?,
        None => test.metrics.first()?,
    };
    let margin = context.record.plan.margin.0;
    let at_place = |at: &Option<String>| {
        let groups = found(check, metric, at.as_deref(), figures)?;
        let place = at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
        Some((is_so(check, metric.better, margin, &groups), format!("{place}: {}", words(metric, &groups))))
    };
    let all: Vec<(bool, String)> = match check.at.as_slice() {
        [] => places(test, metric).iter().filter_map(at_place).collect(),
        named => named.iter().map(|at| at_place(&Some(at.clone()))).collect::<Option<_>>()?,
    };
    let words: Vec<&str> = all.iter().map(|(_, words)| words.as_str()).collect();
    (!all.is_empty()).then(|| (all.iter().all(|(is_so, _)| *is_so), format!("{}{}", check.test, words.join(";"))))
}

fn is_so(check: &Check, better: Better, margin: f64, groups: &[Group<'_>]) -> bool {
    let all = |one: &Group<'_>, other: &Group<'_>, wanted: i8| {
        one.iter().all(|(_, a)| other.iter().all(|(_, b)| compared(better, margin, *a, *b) == wanted))
    };
    let least = check.at_least.unwrap_or(1.0);
    let times = |one: Measured, other: Measured| match better {
        Better::Higher => one.median / other.median,
        Better::Lower => other.median / one.median,
    };
    let by_as_much =
        |one: &Group<'_>, other: &Group<'_>| one.iter().all(|(_, a)| other.iter().all(|(_, b)| times(*a, *b) >= least));
    match groups {
        [equals] => all(equals, equals, 0),
        groups => groups.windows(2).all(|pair| all(&pair[0], &pair[1], 1) && by_as_much(&pair[0], &pair[1])),
    }
}

fn words(metric: &PublishedMetric, groups: &[Group<'_>]) -> String {
    let word = |(name, measured): &(&String, Measured)| match is_last(metric.better, *measured) {
        true => format!("{name} did not finish"),
        false => format!("{name} {} {}", short(measured.median), metric.unit),
    };
    groups.iter().flatten().map(word).collect::<Vec<_>>().join(", ")
}

/// The groups of a check with their figures at a place. A contender that ran out of time ranks behind those that
/// finished.
fn found<'a>(
    check: &'a Check,
    metric: &PublishedMetric,
    at: Option<&str>,
    figures: &[ReproducedFigure],
) -> Option<Vec<Group<'a>>> {
    let is_of = |figure: &&ReproducedFigure| {
        figure.test == check.test && figure.metric == metric.name && figure.at.as_deref() == at
    };
    let of = |name: &'a String| {
        let figure = figures.iter().filter(is_of).find(|figure| figure.name.as_ref() == Some(name))?;
        Some((name, properly_for_it(figure, metric.better).filter(|measured| measured.is_valid)?))
    };
    check.order.iter().map(|group| group.iter().map(of).collect()).collect()
}

/// The value with three significant digits.
fn short(value: f64) -> String {
    let digits = 2 - value.abs().max(f64::MIN_POSITIVE).log10().floor() as i32;
    format!("{value:.*}", digits.clamp(0, 6) as usize)
}
