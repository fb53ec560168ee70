//! Latencies as tables: one per kind of operation, with a mark where a quantile rests on too few events.

use std::collections::BTreeSet;

use fsarena_model::comparison::Cell;
use serde::Serialize;

use crate::number::{DASH, seconds};

/// Prefix of the names of latency probes.
pub const PREFIX: &str = "latency.";

/// Follows a quantile if fewer than [`ENOUGH`] operations of a round took longer.
pub const MARK: &str = "†";

/// The explanation of [`MARK`].
pub const MARKED: &str = "† fewer than 10 operations of a round took longer: not much more than the maximum of a few.";

/// The explanation of all latencies.
pub const MEANING: &str = "From the beginning of the call to its return; at a given rate from the intended start. \
                           Of each round's operations, then the median over rounds.";

/// Minimum number of operations above a quantile. With fewer, it is little more than the maximum.
const ENOUGH: f64 = 10.0;

/// A column: the probe's last word, the title, and the share of operations above the figure.
type Column = (&'static str, &'static str, Option<f64>);

/// The columns. Mean and maximum are never marked.
const COLUMNS: [Column; 7] = [
    ("mean", "mean", None),
    ("p50", "p50", Some(0.5)),
    ("p90", "p90", Some(0.1)),
    ("p99", "p99", Some(0.01)),
    ("p999", "p99.9", Some(0.001)),
    ("p9999", "p99.99", Some(0.0001)),
    ("max", "max", None),
];

/// The titles of the columns.
pub fn titles() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().map(|(_, title, _)| *title)
}

/// The latencies of one kind of operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Name of the operation, such as `read`.
    pub operation: String,
    /// One row per contender that did the operation.
    pub rows: Vec<Row>,
}

/// A contender's latencies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Its label.
    pub contender: String,
    /// One value per column.
    pub values: Vec<String>,
}

impl Table {
    /// Whether any figure is marked.
    pub fn is_marked(&self) -> bool {
        self.rows.iter().flat_map(|row| &row.values).any(|value| value.ends_with(MARK))
    }
}

/// The tables of the cells of a workload, by the operation's name.
pub fn tables(cells: &[Option<&Cell>]) -> Vec<Table> {
    operations(cells.iter().flatten().copied()).into_iter().map(|operation| table(cells, operation)).collect()
}

/// Names of the operations that were timed in the cells.
pub fn operations<'a>(cells: impl Iterator<Item = &'a Cell>) -> BTreeSet<&'a str> {
    let names = cells.flat_map(|cell| cell.probes.keys()).filter_map(|name| operation(name));
    names.collect()
}

/// The operation in a probe's name; `None` if it is no latency probe.
fn operation(probe: &str) -> Option<&str> {
    Some(probe.strip_prefix(PREFIX)?.rsplit_once('.')?.0)
}

/// A figure of an operation's latency in a cell, in seconds; `count` is the number of operations of a round.
pub fn value(cell: &Cell, operation: &str, figure: &str) -> Option<f64> {
    cell.probes.get(&format!("{PREFIX}{operation}.{figure}"))?.value
}

fn table(cells: &[Option<&Cell>], operation: &str) -> Table {
    let did_it = |cell: &&&Cell| COLUMNS.iter().any(|(figure, ..)| value(cell, operation, figure).is_some());
    let row = |cell: &&Cell| Row {
        contender: cell.contender.to_string(),
        values: COLUMNS.iter().map(|column| printed(cell, operation, column)).collect(),
    };
    Table { operation: operation.to_owned(), rows: cells.iter().flatten().filter(did_it).map(row).collect() }
}

fn printed(cell: &Cell, operation: &str, (figure, _, above): &Column) -> String {
    let Some(value) = value(cell, operation, figure).map(seconds) else { return DASH.to_owned() };
    let count = self::value(cell, operation, "count");
    let is_thin = count.zip(*above).is_some_and(|(count, above)| count * above < ENOUGH);
    if is_thin { format!("{value} {MARK}") } else { value }
}
