//! Which direction of figures is better: the higher one of rates, and of names that say nothing, such as `value`.

use std::collections::HashSet;

use super::super::ReadError;
use super::super::time::{is_cost, is_rate, is_time, is_time_alone, without_quantities, words};
use super::{CsvColumns, CsvRecord};
use crate::measured::{InputFacts, Measured};

/// Words of titles that say no more than that a figure follows.
const PLAIN: [&str; 19] = [
    "v", "x", "y", "val", "value", "values", "number", "result", "results", "measurement", "score", "points", "figure",
    "perf", "performance", "mean", "average", "avg", "median",
];

/// What is known of figures by a name that they have.
#[derive(Clone, Copy, PartialEq)]
enum NamedFigure {
    Time,
    Rate,
    /// Something else, or a time at a rate: less may be better.
    Other,
}

/// Refuses a table without a direction, unless its figures are rates or have plain names, and one of times and rates.
pub(super) fn check(
    name: &str,
    columns: &CsvColumns,
    header: &CsvRecord<'_>,
    rows: &[Measured],
) -> Result<(), ReadError> {
    let figures = if columns.contenders.is_empty() { columns.value.clone() } else { columns.contenders.join(",") };
    let title = titled(&figures, header).map(|kind| (figures.as_str(), kind));
    let unknown = Some((figures.as_str(), NamedFigure::Other)).filter(|(title, _)| !is_plain(title));
    let mut known = HashSet::new();
    let mut found: Vec<(String, &str, NamedFigure)> = Vec::new();
    for row in rows {
        if !known.insert((&row.unit, &row.workload, InputFacts::as_ptr(&row.work))) {
            continue;
        }
        let unit = Some(row.unit.as_str()).filter(|unit| !unit.is_empty());
        let of_unit = unit.map(|unit| (unit, named(unit).unwrap_or(NamedFigure::Other)));
        let workload = columns.workload.is_some().then_some(&row.workload);
        let cells = || {
            let cells = || workload.into_iter().chain(row.work.values()).map(String::as_str);
            let of = |kind| cells().find(|cell| celled(cell) == Some(kind)).map(|cell| (cell, kind));
            of(NamedFigure::Time).or_else(|| of(NamedFigure::Rate)).or_else(|| of(NamedFigure::Other))
        };
        let Some((word, kind)) = of_unit.or(title).or_else(cells).or(unknown) else { continue };
        if found.iter().all(|(_, _, other)| *other != kind) {
            found.push((if word == figures { name.to_owned() } else { row.source.clone() }, word, kind));
        }
    }
    let of = |kind| found.iter().find(|(_, _, other)| *other == kind);
    let refused = |place: &str, why: String, hint| Err(ReadError::Malformed { place: place.to_owned(), why, hint });
    if let (Some((place, time, _)), Some((_, rate, _))) = (of(NamedFigure::Time), of(NamedFigure::Rate)) {
        let why = format!("`{time}` is the name of a time, and `{rate}` of a rate: no direction is better for both");
        return refused(place, why, "judge times and rates apart, with `--lower` for the times");
    }
    let doubt = |kind, what: &'static str| Some((of(kind)?, what));
    let doubt =
        doubt(NamedFigure::Time, "the name of a time").or_else(|| doubt(NamedFigure::Other, "no clear name of a rate"));
    match doubt.filter(|_| columns.better.is_none()) {
        Some(((place, word, _), what)) => refused(
            place,
            format!("`{word}` is {what}, and which direction is better is not given"),
            "add `--lower`, or `--higher` if higher figures are better",
        ),
        None => Ok(()),
    }
}

/// The title of the figures. All figures of hyperfine's `--export-csv` are times.
fn titled(title: &str, header: &CsvRecord<'_>) -> Option<NamedFigure> {
    const HYPERFINE: [&str; 4] = ["command", "mean", "stddev", "median"];
    let is_hyperfine = HYPERFINE.iter().all(|title| header.fields.iter().any(|field| field.trim() == *title));
    if is_hyperfine || is_time_alone(title) { Some(NamedFigure::Time) } else { named(title) }
}

/// A cell that says what was measured, as `randread p99 latency [us]`.
fn celled(cell: &str) -> Option<NamedFigure> {
    named(&without_quantities(cell))
}

fn named(name: &str) -> Option<NamedFigure> {
    match (is_time(name), is_rate(name)) {
        _ if is_cost(name) => Some(NamedFigure::Other),
        (true, true) => Some(NamedFigure::Other),
        (true, false) => Some(NamedFigure::Time),
        (false, true) => Some(NamedFigure::Rate),
        (false, false) => None,
    }
}

fn is_plain(title: &str) -> bool {
    let mut words = words(title).into_iter().filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(|word| PLAIN.contains(&word.as_str()))
}
