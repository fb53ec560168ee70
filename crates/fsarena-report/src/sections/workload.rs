//! A workload by itself, for the page: its description, drawings, figures, pairs, latencies and probes, and reasons to
//! read it with care.

use std::collections::BTreeMap;

use fsarena_model::comparison::{BaselineRow, Cell, PairVerdict, WorkloadRow};
use fsarena_model::probe::{LatencyFigure, RATE_DONE, RATE_OFFERED};
use fsarena_model::trial::SYNCS;
use fsarena_model::{Comparison, Label, ValidityClass};

use super::verdicts::{figure_of, pairs_table};
use crate::group::{self, ClassGroup, cells, index_of};
use crate::number::{self, or_dash};
use crate::report::ColumnKind::{Figure, Name, Words};
use crate::report::{
    Arrangement, Content, Drawing, Drawings, Entry, Fold, List, ListLook, Paragraph, Role, Section, Sentence, Shade,
    Table, TableLook, TableOf,
};
use crate::svg::lines::{LoadLine, LoadPoint, against_load, over_time};
use crate::svg::medians::{self, Dot, ratios};
use crate::{anchor, explained, finding, latency, ranking, svg, why, words};

const OVER_TIME: &str = "A point is a part of at most a second of a slice, its median over rounds; slices follow one \
    another, and those of other contenders ran in between.";

/// The part about a workload, with what another crate adds to it.
pub fn workload(comparison: &Comparison, workload: &WorkloadRow, additions: Vec<Content>) -> Section {
    let cells = cells(comparison, workload);
    let groups = group::groups(comparison);
    let parts: Vec<WorkloadPart<'_>> = groups.iter().map(|group| WorkloadPart { workload, group }).collect();
    let figures = Section::titled("Figures").with_hint("medians, ratios, validity");
    let figures = figures.folded(Fold::Closed).with(List::new(ListLook::Chips, facts(workload)));
    Section::titled(workload.name.as_str())
        .with_hint(format!("{}, {}; version {}", workload.metric, workload.unit, workload.version))
        .folded(Fold::Named(anchor::workload(comparison, &workload.name)))
        .with(Paragraph::plain(Sentence::from(&workload.measures).and(Role::Faint, &workload.why)))
        .with_all(parts.iter().flat_map(WorkloadPart::drawings))
        .with(List::new(ListLook::Cares, cares(&cells)))
        .with(why::of_workload(comparison, &workload.name))
        .with_all(additions)
        .with(figures.with_all(parts.iter().flat_map(WorkloadPart::tables)))
        .with_all(latencies(comparison, workload, &cells))
        .with_all(explained::of_workload(comparison, workload))
        .with(explained::probes(comparison, workload))
}

/// How the workload is done, in a few words each.
fn facts(workload: &WorkloadRow) -> impl Iterator<Item = String> {
    let fixed = [
        words::better(workload.better),
        words::durable(workload.durable),
        words::cache(workload.cache),
        words::mode(workload.mode),
    ];
    fixed.map(str::to_owned).into_iter().chain(words::memory(workload))
}

/// A group of contenders in a workload.
struct WorkloadPart<'a> {
    workload: &'a WorkloadRow,
    group: &'a ClassGroup<'a>,
}

impl<'a> WorkloadPart<'a> {
    fn apart(&self) -> Content {
        Paragraph::apart(&self.group.apart).into()
    }

    fn dots(&self) -> Vec<Dot<'a>> {
        let dot = |label| {
            let cell = self.group.comparison.cell(&self.workload.name, label)?;
            let shade = ranking::shade(self.group, &cell.workload, label);
            let word = |shade| ranking::word(self.group, &cell.workload, label, shade);
            Some(Dot { cell, shade, word: shade.map(word).unwrap_or_default() })
        };
        self.group.labels().filter_map(dot).collect()
    }

    fn pairs(&self) -> Vec<&'a PairVerdict> {
        self.group.verdicts(&self.workload.name).collect()
    }

    /// The medians, and the ratios of pairs.
    fn drawings(&self) -> Vec<Content> {
        let comparison = self.group.comparison;
        let class = |label: &Label| svg::class(index_of(comparison, label));
        let drawings = [
            medians::medians(&self.dots(), &self.workload.unit, self.workload.better),
            ratios(&self.pairs(), comparison.run.margin, class),
        ];
        let drawings = drawings.into_iter().flatten().map(|svg| Drawing { caption: String::new(), svg });
        vec![self.apart(), Drawings::new(Arrangement::Grid, drawings).into()]
    }

    /// The figures behind the drawings.
    fn tables(&self) -> Vec<Content> {
        let comparison = self.group.comparison;
        let is_shown = |row: &&BaselineRow| row.workload == self.workload.name && self.group.apart.is_empty();
        let baselines = comparison.baselines.iter().filter(is_shown);
        let contenders =
            self.dots().into_iter().map(|dot| FigureRow::Contender(dot.cell, dot.shade == Some(Shade::Best)));
        let rows: Vec<FigureRow<'_>> = contenders.chain(baselines.map(FigureRow::Baseline)).collect();
        let figures = figures(self.group, self.workload, &rows);
        vec![self.apart(), figures.into(), pairs_table(comparison, &self.pairs()).into()]
    }
}

/// A row of a workload's figures.
enum FigureRow<'a> {
    /// A contender's cell, and whether none is proved to beat it.
    Contender(&'a Cell, bool),
    /// The same work without a contender.
    Baseline(&'a BaselineRow),
}

impl FigureRow<'_> {
    fn entry(&self, contender: impl Fn(&Cell) -> Entry, baseline: impl Fn(&BaselineRow) -> Entry) -> Entry {
        match self {
            Self::Contender(cell, _) => contender(cell),
            Self::Baseline(row) => baseline(row),
        }
    }
}

fn figures(group: &ClassGroup<'_>, workload: &WorkloadRow, rows: &[FigureRow<'_>]) -> Table {
    let comparison = group.comparison;
    let nothing = |_: &BaselineRow| Entry::default();
    let rank = |cell: &Cell| ranking::rank(comparison, &cell.workload, &cell.contender).into();
    let shares = |cell: &Cell| explained::shares(comparison, cell).into();
    let mut table = TableOf::new(TableLook::Full, rows).column(Name, "contender", name);
    if group.contenders.len() > 1 {
        table = table.column(Figure, "rank", |row| row.entry(rank, nothing));
    }
    table = table
        .column(Figure, format!("median, {}", workload.unit), |row| {
            row.entry(|cell| figure_of(cell, &cell.unit).into(), |row| explained::median(workload, row).into())
        })
        .column(Figure, "95 % of the median", |row| {
            row.entry(|cell| interval(cell).into(), |row| or_dash(explained::each(row)).into())
        })
        .column(Figure, "rounds", |row| row.entry(|cell| rounds(cell).into(), |row| row.rounds.to_string().into()))
        .column(Figure, "samples", |row| row.entry(|cell| cell.samples.to_string().into(), nothing));
    if rows.iter().any(|row| !row.entry(shares, nothing).sentence.0.is_empty()) {
        table = table.column(Words, "where the time goes", |row| row.entry(shares, nothing));
    }
    table
        .column(Words, "validity", |row| row.entry(|cell| validity(cell).into(), |_| "baseline".into()))
        .with_baselines(|row| matches!(row, FigureRow::Baseline(_)))
        .with_anchors(|row| match row {
            FigureRow::Contender(cell, _) => anchor::contender(comparison, &cell.workload, &cell.contender),
            FigureRow::Baseline(_) => String::new(),
        })
        .done()
}

fn name(row: &FigureRow<'_>) -> Sentence {
    match row {
        FigureRow::Contender(cell, true) => Sentence::new(Role::Leader, cell.contender.to_string()),
        FigureRow::Contender(cell, false) => cell.contender.to_string().into(),
        FigureRow::Baseline(row) => {
            Sentence::default().and_explained(Role::Plain, words::place(row.kind), words::baseline(row.kind))
        }
    }
}

fn interval(cell: &Cell) -> String {
    or_dash(number::interval(cell.figure.low, cell.figure.high, &cell.unit).filter(|_| cell.is_plausible()))
}

/// `6`, or `6 (3 excluded)`.
fn rounds(cell: &Cell) -> String {
    match cell.stability.excluded.len() {
        0 => cell.rounds.to_string(),
        count => format!("{} ({count} excluded)", cell.rounds),
    }
}

fn validity(cell: &Cell) -> Sentence {
    match cell.validity.is_empty() {
        true => "valid".into(),
        false => cell.validity.iter().fold(Sentence::default(), |all, one| all.and(Role::Flag, one.class.to_string())),
    }
}

/// A reason that several contenders share is listed once.
fn cares(cells: &[&Cell]) -> Vec<Sentence> {
    let mut found: BTreeMap<(ValidityClass, String), Vec<&Label>> = BTreeMap::new();
    for cell in cells {
        for validity in &cell.validity {
            let seen = (validity.class, finding::sentence(&validity.finding));
            found.entry(seen).or_default().push(&cell.contender);
        }
    }
    let care = |((class, text), contenders): ((ValidityClass, String), Vec<&Label>)| {
        Sentence::new(Role::Strong, format!("{}: {class}", words::listed(contenders)))
            .and(Role::Plain, format!("({}): {text}", words::validity(class)))
    };
    found.into_iter().map(care).collect()
}

/// Latencies: the curve against load if the workload has open loops, a table per operation, and the course over time.
fn latencies(comparison: &Comparison, workload: &WorkloadRow, cells: &[&Cell]) -> Vec<Content> {
    let plausible: Vec<&Cell> = cells.iter().copied().filter(|cell| cell.is_plausible()).collect();
    let operations = latency::operations(cells.iter().copied());
    let variants: Vec<&WorkloadRow> =
        comparison.workloads.iter().filter(|row| row.open_loop.of.as_ref() == Some(&workload.name)).collect();
    let mut contents = Vec::new();
    // Syncs have no intended start: each follows an operation that has one.
    for operation in operations.iter().filter(|operation| !SYNCS.contains(operation)) {
        let svg = against_load(&lines(comparison, workload, &variants, operation), operation);
        let drawing = svg.map(|svg| Drawing { caption: format!("Latency of {operation} against load"), svg });
        contents.push(Drawings::new(Arrangement::Wide, drawing).into());
        contents.push(Paragraph::legend(words::CURVE).into());
    }
    let tables: Vec<Table> = operations.iter().map(|operation| latency::of_operation(cells, operation)).collect();
    let meaning = latency::meaning(&tables);
    let part = Section::titled("Latencies").folded(Fold::Closed).with_all(tables);
    contents.push(part.with(Paragraph::legend(meaning)).into());
    let drawing = |operation: &&str| {
        let svg = over_time(&plausible, operation)?;
        Some(Drawing { caption: format!("Latency of {operation} within a trial"), svg })
    };
    let part = Section::titled("Latency over time")
        .folded(Fold::Closed)
        .with(Drawings::new(Arrangement::Wide, operations.iter().filter_map(drawing)));
    contents.push(part.with(Paragraph::legend(OVER_TIME)).into());
    contents
}

fn lines(comparison: &Comparison, base: &WorkloadRow, variants: &[&WorkloadRow], operation: &str) -> Vec<LoadLine> {
    let line = |contender: &Label| {
        let cell = |row: &WorkloadRow| comparison.cell(&row.name, contender);
        let mut open: Vec<(f64, LoadPoint)> = variants
            .iter()
            .filter_map(|row| Some((cell(row)?.probe(RATE_OFFERED)?, load(cell(row)?, operation)?)))
            .collect();
        open.sort_by(|one, other| one.0.total_cmp(&other.0));
        LoadLine {
            contender: contender.to_string(),
            open: open.into_iter().map(|(_, load)| load).collect(),
            closed: cell(base).and_then(|cell| load(cell, operation)),
        }
    };
    comparison.contenders.iter().map(|row| line(&row.label)).collect()
}

fn load(cell: &Cell, operation: &str) -> Option<LoadPoint> {
    let figure = |figure| latency::value(cell, operation, figure);
    let keeps_up = !cell.validity.iter().any(|flaw| flaw.class == ValidityClass::Overloaded);
    let load = LoadPoint {
        done: cell.probe(RATE_DONE)?,
        p50: figure(LatencyFigure::P50)?,
        p99: figure(LatencyFigure::P99)?,
        keeps_up,
    };
    cell.is_plausible().then_some(load)
}
