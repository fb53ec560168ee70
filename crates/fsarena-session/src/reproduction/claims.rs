//! What became of an article's claims here.

use fsarena_model::Better;
use fsarena_model::article::{Check, Claim, Outcome, PublishedMetric};
use fsarena_model::reproduction::{ClaimHere, Measured, ReproducedFigure};

use super::Context;
use super::winners::compared;

/// Every claim: as this run's figures say where it can be checked by them, otherwise as the catalogue says.
pub fn claims(context: &Context<'_>, figures: &[ReproducedFigure]) -> Vec<ClaimHere> {
    context.article.claims.iter().map(|claim| here(context, claim, figures)).collect()
}

fn here(context: &Context<'_>, claim: &Claim, figures: &[ReproducedFigure]) -> ClaimHere {
    let seen = claim.check.as_ref().and_then(|check| seen(context, check, figures));
    let (outcome, why) = match &seen {
        None => (claim.outcome, claim.why.clone()),
        Some((holds, words)) => {
            let here = if *holds { Outcome::Holds } else { Outcome::DoesNotHold };
            // What contradicts itself, or its own data, is not mended by what is so here.
            let stays = matches!(claim.outcome, Outcome::Contradiction | Outcome::Unsupported);
            (if stays { claim.outcome } else { here }, format!("In this run {words}. {}", claim.why))
        }
    };
    ClaimHere { claim: claim.name.clone(), outcome, why, checked: seen.is_some() }
}

/// Whether the order of a check is that of the figures here, properly measured, and which those are; `None` where one of them
/// was not measured.
fn seen(context: &Context<'_>, check: &Check, figures: &[ReproducedFigure]) -> Option<(bool, String)> {
    let metrics = &context.article.test(&check.test)?.metrics;
    let metric = match &check.metric {
        Some(name) => metrics.iter().find(|metric| metric.name == *name)?,
        None => metrics.first()?,
    };
    let groups: Vec<Vec<(&String, Measured)>> =
        check.order.iter().map(|group| found(check, metric, group, figures)).collect::<Option<_>>()?;
    let margin = context.record.plan.margin.0;
    let order = |one: Measured, other: Measured| compared(metric.better, margin, one, other);
    let all = |one: &[(&String, Measured)], other: &[(&String, Measured)], wanted: i8| {
        one.iter().all(|(_, a)| other.iter().all(|(_, b)| order(*a, *b) == wanted))
    };
    let least = check.at_least.unwrap_or(1.0);
    let times = |one: Measured, other: Measured| match metric.better {
        Better::Higher => one.median / other.median,
        Better::Lower => other.median / one.median,
    };
    let by_as_much = |one: &[(&String, Measured)], other: &[(&String, Measured)]| {
        one.iter().all(|(_, a)| other.iter().all(|(_, b)| times(*a, *b) >= least))
    };
    let is_so = match groups.as_slice() {
        [equals] => all(equals, equals, 0),
        groups => groups.windows(2).all(|pair| all(&pair[0], &pair[1], 1) && by_as_much(&pair[0], &pair[1])),
    };
    let word = |(name, measured): &(&String, Measured)| format!("{name} {} {}", short(measured.median), metric.unit);
    let words: Vec<String> = groups.iter().flatten().map(word).collect();
    Some((is_so, format!("{}: {}", check.test, words.join(", "))))
}

fn found<'a>(
    check: &Check,
    metric: &PublishedMetric,
    group: &'a [String],
    figures: &[ReproducedFigure],
) -> Option<Vec<(&'a String, Measured)>> {
    let of = |name: &'a String| {
        let mut own = figures.iter().filter(|figure| figure.test == check.test && figure.metric == metric.name);
        Some((
            name,
            own.find(|figure| figure.name.as_ref() == Some(name))?
                .properly_for_it
                .filter(|measured| measured.is_valid)?,
        ))
    };
    group.iter().map(of).collect()
}

/// To three significant digits.
fn short(value: f64) -> String {
    let digits = 2 - value.abs().max(f64::MIN_POSITIVE).log10().floor() as i32;
    format!("{value:.*}", digits.clamp(0, 6) as usize)
}
