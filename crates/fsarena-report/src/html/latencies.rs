//! Latencies on the page: a table per operation, the course over time, and the curve against load.

use fsarena_model::comparison::{Cell, WorkloadRow};
use fsarena_model::{Comparison, Label, ValidityClass};
use serde::Serialize;

use crate::latency::{self, Table};
use crate::probe::{DONE, OFFERED};
use crate::svg::curve::{self, Line, Load};
use crate::svg::over_time;
use crate::{group, words};

/// Operations without an intended start: each follows an operation that has one.
const SYNCS: [&str; 3] = ["fsync", "fdatasync", "syncfs"];

/// Everything that a section shows about latencies.
#[derive(Serialize)]
pub struct Latencies {
    titles: Vec<&'static str>,
    tables: Vec<Table>,
    meaning: &'static str,
    marked: Option<&'static str>,
    over_time: Vec<Drawing>,
    curves: Vec<Drawing>,
    curve_reading: &'static str,
}

/// A drawing of one operation's latencies.
#[derive(Serialize)]
struct Drawing {
    operation: String,
    svg: String,
}

/// The latencies of a workload. If it has open loops, one curve shows all of them.
pub fn latencies(comparison: &Comparison, workload: &WorkloadRow, cells: &[Option<&Cell>]) -> Latencies {
    let tables = latency::tables(cells);
    let plausible: Vec<&Cell> = cells.iter().flatten().copied().filter(|cell| is_plausible(cell)).collect();
    let drawn = |draw: &dyn Fn(&str) -> Option<String>| {
        let drawing =
            |table: &Table| Some(Drawing { operation: table.operation.clone(), svg: draw(&table.operation)? });
        tables.iter().filter_map(drawing).collect::<Vec<_>>()
    };
    let variants: Vec<&WorkloadRow> = variants(comparison, workload);
    Latencies {
        titles: latency::titles().collect(),
        meaning: latency::MEANING,
        marked: tables.iter().any(Table::is_marked).then_some(latency::MARKED),
        over_time: drawn(&|operation| over_time::draw(&plausible, operation)),
        curves: drawn(&|operation| {
            let lines = lines(comparison, workload, &variants, operation);
            curve::draw(&lines, operation).filter(|_| !SYNCS.contains(&operation))
        }),
        curve_reading: words::CURVE,
        tables,
    }
}

fn variants<'a>(comparison: &'a Comparison, workload: &WorkloadRow) -> Vec<&'a WorkloadRow> {
    let is_one = |row: &&WorkloadRow| row.variant_of.as_ref() == Some(&workload.name);
    comparison.workloads.iter().filter(is_one).collect()
}

fn lines(comparison: &Comparison, base: &WorkloadRow, variants: &[&WorkloadRow], operation: &str) -> Vec<Line> {
    let line = |contender: &Label| {
        let cell = |row: &WorkloadRow| group::cell(comparison, &row.name, contender);
        let mut open: Vec<(f64, Load)> =
            variants.iter().filter_map(|row| Some((offered(cell(row)?)?, load(cell(row)?, operation)?))).collect();
        open.sort_by(|one, other| one.0.total_cmp(&other.0));
        Line {
            contender: contender.to_string(),
            open: open.into_iter().map(|(_, load)| load).collect(),
            closed: cell(base).and_then(|cell| load(cell, operation)),
        }
    };
    comparison.contenders.iter().map(|row| line(&row.label)).collect()
}

fn offered(cell: &Cell) -> Option<f64> {
    cell.probes.get(OFFERED)?.value
}

fn load(cell: &Cell, operation: &str) -> Option<Load> {
    let figure = |name: &str| latency::value(cell, operation, name);
    let keeps_up = !cell.validity.iter().any(|flaw| flaw.class == ValidityClass::Overloaded);
    let load = Load { done: cell.probes.get(DONE)?.value?, p50: figure("p50")?, p99: figure("p99")?, keeps_up };
    is_plausible(cell).then_some(load)
}

fn is_plausible(cell: &Cell) -> bool {
    !cell.validity.iter().any(|flaw| flaw.class == ValidityClass::Impossible)
}
