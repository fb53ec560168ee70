//! All workloads and pairs side by side: medians, verdicts, best groups, and means over the suite.

use fsarena_model::comparison::{Cell, PairVerdict, SuiteRow, WorkloadRow};
use fsarena_model::{Comparison, Estimate, Label, ValidityClass, Verdict};

use crate::footnote::{Remark, of_cell, of_pair};
use crate::group::{ClassGroup, groups};
use crate::number::{self, DASH};
use crate::ranking::{best, ranking};
use crate::report::ColumnKind::{Figure, Median, Name, Words};
use crate::report::{Entry, Paragraph, Role, Section, Sentence, Shade, Shown, Table, TableLook, TableOf};
use crate::{anchor, pair, words};

/// The workload's name, which on the page leads to its part.
pub fn link(comparison: &Comparison, workload: &WorkloadRow) -> Sentence {
    Sentence::new(Role::Link(anchor::workload(comparison, &workload.name)), workload.name.as_str())
}

/// The medians and verdicts of each group of contenders, for media without the page's parts about workloads.
pub fn verdicts(comparison: &Comparison) -> Section {
    let title = if comparison.judged.verdicts.is_empty() { "Figures" } else { "Verdicts" };
    let mut section = Section::titled(title);
    for group in &groups(comparison) {
        section = section
            .with_shown(Shown::Summaries, Paragraph::apart(&group.apart))
            .with_shown(Shown::Summaries, medians(group))
            .with_shown(Shown::Summaries, Paragraph::legend(signs(group)));
        if group.contenders.len() > 2 {
            section = section.with_shown(Shown::Summaries, pairs_table(comparison, &group.pairs()));
        }
    }
    section
}

/// Maximum number of contenders of whom a table has whole rankings. Of more, it has the best group.
pub const FEW: usize = 3;

/// The signs of rankings; empty if there are none.
pub fn signs(group: &ClassGroup<'_>) -> &'static str {
    let has_rankings = group.contenders.len() == FEW && !group.comparison.judged.verdicts.is_empty();
    if has_rankings { words::SIGNS } else { "" }
}

/// The table with the order of the contenders, as far as it is proved.
pub fn with_order<'a, 'b>(table: TableOf<'a, &'b WorkloadRow>, group: &ClassGroup<'_>) -> TableOf<'a, &'b WorkloadRow> {
    match group.contenders.len() {
        _ if group.comparison.judged.verdicts.is_empty() => table,
        0 | 1 => table,
        ..=FEW => table.column(Words, "ranking", |row| ranking(group, &row.name).to_string()),
        _ => table.column(Words, "best group", |row| best(group, &row.name)),
    }
}

/// One row per workload, with the median of each contender and what follows from them, in lines that fit a terminal.
pub fn medians(group: &ClassGroup<'_>) -> Table {
    let comparison = group.comparison;
    let rows: Vec<&WorkloadRow> = comparison.workloads.iter().collect();
    let name = |workload: &&WorkloadRow| {
        Entry::from(link(comparison, workload)).with_remarks(words::memory(workload).map(Remark::of))
    };
    let labels = group.contenders.iter().map(|row| (row.label.to_string(), &row.label));
    // A unit that all figures share stands once, in the head.
    let first = comparison.workloads.first().map(|row| row.unit.as_str()).unwrap_or_default();
    let table = TableOf::new(TableLook::Matrix, &rows);
    let table = match first {
        unit if !unit.is_empty() && rows.iter().all(|row| row.unit == unit) => {
            table.column(Name, format!("workload, {unit}"), name)
        }
        _ => table.column(Name, "workload", name).column(Words, "unit", |workload| &workload.unit),
    };
    let table = table.columns(Median, labels, |workload, label| median(comparison, workload, label));
    let table = if has_stakes(comparison) { table.column(Figure, "at stake", |row| at_stake(row)) } else { table };
    let pair = |workload: &WorkloadRow| group.verdicts(&workload.name).next();
    if group.contenders.len() != 2 || comparison.judged.verdicts.is_empty() {
        return with_order(table, group).done();
    }
    table
        .column(Words, "verdict", |workload| only_verdict(comparison, pair(workload)))
        .column(Figure, "interval", |workload| pair(workload).map_or(DASH.to_owned(), favourable_interval))
        .column(Figure, "finds from", |workload| pair(workload).map_or(DASH.to_owned(), pair::finds_from))
        .done()
}

/// Whether it is known of real work how much of its time a file system can change.
pub fn has_stakes(comparison: &Comparison) -> bool {
    comparison.workloads.iter().any(|row| !row.title.is_empty() && row.at_stake.is_some())
}

/// `32 % [28, 35]`: the share of the slowest contender's time that the work in memory does not take.
pub fn at_stake(workload: &WorkloadRow) -> Sentence {
    let Some(Estimate { ratio: Some(ratio), low, high }) = workload.at_stake else { return DASH.into() };
    let percent = |times: f64| 100.0 * (1.0 - 1.0 / times).max(0.0);
    let ends = low.zip(high).map(|(low, high)| format!("[{:.0}, {:.0}]", percent(low), percent(high)));
    Sentence::from(format!("{:.0} %", percent(ratio))).and(Role::Interval, ends.unwrap_or_default())
}

/// `31.2k [30.9k, 31.6k]`, or why this figure is missing.
fn median(comparison: &Comparison, workload: &WorkloadRow, label: &Label) -> Entry {
    let Some(cell) = comparison.cell(&workload.name, label) else { return DASH.into() };
    let is_shown = cell.is_plausible() && cell.figure.median.is_some();
    let interval = number::interval(cell.figure.low, cell.figure.high, &workload.unit).filter(|_| is_shown);
    let median = Sentence::from(figure_of(cell, &workload.unit)).and(Role::Interval, interval.unwrap_or_default());
    Entry::from(median).with_remarks(of_cell(cell))
}

/// The statement about the only pair of a group.
fn only_verdict(comparison: &Comparison, pair: Option<&PairVerdict>) -> Entry {
    match pair {
        None => Entry::verdict(Verdict::Undecided, Verdict::Undecided.to_string()),
        Some(pair) => Entry::verdict(pair.verdict, pair::statement(pair)).with_remarks(of_pair(comparison, pair)),
    }
}

/// The decision interval of the ratio in favour of the better contender.
fn favourable_interval(pair: &PairVerdict) -> String {
    pair::interval(pair::valid(pair, pair::decision(pair)).map(|ratio| pair::better(pair, ratio).1))
}

/// One row per pair and workload.
pub fn pairs_table(comparison: &Comparison, pairs: &[&PairVerdict]) -> Table {
    let ratio = |pair: &PairVerdict| pair::times(pair::valid(pair, pair::ratio(pair)));
    let interval =
        |pair: &PairVerdict| pair::interval(pair::decision(pair).filter(|_| pair.verdict != Verdict::Invalid));
    TableOf::new(TableLook::Full, pairs)
        .column_on(Shown::Summaries, Name, "workload", |pair| &pair.workload)
        .column(Name, "pair", |pair| pair::name(pair))
        .column(Figure, "ratio", |pair| ratio(pair))
        .column(Figure, "interval", |pair| interval(pair))
        .column(Figure, "finds from", |pair| pair::finds_from(pair))
        .column_on(Shown::Documents, Figure, "rounds", |pair| pair.rounds.to_string())
        .column(Words, "verdict on the first", |pair| verdict(comparison, pair))
        .with_anchors(|pair| anchor::pair(comparison, pair))
        .done()
}

fn verdict(comparison: &Comparison, pair: &PairVerdict) -> Entry {
    let shade =
        if pair.verdict == Verdict::Undecided && pair.leaning.is_some() { Shade::Leaning } else { pair.verdict.into() };
    let verdict = Sentence::new(Role::Verdict(shade), pair::words(pair));
    let verdict = verdict.and(Role::Aside, pair.reason()).and(Role::Guarantee, &pair.guarantees);
    Entry::from(verdict).with_remarks(of_pair(comparison, pair))
}

/// The mean ratio of each pair over all workloads. A mix has a mean of its own.
pub fn over_the_suite(comparison: &Comparison) -> Section {
    if comparison.judged.recommendation.is_some() {
        return Section::default();
    }
    let groups = groups(comparison);
    let rows: Vec<&SuiteRow> = groups.iter().flat_map(pair::suite_rows).collect();
    let mean = |row: &SuiteRow| {
        let missing = pair::suite_missing(row);
        let ratio = Sentence::from(pair::times(pair::suite_mean(row).1));
        Entry::from(ratio.and(Role::Aside, missing.clone().unwrap_or_default())).with_remarks(missing.map(Remark::of))
    };
    let table = TableOf::new(TableLook::Narrow, &rows)
        .column(Name, "pair", |row| pair::suite_mean(row).0)
        .column(Figure, "mean ratio", |row| mean(row))
        .column(Figure, "95 %", |row| pair::interval(pair::suite_mean(row).1))
        .column(Figure, "workloads", |row| pair::suite_workloads(row));
    let has_mean = rows.iter().any(|row| row.estimate.ratio.is_some());
    let meaning = if has_mean { words::SUITE } else { "" };
    Section::titled("Over the suite").with(table).with(Paragraph::legend(meaning))
}

/// `31.2k`, or why this figure is missing. An impossible figure is never printed as a result.
pub fn figure_of(cell: &Cell, unit: &str) -> String {
    let is_unfinished = || cell.validity.iter().any(|validity| validity.class == ValidityClass::DidNotFinish);
    match cell.figure.median {
        _ if !cell.is_plausible() => "impossible".to_owned(),
        Some(median) => number::value(median, unit),
        None if is_unfinished() => "did not finish".to_owned(),
        None => DASH.to_owned(),
    }
}
