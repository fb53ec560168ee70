//! Every figure of an article, published and here.

use std::collections::BTreeMap;

use fsarena_model::Label;
use fsarena_model::article::{PublishedMetric, PublishedTest, Source};
use fsarena_model::reproduction::{Measured, ReproducedFigure};

use super::Context;
use super::source::{ByRound, by_round, measured};

/// Every figure, by test, metric, place on the axis and contender: the article's, in its order, and then further ones here.
pub fn figures(context: &Context<'_>) -> Vec<ReproducedFigure> {
    let mut figures = Vec::new();
    for test in &context.article.tests {
        for metric in &test.metrics {
            for at in places(test, metric) {
                figures.extend(rows(context, test, metric, at.as_deref()));
            }
        }
    }
    figures
}

/// The places on the axis that a metric has; one that is none, where there is no axis.
pub fn places(test: &PublishedTest, metric: &PublishedMetric) -> Vec<Option<String>> {
    let mut places: Vec<Option<String>> = test.places.iter().cloned().map(Some).collect();
    let figures = metric.figures.iter().map(|figure| figure.at.clone());
    for place in figures.chain(metric.rankings.iter().map(|ranking| ranking.at.clone())) {
        if !places.contains(&place) && (place.is_some() || test.places.is_empty()) {
            places.push(place);
        }
    }
    if places.is_empty() { vec![None] } else { places }
}

fn rows(
    context: &Context<'_>,
    test: &PublishedTest,
    metric: &PublishedMetric,
    at: Option<&str>,
) -> Vec<ReproducedFigure> {
    let contenders = &context.record.plan.contenders;
    let named = context.article.contenders.iter().zip(&context.stand_ins);
    let named = named.map(|(published, here)| (Some(published.name.clone()), *here));
    let is_further = |number: &usize| !context.stand_ins.contains(&Some(*number));
    let further = (0..contenders.len()).filter(is_further).map(|number| (None, Some(number)));
    let row = |(name, here): (Option<String>, Option<usize>)| {
        let label = here.map(|number| contenders[number].label.clone());
        let published =
            metric.figures.iter().find(|figure| Some(&figure.contender) == name.as_ref() && figure.at.as_deref() == at);
        let sources = label.as_ref().map(|label| sourced(context, test, metric, at, label)).unwrap_or_default();
        ReproducedFigure {
            test: test.name.clone(),
            metric: metric.name.clone(),
            unit: metric.unit.clone(),
            better: metric.better,
            at: at.map(str::to_owned),
            name,
            contender: label,
            published: published.map(|figure| (figure.value, figure.text.clone())),
            as_published: sources.as_published,
            plainly: sources.plainly,
            properly: sources.properly,
        }
    };
    named.chain(further).map(row).filter(says_something).collect()
}

/// A contender that was neither published nor measured has no row.
fn says_something(figure: &ReproducedFigure) -> bool {
    figure.published.is_some() || figure.as_published.is_some() || figure.properly.is_some()
}

#[derive(Default)]
struct Sourced {
    as_published: Option<Measured>,
    plainly: Option<Measured>,
    properly: Option<Measured>,
}

fn sourced(
    context: &Context<'_>,
    test: &PublishedTest,
    metric: &PublishedMetric,
    at: Option<&str>,
    label: &Label,
) -> Sourced {
    let of = |source: &Source| one(context, source, metric, at, label);
    let mut as_published = test.as_published.iter().filter_map(of);
    let (first, second) = (as_published.next(), as_published.next());
    let properly = test.properly.iter().find_map(of);
    let over_rounds = |rounds: Option<ByRound>| measured(&rounds?);
    Sourced { as_published: over_rounds(first), plainly: over_rounds(second), properly: over_rounds(properly) }
}

fn one(
    context: &Context<'_>,
    source: &Source,
    metric: &PublishedMetric,
    at: Option<&str>,
    label: &Label,
) -> Option<ByRound> {
    let rounds = by_round(context.record, source, at, label, metric.quantity?);
    (!rounds.is_empty()).then_some(rounds)
}

/// What the proper form of a test's metric says of each of these contenders in each round in which all of them have it.
pub fn properly_by_round(
    context: &Context<'_>,
    test: &PublishedTest,
    metric: &PublishedMetric,
    at: Option<&str>,
    labels: &[&Label],
) -> Vec<Vec<f64>> {
    let of = |label: &&Label| test.properly.iter().find_map(|source| one(context, source, metric, at, label));
    let Some(all) = labels.iter().map(of).collect::<Option<Vec<ByRound>>>() else { return Vec::new() };
    let mut rounds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (round, value) in all.iter().flatten() {
        rounds.entry(*round).or_default().push(*value);
    }
    rounds.into_values().filter(|values| values.len() == labels.len()).collect()
}
