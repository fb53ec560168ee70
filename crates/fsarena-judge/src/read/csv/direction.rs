//! Which direction of figures is better: what the table says, else the higher one of rates, and of names that say
//! nothing, such as `value`.

use std::collections::BTreeMap;
use std::iter::once;

use fsarena_model::Better;

use super::super::ReadError;
use super::super::time::{is_cost, is_rate, is_time, is_time_alone, without_quantities, words};
use super::{CsvColumns, CsvRecord};
use crate::measured::Measured;

/// Words of titles that say no more than that a figure follows.
const PLAIN: [&str; 19] = [
    "v", "x", "y", "val", "value", "values", "number", "result", "results", "measurement", "score", "points", "figure",
    "perf", "performance", "mean", "average", "avg", "median",
];

/// Words of a text that says which figures are better, as `fewer is better`, or the column `proportion` with `LIB`.
const SAYING: [&str; 4] = ["better", "direction", "proportion", "goal"];
const LOWER: [&str; 8] = ["lower", "lowest", "fewer", "less", "smaller", "min", "minimize", "lib"];
const HIGHER: [&str; 8] = ["higher", "highest", "more", "larger", "greater", "max", "maximize", "hib"];

/// The direction that a title, a unit or the name of a workload says itself.
fn said(text: &str) -> Option<Better> {
    let words = words(text);
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let says = |names: &[&str], arrow| text.contains(arrow) || (has(&SAYING) && has(names));
    match (says(&LOWER, '↓'), says(&HIGHER, '↑')) {
        (true, false) => Some(Better::Lower),
        (false, true) => Some(Better::Higher),
        _ => None,
    }
}

/// The direction that a cell says: `lower` in a column `better`, or `false` in `higher_is_better`.
pub(super) fn said_in(title: &str, cell: &str) -> Option<Better> {
    match (said(title), cell.to_lowercase().as_str()) {
        (Some(better), "1" | "true" | "yes" | "y") => Some(better),
        (Some(Better::Lower), "0" | "false" | "no" | "n") => Some(Better::Higher),
        (Some(Better::Higher), "0" | "false" | "no" | "n") => Some(Better::Lower),
        _ => said(&format!("{title} {cell}")),
    }
}

/// What is known of figures by a name that they have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NamedFigure {
    Time,
    Rate,
    /// Something else, or a time at a rate: less may be better.
    Other,
}

/// Gives each row its direction. Refuses a table that says none, unless its figures are rates or have plain names, one
/// of times and rates, and one that contradicts itself or the user.
pub(super) fn apply(
    name: &str,
    columns: &CsvColumns,
    header: &CsvRecord<'_>,
    rows: &mut [Measured],
) -> Result<(), ReadError> {
    let figures = if columns.contenders.is_empty() { columns.value.clone() } else { columns.contenders.join(",") };
    let title = titled(&figures, header).map(|kind| (figures.as_str(), kind));
    let unknown = Some((figures.as_str(), NamedFigure::Other)).filter(|(title, _)| !is_plain(title));
    let refused = |place: &str, why: String, hint| Err(ReadError::Malformed { place: place.to_owned(), why, hint });
    let given = columns.better.map(|better| {
        let option = if better == Better::Lower { "--lower" } else { "--higher" };
        (option.to_owned(), better)
    });
    // The first place and name of each kind.
    let mut found: BTreeMap<NamedFigure, (String, String)> = BTreeMap::new();
    for row in rows {
        let workload = columns.workload.is_some().then_some(&row.workload);
        let texts = once(&figures).chain(once(&row.unit)).chain(workload);
        let texts = texts.filter_map(|text| Some((text.clone(), said(text)?)));
        let cells =
            row.work.iter().filter_map(|(title, cell)| Some((format!("{title} {cell}"), said_in(title, cell)?)));
        let said: Vec<(String, Better)> = texts.chain(cells).collect();
        let all: Vec<&(String, Better)> = given.iter().chain(&said).collect();
        if let Some((other, _)) = all.iter().find(|(_, better)| *better != all[0].1) {
            let why = format!("`{}` and `{other}` contradict each other: which direction is better?", all[0].0);
            return refused(&row.source, why, "correct the table, or leave out `--lower` or `--higher`");
        }
        row.better = all.first().map_or(Better::Higher, |(_, better)| *better);
        if !said.is_empty() {
            continue;
        }
        let unit = Some(row.unit.as_str()).filter(|unit| !unit.is_empty());
        let of_unit = unit.map(|unit| (unit, named(unit).unwrap_or(NamedFigure::Other)));
        let cells = || {
            let cells = || workload.into_iter().chain(row.work.values()).map(String::as_str);
            let of = |kind| cells().find(|cell| celled(cell) == Some(kind)).map(|cell| (cell, kind));
            let amount = workload.filter(|name| is_amount(name)).map(|name| (name.as_str(), NamedFigure::Other));
            of(NamedFigure::Time).or_else(|| of(NamedFigure::Rate)).or_else(|| of(NamedFigure::Other)).or(amount)
        };
        if let Some((word, kind)) = of_unit.or(title).or_else(cells).or(unknown) {
            let place = if word == figures { name } else { &row.source };
            found.entry(kind).or_insert_with(|| (place.to_owned(), word.to_owned()));
        }
    }
    if let (Some((place, time)), Some((_, rate))) = (found.get(&NamedFigure::Time), found.get(&NamedFigure::Rate)) {
        let why = format!("`{time}` is the name of a time, and `{rate}` of a rate: no direction is better for both");
        return refused(place, why, "judge times and rates apart, with `--lower` for the times");
    }
    let doubts = [(NamedFigure::Time, "the name of a time"), (NamedFigure::Other, "no clear name of a rate")];
    let mut doubts = doubts.into_iter().filter_map(|(kind, what)| Some((found.get(&kind)?, what)));
    match doubts.next().filter(|_| columns.better.is_none()) {
        Some(((place, word), what)) => {
            let why = format!("`{word}` is {what}, and which direction is better is not given");
            refused(place, why, "add `--lower`, or `--higher` if higher figures are better")
        }
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

/// Whether a name ends with a unit of an amount, as `memory MB`, without a number before it.
fn is_amount(name: &str) -> bool {
    const AMOUNTS: [&str; 8] = ["kb", "mb", "gb", "kib", "mib", "gib", "byte", "bytes"];
    let name = without_quantities(name);
    words(name.to_lowercase().trim_end_matches([')', ']', ' ']))
        .last()
        .is_some_and(|word| AMOUNTS.contains(&word.as_str()))
}

fn is_plain(title: &str) -> bool {
    let mut words = words(title).into_iter().filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(|word| PLAIN.contains(&word.as_str()))
}
