//! Latencies as tables: one per kind of operation, with a mark where a quantile rests on too few events.

use std::collections::BTreeSet;

use fsarena_model::comparison::{Cell, WorkloadRow};
use fsarena_model::probe::LatencyFigure;
use fsarena_model::{Comparison, ProbeId};

use crate::group::cells;
use crate::number::{DASH, seconds};
use crate::report::{ColumnKind, Paragraph, Section, Shown, Table, TableLook, TableOf};

/// Follows a quantile if fewer than [`ENOUGH`] operations of a round took longer.
const MARK: &str = "†";

const MARKED: &str = "† fewer than 10 operations of a round took longer: not much more than the maximum of a few.";

const MEANING: &str = "From the beginning of the call to its return; at a given rate from the intended start. \
                           Of each round's operations, then the median over rounds.";

/// Minimum number of operations above a quantile. With fewer, it is little more than the maximum.
const ENOUGH: f64 = 10.0;

/// A column: the figure, the title, and the share of operations above the figure.
type LatencyColumn = (LatencyFigure, &'static str, Option<f64>);

/// The columns. Mean and maximum are never marked.
const COLUMNS: [LatencyColumn; 7] = [
    (LatencyFigure::Mean, "mean", None),
    (LatencyFigure::P50, "p50", Some(0.5)),
    (LatencyFigure::P90, "p90", Some(0.1)),
    (LatencyFigure::P99, "p99", Some(0.01)),
    (LatencyFigure::P999, "p99.9", Some(0.001)),
    (LatencyFigure::P9999, "p99.99", Some(0.0001)),
    (LatencyFigure::Max, "max", None),
];

/// Names of the operations that were timed in the cells.
pub fn operations<'a>(cells: impl Iterator<Item = &'a Cell>) -> BTreeSet<&'a str> {
    let names = cells.flat_map(|cell| cell.probes.keys()).filter_map(|id| id.operation());
    names.collect()
}

/// A figure of an operation's latency in a cell, in seconds; the count is the number of operations of a round.
pub fn value(cell: &Cell, operation: &str, figure: LatencyFigure) -> Option<f64> {
    cell.probes.get(&ProbeId::latency(operation, figure))?.value
}

/// The table of one operation, with a row for each contender that did it.
pub fn of_operation(cells: &[&Cell], operation: &str) -> Table {
    let rows: Vec<TimedLatencies<'_>> = timed(cells, operation).collect();
    let title = format!("latency of {operation}");
    figures(TableOf::new(TableLook::Full, &rows).column(ColumnKind::Name, title, |row| row.cell.contender.to_string()))
}

/// One table of all workloads' latencies, with its explanation.
pub fn of_all(comparison: &Comparison) -> Section {
    let rows = |workload: &WorkloadRow| {
        let cells = cells(comparison, workload);
        let operations = operations(cells.iter().copied()).into_iter();
        operations.flat_map(|operation| timed(&cells, operation).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let rows: Vec<TimedLatencies<'_>> = comparison.workloads.iter().flat_map(rows).collect();
    let table = TableOf::new(TableLook::Full, &rows)
        .column(ColumnKind::Name, "workload", |row| &row.cell.workload)
        .column(ColumnKind::Words, "operation", |row| row.operation)
        .column(ColumnKind::Words, "contender", |row| row.cell.contender.to_string());
    let table = figures(table);
    let meaning = meaning(std::slice::from_ref(&table));
    let section = Section::titled("Latencies").with_shown(Shown::Markdown, table);
    section.with_shown(Shown::Markdown, Paragraph::legend(meaning))
}

/// The explanation of some tables; empty if there is none.
pub fn meaning(tables: &[Table]) -> String {
    let entries = || tables.iter().flat_map(|table| &table.columns).flat_map(|column| &column.entries);
    let is_marked = entries().any(|entry| entry.sentence.words().ends_with(MARK));
    match tables.is_empty() {
        true => String::new(),
        false if is_marked => format!("{MEANING} {MARKED}"),
        false => MEANING.to_owned(),
    }
}

/// The latencies of an operation in a cell.
struct TimedLatencies<'a> {
    cell: &'a Cell,
    operation: &'a str,
}

/// The latencies of an operation in the cells of the contenders that did it.
fn timed<'a>(cells: &[&'a Cell], operation: &'a str) -> impl Iterator<Item = TimedLatencies<'a>> {
    let is_known = move |cell: &&Cell| COLUMNS.iter().any(|(figure, ..)| value(cell, operation, *figure).is_some());
    cells.iter().copied().filter(is_known).map(move |cell| TimedLatencies { cell, operation })
}

fn figures(table: TableOf<'_, TimedLatencies<'_>>) -> Table {
    let columns = COLUMNS.iter().map(|column| (column.1.to_owned(), column));
    table.columns(ColumnKind::Figure, columns, |row, column| printed(row.cell, row.operation, column)).done()
}

fn printed(cell: &Cell, operation: &str, (figure, _, above): &LatencyColumn) -> String {
    let Some(value) = value(cell, operation, *figure).map(seconds) else { return DASH.to_owned() };
    let count = self::value(cell, operation, LatencyFigure::Count);
    let is_thin = count.zip(*above).is_some_and(|(count, above)| count * above < ENOUGH);
    if is_thin { format!("{value} {MARK}") } else { value }
}
