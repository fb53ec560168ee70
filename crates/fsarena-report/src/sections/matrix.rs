//! The page's picture of a comparison: contenders and workloads in colours, with the figures.

use fsarena_model::comparison::{Cell, PairVerdict, WorkloadRow};
use fsarena_model::{Better, Comparison, Label};

use super::verdicts::{at_stake, figure_of, has_stakes, link, signs, with_order};
use crate::group::{ClassGroup, WorkGroup, groups, works};
use crate::number::DASH;
use crate::report::ColumnKind::{Figure, Name, Words};
use crate::report::{Entry, Heading, Paragraph, Role, Section, Sentence, Shade, Shown, Table, TableLook, TableOf};
use crate::{anchor, pair, ranking, words};

/// The tables of all groups of contenders.
pub fn matrix(comparison: &Comparison) -> Section {
    let works = works(comparison);
    let title = if comparison.judged.verdicts.is_empty() { "The figures" } else { "Which is best where" };
    let mut section = Section::titled(title);
    for group in &groups(comparison) {
        section = section.with_shown(Shown::Page, Paragraph::apart(&group.apart));
        section = section.with_shown(Shown::Page, table(group, &works));
        section = section.with_shown(Shown::Page, Paragraph::legend(signs(group)));
    }
    section.with_shown(Shown::Page, Paragraph::legend(legend(comparison)))
}

fn table(group: &ClassGroup<'_>, works: &[WorkGroup<'_>]) -> Table {
    let comparison = group.comparison;
    let rows: Vec<&WorkloadRow> = works.iter().flat_map(|work| work.workloads.iter().copied()).collect();
    let labels = group.contenders.iter().map(|row| (row.label.to_string(), &row.label));
    let table = TableOf::new(TableLook::Standings, &rows)
        .column(Name, "workload", |row| link(comparison, row))
        .column(Words, "unit", |row| unit(row))
        .columns(Words, labels, |row, label| entry(group, row, label));
    let table = if has_stakes(comparison) { table.column(Figure, "at stake", |row| at_stake(row)) } else { table };
    Table { headings: headings(works), ..with_order(table, group).done() }
}

/// The titles of the groups of workloads, if there are several.
fn headings(works: &[WorkGroup<'_>]) -> Vec<Heading> {
    let start = |index: usize| works[..index].iter().map(|work| work.workloads.len()).sum();
    let heading = |(index, work): (usize, &WorkGroup<'_>)| Heading { row: start(index), title: work.title.clone() };
    let headings = works.iter().enumerate().map(heading);
    if works.len() > 1 { headings.collect() } else { Vec::new() }
}

fn unit(workload: &WorkloadRow) -> Sentence {
    let direction = match workload.better {
        Better::Higher => "",
        Better::Lower => words::better(Better::Lower),
    };
    Sentence::from(&workload.unit).and(Role::Aside, direction)
}

fn entry(group: &ClassGroup<'_>, workload: &WorkloadRow, label: &Label) -> Entry {
    let (comparison, name) = (group.comparison, &workload.name);
    let was_tried = |cell: &&Cell| cell.figure.median.is_some() || !cell.validity.is_empty();
    let Some(cell) = comparison.cell(name, label).filter(was_tried) else { return DASH.into() };
    let figure = Sentence::new(Role::Link(anchor::contender(comparison, name, label)), figure_of(cell, &cell.unit));
    let flags = |sentence: Sentence| {
        let classes = cell.validity.iter().map(|flag| flag.class.to_string());
        Entry::from(classes.fold(sentence, |sentence, class| sentence.and(Role::Flag, class)))
    };
    let Some(shade) = shade(group, cell) else { return flags(figure) };
    let figure = figure.and(Role::Verdict(shade), ranking::word(group, name, label, shade));
    let figure = match ranking::behind(group, name, label) {
        Some(pair) => figure.and(Role::Link(anchor::pair(comparison, pair)), behind(pair)),
        None => figure,
    };
    flags(figure).tinted(shade.to_string())
}

/// `1.49× behind ext4`.
fn behind(pair: &PairVerdict) -> String {
    let words = |ratio| {
        let (better, ratio) = pair::better(pair, ratio);
        format!("{} behind {better}", ratio.times())
    };
    pair::ratio(pair).map_or(String::new(), words)
}

/// The colour of a cell; a missing or impossible figure is invalid, also in a run without verdicts.
fn shade(group: &ClassGroup<'_>, cell: &Cell) -> Option<Shade> {
    let is_missing = cell.figure.median.is_none() || !cell.is_plausible();
    if is_missing { Some(Shade::Invalid) } else { ranking::shade(group, &cell.workload, &cell.contender) }
}

fn legend(comparison: &Comparison) -> Sentence {
    if comparison.judged.verdicts.is_empty() {
        return "The medians; each links to its row. This run has no verdicts.".into();
    }
    Sentence::from("A figure is the median over rounds, and links to its row.")
        .and(Role::Key(Shade::Best), "Best:")
        .and(Role::Plain, "shown to be faster than at least one other, and no other is shown to be faster.")
        .and(Role::Key(Shade::Worst), "Worst:")
        .and(Role::Plain, "the opposite.")
        .and(Role::Key(Shade::Between), "Between:")
        .and(Role::Plain, "faster than one and slower than another.")
        .and(Role::Strong, "Group:")
        .and(Role::Plain, "several share the place, undecided or equivalent among themselves.")
        .and(Role::Key(Shade::Equivalent), "Equivalent")
        .and(Role::Plain, "or")
        .and(Role::Key(Shade::Undecided), "undecided:")
        .and(Role::Plain, "so against all others.")
        .and(Role::Strong, "Behind:")
        .and(
            Role::Plain,
            "how many times better one of the best group is. In a ranking, all before > are shown to be faster than all \
             after it. The best group has every contender than which no other is shown to be faster.",
        )
}
