//! The figures of an article by test: published, measured as published, and measured properly.

use crate::reproduction::ReproducedFigure;
use crate::reproduction::Reproduction;
use fsarena_model::Label;

use super::{Form, Found, UNFINISHED, printed};
use fsarena_report::number::DASH;
use fsarena_report::report::{Paragraph, Section, Table};

/// A row of a table: a metric of a test at a place on its axis.
type Key<'a> = (&'a str, &'a str, &'a str, Option<&'a str>);

/// The published figures, and those measured as published.
pub fn as_published(reproduction: &Reproduction) -> Section {
    let published = published_names(reproduction);
    let labels = labels(reproduction, Form::AsPublished);
    let mut head: Vec<String> = ["test", "figure", "unit"].map(str::to_owned).to_vec();
    head.extend(published.iter().map(|name| format!("{name} published")));
    head.extend(labels.iter().map(ToString::to_string));
    let row = |key: &Key<'_>| {
        let own = own(reproduction, key);
        let is_here = own.iter().any(|figure| Form::AsPublished.of(figure).is_some());
        let is_there = own.iter().any(|figure| figure.published.is_some() || figure.unfinished.published);
        let is_shown = is_here || (is_there && could_be_taken(reproduction, key));
        if !is_shown {
            return None;
        }
        let text = |name: &&str| {
            let figure = own.iter().find(|figure| figure.name.as_deref() == Some(name));
            match figure {
                Some(figure) if figure.unfinished.published => UNFINISHED.to_owned(),
                Some(ReproducedFigure { published: Some((_, text)), .. }) => text.clone(),
                _ => DASH.to_owned(),
            }
        };
        let here = labels.iter().map(|label| of(&own, label, Form::AsPublished));
        Some(named(key).into_iter().chain(published.iter().map(text)).chain(here).collect())
    };
    let table = Table::from_rows(head, keys(reproduction).iter().filter_map(row), 3);
    let meaning = "Published: as the article prints it, on its own machine. Then the same test, done in the same way, \
        on this machine.";
    Section::titled("As it was published").with(table).with(Paragraph::legend(meaning))
}

/// The figures that are measured properly.
pub fn properly(reproduction: &Reproduction) -> Section {
    let labels = labels(reproduction, Form::Properly);
    let mut head: Vec<String> = ["test", "figure", "unit"].map(str::to_owned).to_vec();
    head.extend(labels.iter().map(ToString::to_string));
    let row = |key: &Key<'_>| {
        let own = own(reproduction, key);
        let here = labels.iter().map(|label| of(&own, label, Form::Properly));
        let has_one = own.iter().any(|figure| Form::Properly.of(figure).is_some());
        has_one.then(|| named(key).into_iter().chain(here).collect())
    };
    let table = Table::from_rows(head, keys(reproduction).iter().filter_map(row), 3);
    let meaning = "In one process, what is written durable within its time, what is read cold where that was meant; \
        the median over rounds. A figure with a question mark is of a cell that allows no verdict (see the notes); it \
        enters no order.";
    Section::titled("As it should be measured").with(table).with(Paragraph::legend(meaning))
}

/// Whether this figure can be measured here, if its contender takes part.
fn could_be_taken(reproduction: &Reproduction, (test, metric, _, _): &Key<'_>) -> bool {
    let metrics = reproduction.article.test(test).map(|test| test.metrics.iter()).into_iter().flatten();
    metrics.filter(|one| one.name == *metric).any(|one| one.quantity.is_some())
}

fn of(own: &[&ReproducedFigure], label: &Label, form: Form) -> String {
    let figure = own.iter().find(|figure| figure.contender.as_ref() == Some(label));
    match figure.and_then(|figure| Some((figure, form.of(figure)?))) {
        None => DASH.to_owned(),
        Some((_, Found::Unfinished)) => UNFINISHED.to_owned(),
        Some((figure, Found::Figure(measured))) => {
            let doubt = if measured.is_valid { "" } else { " ?" };
            printed(Some(measured.median), &figure.unit) + doubt
        }
    }
}

/// The rows in their order, without duplicates.
fn keys(reproduction: &Reproduction) -> Vec<Key<'_>> {
    let mut keys: Vec<Key<'_>> = Vec::new();
    for figure in &reproduction.figures {
        let key = (figure.test.as_str(), figure.metric.as_str(), figure.unit.as_str(), figure.at.as_deref());
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

fn named((test, metric, unit, at): &Key<'_>) -> Vec<String> {
    let place = at.map(|at| format!(" at {at}")).unwrap_or_default();
    vec![(*test).to_owned(), format!("{metric}{place}"), (*unit).to_owned()]
}

fn own<'a>(reproduction: &'a Reproduction, (test, metric, _, at): &Key<'_>) -> Vec<&'a ReproducedFigure> {
    let is_its = |figure: &&ReproducedFigure| {
        (figure.test.as_str(), figure.metric.as_str(), figure.at.as_deref()) == (*test, *metric, *at)
    };
    reproduction.figures.iter().filter(is_its).collect()
}

/// The article's contenders that have a published figure of a test that is done here.
fn published_names(reproduction: &Reproduction) -> Vec<&str> {
    let names = reproduction.article.contenders.iter().map(|contender| contender.name.as_str());
    let has = |name: &&str| {
        let mut own = reproduction.figures.iter().filter(|figure| figure.name.as_deref() == Some(name));
        own.any(|figure| figure.published.is_some() || figure.unfinished.published)
    };
    names.filter(has).collect()
}

/// The contenders here that have a figure of this form, in the order of their first figures.
fn labels(reproduction: &Reproduction, form: Form) -> Vec<Label> {
    let mut labels: Vec<Label> = Vec::new();
    for figure in reproduction.figures.iter().filter(|figure| form.of(figure).is_some()) {
        if let Some(label) = figure.contender.as_ref().filter(|label| !labels.contains(label)) {
            labels.push(label.clone());
        }
    }
    labels
}
