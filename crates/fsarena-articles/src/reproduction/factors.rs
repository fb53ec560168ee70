//! Speed-ups over an article's base contender and their factors; and the article's figures over all tests.

use crate::article::{Computed, MetricSummary, Reckoning, Together};
use crate::reproduction::{MeasuredFigure, RatioOfArticle, ReproducedFigure, SummaryRow};
use fsarena_model::{Better, Label, distinct};

use super::Context;

/// How many times better each of the article's other contenders is than its base, by test, in the first metric of the
/// test; empty without a base.
pub fn factors(context: &Context<'_>, figures: &[ReproducedFigure]) -> Vec<RatioOfArticle> {
    let Some(base) = &context.article.base else { return Vec::new() };
    let ranking = |figure: &&ReproducedFigure| {
        let test = context.article.test(&figure.test);
        test.and_then(|test| test.metrics.first()).is_some_and(|metric| metric.name == figure.metric)
    };
    let figures: Vec<&ReproducedFigure> = figures.iter().filter(ranking).collect();
    let others = figures.iter().filter(|figure| figure.name.as_ref().is_some_and(|name| name != base));
    let of_base = |other: &ReproducedFigure| {
        let mut own = figures.iter().filter(|figure| figure.name.as_ref() == Some(base));
        own.find(|figure| figure.test == other.test && figure.at == other.at).copied()
    };
    others.filter_map(|other| Some(factor(of_base(other)?, other))).collect()
}

fn factor(base: &ReproducedFigure, other: &ReproducedFigure) -> RatioOfArticle {
    let times = |base: Option<f64>, other: Option<f64>| Some(base? / other?).filter(|times| times.is_finite());
    let turned = |value: Option<f64>| value.map(|value| if base.better == Better::Lower { value } else { 1.0 / value });
    let median = |measured: Option<MeasuredFigure>| turned(measured.map(|measured| measured.median));
    let published = |figure: &ReproducedFigure| turned(figure.published.as_ref().map(|(value, _)| *value));
    // A test without a shell or program has one measured form, which is the plain one.
    let plainly = |figure: &ReproducedFigure| median(figure.plainly.or(figure.as_published));
    RatioOfArticle {
        test: other.test.clone(),
        name: other.name.clone().unwrap_or_default(),
        published: times(published(base), published(other)),
        as_published: times(median(base.as_published), median(other.as_published)),
        harness: base.plainly.and_then(|_| times(median(base.as_published), plainly(base))),
        plainly: base.plainly.and_then(|_| times(plainly(base), plainly(other))),
        properly: times(median(base.properly_for_it), median(other.properly_for_it)),
    }
}

/// The article's figures over all tests: as stated, as computed from its data, and as measured here.
pub fn summaries(context: &Context<'_>, figures: &[ReproducedFigure]) -> Vec<SummaryRow> {
    context.article.summaries.iter().flat_map(|summary| rows(context, summary, figures)).collect()
}

fn rows(context: &Context<'_>, summary: &MetricSummary, figures: &[ReproducedFigure]) -> Vec<SummaryRow> {
    let own: Vec<&ReproducedFigure> = figures.iter().filter(|figure| figure.metric == summary.metric).collect();
    let whose = distinct(own.iter().map(|figure| (figure.name.as_ref(), figure.contender.as_ref())));
    let tests = context.article.tests.iter();
    let tests = tests.filter(|test| test.metrics.iter().any(|metric| metric.name == summary.metric)).count();
    let row = |(name, contender): (Option<&String>, Option<&Label>)| {
        let is_its =
            |figure: &&&ReproducedFigure| (figure.name.as_ref(), figure.contender.as_ref()) == (name, contender);
        let its: Vec<&ReproducedFigure> = own.iter().filter(is_its).copied().collect();
        let of = |value: &dyn Fn(&ReproducedFigure) -> Option<f64>| {
            let values: Vec<f64> = its.iter().filter_map(|figure| value(figure)).collect();
            (values.len() == tests).then(|| together(summary.of, &values))
        };
        SummaryRow {
            title: summary.title.clone(),
            unit: own.first().map(|figure| figure.unit.clone()).unwrap_or_default(),
            name: name.cloned(),
            contender: contender.cloned(),
            stated: name.and_then(|name| stated(context, summary, name)),
            published: of(&|figure| figure.published.as_ref().map(|(value, _)| *value)),
            as_published: of(&|figure| figure.as_published.map(|measured| measured.median)),
            properly: of(&|figure| {
                let own = if name.is_some() { figure.properly_for_it } else { figure.properly };
                own.map(|measured| measured.median)
            }),
        }
    };
    whose.into_iter().map(row).collect()
}

/// The text of the figure in the article's claims, if a claim states it.
fn stated(context: &Context<'_>, summary: &MetricSummary, name: &str) -> Option<String> {
    let is_it = |computed: &&Computed| match (&computed.from, summary.of) {
        (Some(Reckoning::Total { metric, of }), Together::Sum)
        | (Some(Reckoning::Mean { metric, of }), Together::Mean) => *metric == summary.metric && of == name,
        _ => false,
    };
    let mut computed = context.article.claims.iter().flat_map(|claim| &claim.computed);
    computed.find(is_it).map(|computed| computed.text.clone())
}

fn together(how: Together, values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    match how {
        Together::Sum => sum,
        Together::Mean => sum / values.len() as f64,
    }
}
