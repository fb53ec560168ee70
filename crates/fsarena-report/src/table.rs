//! Tables of explanatory figures: workloads are rows with several figures each, contenders are columns. A new table is
//! one file in `table/` and one line in [`SUBJECTS`].

mod census;
mod clocks;
mod iostat;
mod said;
mod shares;

use std::borrow::Cow;

use fsarena_model::comparison::{Cell, WorkloadRow};
use fsarena_model::{Comparison, Label};
use serde::Serialize;

use crate::group;
use crate::number::DASH;

pub use shares::{Baseline, baselines, chips};

/// Title of the column with the figures' names.
pub const WHAT: &str = "figure";

/// Title of the column with the baseline values.
pub const BASELINE: &str = "baseline";

/// A figure that is computed from a cell.
#[derive(Debug, Clone, Copy)]
struct Figure {
    what: &'static str,
    meaning: &'static str,
    of: fn(&Comparison, &Cell) -> Option<f64>,
    print: fn(f64) -> String,
}

/// The subject of a table.
struct Subject {
    title: &'static str,
    meaning: &'static str,
    /// All lines of a workload.
    lines: fn(&Comparison, &WorkloadRow) -> Vec<Line>,
    /// The lines of a workload in the table of all workloads.
    brief: fn(&Comparison, &WorkloadRow) -> Vec<Line>,
    /// A sentence about what that table leaves out.
    rest: fn(&Comparison) -> Option<String>,
    /// What is remarkable in a workload, for readers who do not open its table.
    hint: fn(&Comparison, &WorkloadRow) -> Option<String>,
}

/// All tables in the order in which they are shown.
const SUBJECTS: &[Subject] = &[shares::SUBJECT, clocks::SUBJECT, census::SUBJECT, iostat::SUBJECT, said::SUBJECT];

/// A figure of a workload over all contenders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The figure's name.
    pub what: Cow<'static, str>,
    /// Its explanation.
    pub meaning: &'static str,
    /// One value per contender.
    pub values: Vec<String>,
    /// The value that they are compared with; empty if there is none.
    pub baselines: String,
}

/// The lines of a workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Block {
    /// The workload's name.
    pub workload: String,
    /// The lines, at least one.
    pub lines: Vec<Line>,
}

/// A table of several workloads, or of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// The table's subject.
    pub title: &'static str,
    /// What is remarkable in it; `None` in a table of all workloads.
    pub hint: Option<String>,
    /// Whether its blocks name their workload. A table of one workload is in the section of that workload.
    pub names_workloads: bool,
    /// The contenders' labels.
    pub contenders: Vec<String>,
    /// Whether any line has a baseline value.
    pub has_baseline: bool,
    /// The blocks, at least one.
    pub blocks: Vec<Block>,
    /// The explanation of its figures, and what it leaves out.
    pub meaning: String,
}

/// The tables of all workloads, with the brief lines. A table without lines is left out.
pub fn of_all(comparison: &Comparison) -> Vec<Table> {
    let table = |subject: &Subject| {
        let block = |row: &WorkloadRow| (row.name.clone(), (subject.brief)(comparison, row));
        let table = table(comparison, subject, comparison.workloads.iter().map(block))?;
        let meaning = [table.meaning].into_iter().chain((subject.rest)(comparison)).collect::<Vec<_>>().join(" ");
        Some(Table { meaning, names_workloads: true, ..table })
    };
    SUBJECTS.iter().filter_map(table).collect()
}

/// The tables of one workload, with all lines. The shares are shown with the workload's medians instead.
pub fn of_workload(comparison: &Comparison, workload: &WorkloadRow) -> Vec<Table> {
    let table = |subject: &Subject| {
        let block = (workload.name.to_string(), (subject.lines)(comparison, workload));
        let table = table(comparison, subject, std::iter::once(block))?;
        Some(Table { hint: (subject.hint)(comparison, workload), ..table })
    };
    [said::SUBJECT, clocks::SUBJECT, census::SUBJECT, iostat::SUBJECT].iter().filter_map(table).collect()
}

fn table(
    comparison: &Comparison,
    subject: &Subject,
    blocks: impl Iterator<Item = (String, Vec<Line>)>,
) -> Option<Table> {
    let blocks = blocks.filter(|(_, lines)| !lines.is_empty()).map(|(workload, lines)| Block { workload, lines });
    let blocks: Vec<Block> = blocks.collect();
    (!blocks.is_empty()).then(|| Table {
        title: subject.title,
        hint: None,
        names_workloads: false,
        contenders: group::labels(&comparison.contenders.iter().collect::<Vec<_>>()),
        has_baseline: blocks.iter().flat_map(|block| &block.lines).any(|line| !line.baselines.is_empty()),
        blocks,
        meaning: subject.meaning.to_owned(),
    })
}

/// A line for each of `figures` that any contender has in `workload`.
fn lines(comparison: &Comparison, workload: &WorkloadRow, figures: &[Figure]) -> Vec<Line> {
    figures.iter().filter_map(|figure| line(comparison, workload, figure)).collect()
}

fn line(comparison: &Comparison, workload: &WorkloadRow, figure: &Figure) -> Option<Line> {
    let values = values(comparison, workload, figure.of);
    let printed = |value: &Option<f64>| value.map_or_else(|| DASH.to_owned(), figure.print);
    values.iter().any(Option::is_some).then(|| Line {
        what: figure.what.into(),
        meaning: figure.meaning,
        values: values.iter().map(printed).collect(),
        baselines: String::new(),
    })
}

/// A figure of each contender in `workload`, in command-line order.
fn values(
    comparison: &Comparison,
    workload: &WorkloadRow,
    of: fn(&Comparison, &Cell) -> Option<f64>,
) -> Vec<Option<f64>> {
    let value = |label: &Label| {
        let cell = group::cell(comparison, &workload.name, label)?;
        of(comparison, cell).filter(|value| value.is_finite())
    };
    comparison.contenders.iter().map(|row| value(&row.label)).collect()
}

/// The value of a probe in a cell.
fn probe(cell: &Cell, name: &str) -> Option<f64> {
    cell.probes.get(name)?.value
}
