//! Tables of explanatory figures: workloads are rows with several figures each, contenders are columns. A new table is
//! one file in `explained/` and one line in [`SUBJECTS`].

mod durability;
mod probes;
mod programs;
mod shares;

use std::borrow::Cow;

use fsarena_model::comparison::{Cell, WorkloadRow};
use fsarena_model::{Comparison, Label, Probe, ProbeId};

use crate::number::or_dash;
use crate::report::{ColumnKind, Fold, Paragraph, Role, Section, Sentence, Table, TableLook, TableOf};

pub use probes::{part as probes, terms};
pub use shares::{each, median, of_cell as shares};

#[derive(Debug, Clone, Copy)]
struct CellFigure {
    what: &'static str,
    source: FigureSource,
    print: fn(f64) -> String,
    meaning: &'static str,
}

/// Where a figure comes from.
#[derive(Debug, Clone, Copy)]
enum FigureSource {
    Probe(Probe),
    Computed(fn(&Comparison, &Cell) -> Option<f64>),
}

const fn probed(what: &'static str, probe: Probe, print: fn(f64) -> String, meaning: &'static str) -> CellFigure {
    CellFigure { what, source: FigureSource::Probe(probe), print, meaning }
}

const fn computed(
    what: &'static str,
    of: fn(&Comparison, &Cell) -> Option<f64>,
    print: fn(f64) -> String,
    meaning: &'static str,
) -> CellFigure {
    CellFigure { what, source: FigureSource::Computed(of), print, meaning }
}

impl CellFigure {
    fn of(&self, comparison: &Comparison, cell: &Cell) -> Option<f64> {
        match self.source {
            FigureSource::Probe(probe) => cell.probe(probe),
            FigureSource::Computed(of) => of(comparison, cell),
        }
    }
}

struct ExplainedWorkload {
    title: &'static str,
    meaning: &'static str,
    /// The lines of a workload, in its own part and among all workloads.
    lines: fn(&Comparison, &WorkloadRow) -> Vec<ExplainedLine>,
    brief: fn(&Comparison, &WorkloadRow) -> Vec<ExplainedLine>,
}

/// The tables of all workloads, in the order in which they are shown.
const SUBJECTS: &[ExplainedWorkload] = &[shares::SUBJECT, durability::CLOCKS, durability::FLUSHES];

/// A figure of a workload over all contenders.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ExplainedLine {
    /// The figure's name.
    what: Cow<'static, str>,
    meaning: &'static str,
    /// One value per contender.
    values: Vec<String>,
    /// The value that they are compared with; empty if there is none.
    baselines: String,
}

/// The tables of all workloads. A table without lines is left out.
pub fn of_all(comparison: &Comparison) -> impl Iterator<Item = Section> {
    SUBJECTS.iter().map(|subject| brief(subject, comparison))
}

/// The columns of iostat of all workloads.
pub fn iostat_of_all(comparison: &Comparison) -> Section {
    brief(&programs::IOSTAT, comparison)
}

fn brief(subject: &ExplainedWorkload, comparison: &Comparison) -> Section {
    let lines = |row| (subject.brief)(comparison, row).into_iter().map(move |line| (row, line));
    let lines: Vec<(&WorkloadRow, ExplainedLine)> = comparison.workloads.iter().flat_map(lines).collect();
    let name = |(workload, _): &(&WorkloadRow, ExplainedLine)| workload.name.to_string();
    let table = TableOf::new(TableLook::Grouped, &lines).column(ColumnKind::Name, "workload", name);
    part(subject, figures(table, &lines, comparison, |(_, line)| line))
}

/// The tables of one workload, with all lines. The shares are shown with the workload's medians instead.
pub fn of_workload(comparison: &Comparison, workload: &WorkloadRow) -> impl Iterator<Item = Section> {
    let subjects = [programs::SAID, durability::CLOCKS, durability::FLUSHES, programs::IOSTAT].into_iter();
    subjects.map(|subject| {
        let lines = (subject.lines)(comparison, workload);
        part(&subject, figures(TableOf::new(TableLook::Probes, &lines), &lines, comparison, |line| line))
    })
}

/// A folded table with its explanation.
fn part(subject: &ExplainedWorkload, table: Table) -> Section {
    Section::titled(subject.title).folded(Fold::Closed).with(table).with(Paragraph::legend(subject.meaning))
}

/// Adds the columns of a figure: its name, the value of each contender, and the baselines if there are any.
fn figures<T>(table: TableOf<'_, T>, rows: &[T], comparison: &Comparison, line: fn(&T) -> &ExplainedLine) -> Table {
    let labels = comparison.contenders.iter().enumerate().map(|(index, row)| (row.label.to_string(), index));
    let name = |row| Sentence::default().and_explained(Role::Plain, line(row).what.as_ref(), line(row).meaning);
    let table = table
        .column(ColumnKind::Name, "figure", name)
        .columns(ColumnKind::Figure, labels, |row, index| &line(row).values[*index]);
    match rows.iter().any(|row| !line(row).baselines.is_empty()) {
        true => table.column(ColumnKind::Reference, "baseline", |row| &line(row).baselines).done(),
        false => table.done(),
    }
}

/// A line for each of `figures` that any contender has in `workload`.
fn lines(comparison: &Comparison, workload: &WorkloadRow, figures: &[CellFigure]) -> Vec<ExplainedLine> {
    figures.iter().filter_map(|figure| line(comparison, workload, figure)).collect()
}

fn line(comparison: &Comparison, workload: &WorkloadRow, figure: &CellFigure) -> Option<ExplainedLine> {
    let values = values(comparison, workload, |comparison, cell| figure.of(comparison, cell));
    let printed = |value: &Option<f64>| or_dash(value.map(figure.print));
    values.iter().any(Option::is_some).then(|| ExplainedLine {
        what: figure.what.into(),
        meaning: figure.meaning,
        values: values.iter().map(printed).collect(),
        baselines: String::new(),
    })
}

/// A reading of each contender in `workload`, in command-line order; a dash if there is none.
fn readings_of(
    comparison: &Comparison,
    workload: &WorkloadRow,
    id: &ProbeId,
    print: fn(f64, &str) -> String,
) -> Vec<String> {
    let printed = |label: &Label| {
        let reading = comparison.cell(&workload.name, label)?.probes.get(id)?;
        Some(print(reading.value?, &reading.unit))
    };
    comparison.contenders.iter().map(|row| or_dash(printed(&row.label))).collect()
}

/// A figure of each contender in `workload`, in command-line order.
fn values(
    comparison: &Comparison,
    workload: &WorkloadRow,
    of: impl Fn(&Comparison, &Cell) -> Option<f64>,
) -> Vec<Option<f64>> {
    let value = |label: &Label| {
        let cell = comparison.cell(&workload.name, label)?;
        of(comparison, cell).filter(|value| value.is_finite())
    };
    comparison.contenders.iter().map(|row| value(&row.label)).collect()
}
