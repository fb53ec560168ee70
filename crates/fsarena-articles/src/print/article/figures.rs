//! The figures and orders of a test of an article.

use crate::article::{Article, Figure, Precision, PublishedMetric, PublishedTest, StatedOrder};
use fsarena_model::Better;
use fsarena_report::TerminalStyle;
use fsarena_report::report::{ColumnKind, TableLook, TableOf};

use super::{indented, paragraph};

/// The table of a test: one row for each metric with figures, one column for each contender with a figure.
pub fn of_test(article: &Article, test: &PublishedTest, style: TerminalStyle) -> Option<String> {
    let rows: Vec<&PublishedMetric> = test.metrics.iter().filter(|metric| !metric.figures.is_empty()).collect();
    let has = |name: &&str| rows.iter().any(|metric| !of(metric, name).is_empty());
    let contenders: Vec<&str> = article.contenders.iter().map(|contender| &*contender.name).filter(has).collect();
    let contenders = contenders.into_iter().map(|name| (name.to_owned(), name));
    let table = TableOf::new(TableLook::Full, &rows)
        .column(ColumnKind::Name, "metric", |metric| &metric.name)
        .column(ColumnKind::Words, "unit", |metric| &metric.unit)
        .column(ColumnKind::Words, "better", |metric| better(metric))
        .columns(ColumnKind::Figure, contenders, |metric, name| of(metric, name))
        .done();
    (!rows.is_empty()).then(|| indented(&table, style))
}

fn better(metric: &PublishedMetric) -> &'static str {
    match metric.better {
        Better::Higher => "higher",
        Better::Lower => "lower",
    }
}

/// The figures of a contender in a metric, as the article writes them.
fn of(metric: &PublishedMetric, name: &str) -> String {
    let figures = metric.figures.iter().filter(|figure| figure.contender == name);
    figures.map(written).collect::<Vec<_>>().join(", ")
}

fn written(figure: &Figure) -> String {
    let bound = match figure.precision {
        Precision::Exact => "",
        Precision::About => "≈ ",
        Precision::AtMost => "≤ ",
        Precision::AtLeast => "≥ ",
    };
    let at = figure.at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
    format!("{bound}{}{at}", figure.text)
}

/// Other places in the article with figures of a test, and their texts there.
pub fn again(test: &PublishedTest, style: TerminalStyle) -> Option<String> {
    let of_figure = |metric: &PublishedMetric, figure: &Figure| {
        let start = format!("{}, {}", metric.name, figure.contender);
        let all = figure.again.iter().map(|again| format!("{start}: {} ({})", again.text, again.place));
        all.collect::<Vec<_>>()
    };
    let of_metric = |metric: &PublishedMetric| -> Vec<String> {
        metric.figures.iter().flat_map(|figure| of_figure(metric, figure)).collect()
    };
    let all: Vec<String> = test.metrics.iter().flat_map(of_metric).collect();
    (!all.is_empty()).then(|| paragraph(&format!("given again: {}", all.join("; ")), style))
}

/// The orders that the article states, with their metric if the test has several.
pub fn orders(test: &PublishedTest, style: TerminalStyle) -> Vec<String> {
    let of_metric = |metric: &PublishedMetric| -> Vec<String> {
        let of = if test.metrics.len() > 1 { format!(" by {}", metric.name) } else { String::new() };
        metric.rankings.iter().map(|ranking| order(ranking, &of, style)).collect()
    };
    test.metrics.iter().flat_map(of_metric).collect()
}

fn order(ranking: &StatedOrder, of: &str, style: TerminalStyle) -> String {
    let at = ranking.at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
    let groups: Vec<String> = ranking.order.iter().map(|group| group.join(" = ")).collect();
    let unfinished = match ranking.did_not_finish.is_empty() {
        true => String::new(),
        false => format!("; did not finish: {}", ranking.did_not_finish.join(", ")),
    };
    paragraph(&format!("order{of}{at}: {}{unfinished} \"{}\"", groups.join(" > "), ranking.original), style)
}
