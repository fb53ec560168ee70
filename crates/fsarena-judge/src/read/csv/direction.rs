//! Which direction of figures is better: the higher one, but of a time nothing is assumed.

use std::collections::HashSet;

use super::super::ReadError;
use super::super::time::{is_cost, is_rate, is_time, is_time_alone, without_quantities};
use super::{CsvColumns, CsvRecord};
use crate::measured::{InputFacts, Measured};

/// What is known of figures by a name that they have.
#[derive(Clone, Copy, PartialEq)]
enum NamedFigure {
    Time,
    Rate,
    /// Something else, of which less may be better.
    Other,
}

/// Refuses a table of times without a direction, and one of times and rates.
pub(super) fn check(
    name: &str,
    columns: &CsvColumns,
    header: &CsvRecord<'_>,
    rows: &[Measured],
) -> Result<(), ReadError> {
    let title = titled(&columns.value, header).map(|kind| (columns.value.as_str(), kind));
    let mut known = HashSet::new();
    let mut found: Vec<(String, &str, NamedFigure)> = Vec::new();
    for row in rows {
        if !known.insert((&row.unit, &row.workload, InputFacts::as_ptr(&row.work))) {
            continue;
        }
        let of_unit = Some((row.unit.as_str(), unit(&row.unit))).filter(|(unit, _)| !unit.is_empty());
        let workload = columns.workload.is_some().then_some(&row.workload);
        let cells = || {
            let cells = || workload.into_iter().chain(row.work.values()).map(String::as_str);
            let of = |kind| cells().find(|cell| celled(cell) == Some(kind)).map(|cell| (cell, kind));
            of(NamedFigure::Time).or_else(|| of(NamedFigure::Rate)).or_else(|| of(NamedFigure::Other))
        };
        let Some((word, kind)) = of_unit.or(title).or_else(cells) else { continue };
        if found.iter().all(|(_, _, other)| *other != kind) {
            let is_title = of_unit.is_none() && title.is_some();
            found.push((if is_title { name.to_owned() } else { row.source.clone() }, word, kind));
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
        doubt(NamedFigure::Time, "the name of a time").or_else(|| doubt(NamedFigure::Other, "no name of a rate"));
    match doubt.filter(|_| columns.better.is_none()) {
        Some(((place, word, _), what)) => refused(
            place,
            format!("`{word}` is {what}, and which direction is better is not given"),
            "add `--lower`, or `--higher` if higher figures are better",
        ),
        None => Ok(()),
    }
}

fn unit(unit: &str) -> NamedFigure {
    match (is_time(unit), is_rate(unit)) {
        (true, _) => NamedFigure::Time,
        (_, true) => NamedFigure::Rate,
        _ => NamedFigure::Other,
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
    if is_cost(name) { Some(NamedFigure::Other) } else { Some(unit(name)).filter(|kind| *kind != NamedFigure::Other) }
}
