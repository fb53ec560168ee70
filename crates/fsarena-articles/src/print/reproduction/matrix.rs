//! The page's picture of a reproduction: tests and contenders in the colours of articles, published and measured here.

use crate::article::{PublishedMetric, PublishedTest};
use crate::reproduction::Reproduction;
use fsarena_model::Better;
use fsarena_report::number::DASH;
use fsarena_report::report::ColumnKind::{Name, Words};
use fsarena_report::report::{Entry, Paragraph, Role, Section, Sentence, TableLook, TableOf};

use super::Form;
use super::bars::{Bar, shade};
use super::charts::{Drawn, anchor, groups};

/// The explanation of the table.
const MEANING: &str = "The main figure of each test, as published and as measured here in the same way. Best, between \
    and worst are the order of the figures on each side, not verdicts. A test leads to its charts.";

/// A test at one place of its axis.
struct Row<'a> {
    test: &'a PublishedTest,
    metric: &'a PublishedMetric,
    anchor: String,
    place: String,
    published: Vec<Bar>,
    here: Vec<Bar>,
}

/// The table of all tests with several published figures.
pub fn matrix(reproduction: &Reproduction) -> Section {
    let rows: Vec<Row<'_>> =
        (1..).zip(&reproduction.article.tests).flat_map(|(number, test)| rows(reproduction, number, test)).collect();
    let published = columns(&rows, |row| &row.published).map(|label| (format!("{label} published"), label));
    let here = columns(&rows, |row| &row.here).map(|label| (format!("{label} here"), label));
    let table = TableOf::new(TableLook::Standings, &rows)
        .column(Name, "test", name)
        .column(Words, "unit", |row| &row.metric.unit)
        .columns(Words, published, |row, label| entry(row, &row.published, label))
        .columns(Words, here, |row, label| entry(row, &row.here, label))
        .done();
    Section::titled("Published, and measured in the same way").with(table).with(Paragraph::legend(MEANING))
}

fn rows<'a>(reproduction: &'a Reproduction, number: usize, test: &'a PublishedTest) -> Vec<Row<'a>> {
    let Some(metric) = test.metrics.first() else { return Vec::new() };
    let here = groups(reproduction, test, metric, Drawn::Here(Form::AsPublished));
    let row = |(place, published): (String, Vec<Bar>)| {
        let here = here.iter().find(|(other, _)| *other == place).map(|(_, bars)| bars.clone()).unwrap_or_default();
        (published.len() > 1).then(|| Row { test, metric, anchor: anchor(number), place, published, here })
    };
    groups(reproduction, test, metric, Drawn::Published).into_iter().filter_map(row).collect()
}

/// The labels of all bars, without duplicates.
fn columns(rows: &[Row<'_>], bars: for<'r> fn(&'r Row<'_>) -> &'r Vec<Bar>) -> impl Iterator<Item = String> {
    let mut labels: Vec<String> = Vec::new();
    for bar in rows.iter().flat_map(bars) {
        if !labels.contains(&bar.label) {
            labels.push(bar.label.clone());
        }
    }
    labels.into_iter()
}

fn name(row: &Row<'_>) -> Sentence {
    let place = if row.place.is_empty() { String::new() } else { format!("at {}", row.place) };
    Sentence::new(Role::Link(row.anchor.clone()), &row.test.title).and(Role::Plain, place)
}

fn entry(row: &Row<'_>, bars: &[Bar], label: &str) -> Entry {
    let Some(bar) = bars.iter().find(|bar| bar.label == label) else { return DASH.into() };
    let figure = Sentence::new(Role::Link(row.anchor.clone()), &bar.text);
    match shade(bar, bars, row.metric.better == Better::Higher) {
        Some(shade) => Entry::from(figure.and(Role::Verdict(shade), shade.to_string())).tinted(shade.to_string()),
        None => figure.into(),
    }
}
