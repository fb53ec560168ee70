//! Every figure of an article, as published and as measured here.

use std::collections::BTreeMap;

use crate::article::{PublishedMetric, PublishedTest, Source};
use crate::reproduction::{MeasuredFigure, ReproducedFigure, StandIn, Unfinished};
use fsarena_library::Library;
use fsarena_model::{Contender, Durability, Label, distinct};

use super::Context;
use super::source::{ByRound, by_round, is_out_of_time, measured};

/// A metric of a test at a place on its axis.
#[derive(Clone, Copy)]
pub struct MetricAt<'a> {
    /// The test.
    pub test: &'a PublishedTest,
    /// The metric.
    pub metric: &'a PublishedMetric,
    /// The place; `None` without an axis.
    pub at: Option<&'a str>,
}

impl MetricAt<'_> {
    /// Whether the figure belongs to it.
    pub fn has(&self, figure: &ReproducedFigure) -> bool {
        figure.test == self.test.name && figure.metric == self.metric.name && figure.at.as_deref() == self.at
    }
}

/// Every figure, by test, metric, place on the axis and contender: first the article's contenders in its order, then
/// further contenders of this run.
pub fn figures(context: &Context<'_>) -> Vec<ReproducedFigure> {
    let mut figures = Vec::new();
    for test in &context.article.tests {
        for metric in &test.metrics {
            for at in places(test, metric) {
                figures.extend(rows(context, MetricAt { test, metric, at: at.as_deref() }));
            }
        }
    }
    figures
}

/// The places on the axis that a metric has; a single `None` if it has no axis.
pub fn places(test: &PublishedTest, metric: &PublishedMetric) -> Vec<Option<String>> {
    let own = test.places.iter().cloned().map(Some);
    let figures = metric.figures.iter().map(|figure| figure.at.clone());
    // A ranking without a place holds for all places, and a ranking of a range holds for each place in it.
    let of_one = metric.rankings.iter().filter(|ranking| ranking.range(test).is_none());
    let rankings = of_one.map(|ranking| ranking.at.clone());
    let rankings = rankings.filter(|at| at.is_some() || test.places.is_empty());
    let places = distinct(own.chain(figures).chain(rankings));
    if places.is_empty() { vec![None] } else { places }
}

fn rows(context: &Context<'_>, metric_at: MetricAt<'_>) -> Vec<ReproducedFigure> {
    let MetricAt { test, metric, at } = metric_at;
    let stand_ins = &context.stand_ins;
    let named = stand_ins.iter().map(|one| (Some(one), one.as_published.as_ref()));
    let labels = context.record.plan.contenders.iter().map(|contender| &contender.label);
    let further = labels.filter(|label| stand_ins.iter().all(|one| one.as_published.as_ref() != Some(*label)));
    let further = further.map(|label| (None, Some(label)));
    let row = |(stand_in, label): (Option<&StandIn>, Option<&Label>)| {
        let name = stand_in.map(|one| one.name.clone());
        let published =
            metric.figures.iter().find(|figure| Some(&figure.contender) == name.as_ref() && figure.at.as_deref() == at);
        let sources = label.map(|label| sourced(context, metric_at, label)).unwrap_or_default();
        let properly = stand_in.and_then(|one| one.properly.as_ref());
        let by_it = properly.map(|other| sourced(context, metric_at, other)).unwrap_or_default();
        ReproducedFigure {
            unfinished: Unfinished {
                published: name.as_ref().is_some_and(|name| did_not_finish(metric, at, name)),
                as_published: sources.is_unfinished,
                properly: sources.is_unfinished_properly,
                properly_for_it: by_it.is_unfinished_properly,
            },
            test: test.name.clone(),
            metric: metric.name.clone(),
            unit: metric.unit.clone(),
            better: metric.better,
            at: at.map(str::to_owned),
            name,
            contender: label.cloned(),
            published: published.map(|figure| (figure.value, figure.text.clone())),
            as_published: sources.as_published,
            plainly: sources.plainly,
            properly: sources.properly,
            properly_for_it: by_it.properly,
        }
    };
    named.chain(further).map(row).filter(says_something).collect()
}

/// Whether a row has content. A contender that was neither published nor measured gets no row.
fn says_something(figure: &ReproducedFigure) -> bool {
    figure.published.is_some()
        || !figure.unfinished.is_none()
        || figure.as_published.is_some()
        || figure.properly.is_some()
        || figure.properly_for_it.is_some()
}

#[derive(Default)]
struct Sourced {
    as_published: Option<MeasuredFigure>,
    plainly: Option<MeasuredFigure>,
    properly: Option<MeasuredFigure>,
    is_unfinished: bool,
    is_unfinished_properly: bool,
}

/// Whether the article says that a contender did not finish.
fn did_not_finish(metric: &PublishedMetric, at: Option<&str>, name: &String) -> bool {
    let own = metric.rankings.iter().filter(|ranking| ranking.at.is_none() || ranking.at.as_deref() == at);
    own.flat_map(|ranking| &ranking.did_not_finish).any(|one| one == name)
}

fn sourced(context: &Context<'_>, metric_at: MetricAt<'_>, label: &Label) -> Sourced {
    let MetricAt { test, metric, at } = metric_at;
    let of = |source: &Source| {
        let rounds = by_round(context, source, metric_at, label)?;
        measured(&rounds, allows_verdict(context, &source.at(at).workload, label))
    };
    // The workload of the first source that the contender supports, also if it was not run: others are done otherwise.
    let first = test.as_published.iter().find(|source| supports(context, label, &source.at(at).workload));
    let is_first = |source: &&Source| first.is_some_and(|first| first.workload == source.workload);
    let (own, others): (Vec<&Source>, Vec<&Source>) = test.as_published.iter().partition(is_first);
    // A contender that does not keep synced data cannot be measured properly.
    let keeps = context.analysis.durability(label) == Some(Durability::Flushed);
    let properly = test.properly.iter().find_map(of).filter(|_| keeps);
    let is_unfinished = |sources: &[&Source]| metric.quantity.is_some() && is_out_of_time(context, sources, at, label);
    Sourced {
        as_published: own.iter().copied().find_map(of),
        plainly: others.into_iter().find_map(of),
        properly,
        is_unfinished: is_unfinished(&own),
        is_unfinished_properly: keeps && is_unfinished(&test.properly.iter().collect::<Vec<_>>()),
    }
}

/// Whether a contender supports a workload. Of those that are not run, a library supports none: they start programs.
fn supports(context: &Context<'_>, label: &Label, workload: &str) -> bool {
    let plan = &context.record.plan;
    let is_run = plan.workloads.iter().any(|own| own.name == *workload);
    let is_library = |own: &Contender| own.label == *label && Library::named(&own.kind).is_some();
    plan.takes_part(label, workload) && (is_run || !plan.contenders.iter().any(is_library))
}

/// Whether the validity of a cell allows a verdict.
fn allows_verdict(context: &Context<'_>, workload: &str, label: &Label) -> bool {
    let cell = context.comparison.cell(workload, label);
    cell.is_none_or(|cell| !cell.validity.iter().any(|flag| flag.class.forbids_verdict()))
}

/// The properly measured figures of these contenders, for each round in which all of them have one.
pub fn properly_by_round(context: &Context<'_>, metric_at: MetricAt<'_>, labels: &[&Label]) -> Vec<Vec<f64>> {
    let sources = &metric_at.test.properly;
    let of = |label: &&Label| sources.iter().find_map(|source| by_round(context, source, metric_at, label));
    let Some(all) = labels.iter().map(of).collect::<Option<Vec<ByRound>>>() else { return Vec::new() };
    let mut rounds: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (round, value) in all.iter().flatten() {
        rounds.entry(*round).or_default().push(*value);
    }
    rounds.into_values().filter(|values| values.len() == labels.len()).collect()
}
