//! Tables of figures that explain others: workloads down, contenders across, several figures of each workload. A new one
//! is one file in `table/` and one line in [`SUBJECTS`].

mod census;
mod clocks;
mod iostat;
mod said;
mod shares;

use std::borrow::Cow;

use fsarena_model::comparison::{Cell, WorkloadRow};
use fsarena_model::{Comparison, Label};
use serde::Serialize;

use crate::number::DASH;
use crate::{look_up, remark};

pub use shares::{Reference, chips, references};

/// What the column of the figures' names is called.
pub const WHAT: &str = "figure";

/// What the column beside the contenders is called.
pub const BESIDE: &str = "reference";

/// A figure of a cell, computed from what stands in it.
#[derive(Debug, Clone, Copy)]
struct Figure {
    what: &'static str,
    meaning: &'static str,
    of: fn(&Comparison, &Cell) -> Option<f64>,
    print: fn(f64) -> String,
}

/// What a table is about.
struct Subject {
    title: &'static str,
    meaning: &'static str,
    /// All that is known of a workload.
    lines: fn(&Comparison, &WorkloadRow) -> Vec<Line>,
    /// Of these, what is worth a line among those of all workloads.
    brief: fn(&Comparison, &WorkloadRow) -> Vec<Line>,
    /// What is not among them, in words.
    rest: fn(&Comparison) -> Option<String>,
    /// What is remarkable in a workload, for those who do not open its table.
    hint: fn(&Comparison, &WorkloadRow) -> Option<String>,
}

/// All tables in the order in which they are shown.
const SUBJECTS: &[Subject] = &[shares::SUBJECT, clocks::SUBJECT, census::SUBJECT, iostat::SUBJECT, said::SUBJECT];

/// A figure of a workload over all contenders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// The figure's name.
    pub what: Cow<'static, str>,
    /// What it is.
    pub meaning: &'static str,
    /// One per contender.
    pub values: Vec<String>,
    /// What it is compared with; empty where nothing is.
    pub beside: String,
}

/// The lines of a workload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Block {
    /// The workload's name.
    pub workload: String,
    /// At least one.
    pub lines: Vec<Line>,
}

/// A table of several workloads, or of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// What it is about.
    pub title: &'static str,
    /// What is remarkable in it; nothing in a table of all workloads.
    pub hint: Option<String>,
    /// Whether its blocks say which workload they are of: those of one workload stand in its section.
    pub names_workloads: bool,
    /// The contenders' labels.
    pub contenders: Vec<String>,
    /// Whether anything stands beside a line.
    pub has_beside: bool,
    /// At least one.
    pub blocks: Vec<Block>,
    /// What its figures are, and what is not in it.
    pub meaning: String,
}

/// The tables of all workloads, with what is worth a line; none without any.
pub fn of_all(comparison: &Comparison) -> Vec<Table> {
    let table = |subject: &Subject| {
        let block = |row: &WorkloadRow| (row.name.clone(), (subject.brief)(comparison, row));
        let table = table(comparison, subject, comparison.workloads.iter().map(block))?;
        let meaning = [table.meaning].into_iter().chain((subject.rest)(comparison)).collect::<Vec<_>>().join(" ");
        Some(Table { meaning, names_workloads: true, ..table })
    };
    SUBJECTS.iter().filter_map(table).collect()
}

/// The tables of one workload, with all that is known; its shares stand beside its medians.
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
        contenders: remark::labels(&comparison.contenders.iter().collect::<Vec<_>>()),
        has_beside: blocks.iter().flat_map(|block| &block.lines).any(|line| !line.beside.is_empty()),
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
        beside: String::new(),
    })
}

/// A figure of each contender in `workload`, in command-line order.
fn values(
    comparison: &Comparison,
    workload: &WorkloadRow,
    of: fn(&Comparison, &Cell) -> Option<f64>,
) -> Vec<Option<f64>> {
    let value = |label: &Label| {
        let cell = look_up::cell(comparison, &workload.name, label)?;
        of(comparison, cell).filter(|value| value.is_finite())
    };
    comparison.contenders.iter().map(|row| value(&row.label)).collect()
}

/// What a probe read in a cell.
fn probe(cell: &Cell, name: &str) -> Option<f64> {
    cell.probes.get(name)?.value
}
