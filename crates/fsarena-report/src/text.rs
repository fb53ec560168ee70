//! The report as text for a terminal, as `fsarena compare` prints it.

pub mod article;
mod layout;
mod paint;
mod sheets;
mod tables;

use fsarena_model::Comparison;

use crate::table::of_all;
use crate::view::{GroupView, PairLine, Row, SuiteLine, View};
use crate::{answer, group, machine, recommendation, remark, reproduction, words};
use layout::{Cell, Column, table, wrapped};
use paint::{Tone, painted};

/// Properties of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether escape sequences may be used. Colour only repeats what the words say.
    pub color: bool,
    /// Width in columns. A wider table is printed as lines instead.
    pub width: usize,
}

/// The report without colour, for files and pipes.
pub fn plain(comparison: &Comparison) -> String {
    render(comparison, Style { color: false, width: 120 })
}

/// The report in `style`.
pub fn render(comparison: &Comparison, style: Style) -> String {
    let view = View::new(comparison);
    let mut blocks = vec![painted(&layout::visible(&remark::head(comparison)), Tone::Strong, style.color)];
    blocks.extend(comparison.condition.iter().map(|text| wrapped(text, "", style.width)));
    let reproduction = reproduction::view(comparison);
    blocks.extend(reproduction.iter().flat_map(|view| sheets::reproduction(view, style)));
    blocks.extend(recommendation::view(comparison).iter().flat_map(|view| sheets::reproduction(view, style)));
    for group in &view.groups {
        blocks.extend(group.apart.as_ref().map(|reason| wrapped(reason, "", style.width)));
        blocks.push(figures(group, style));
        blocks.extend(best(group, style));
        blocks.extend((!group.pairs.is_empty()).then(|| pairs(&group.pairs, style)));
        blocks.extend((!group.suite.is_empty()).then(|| suite(&group.suite, style)));
    }
    blocks.extend(answer::price(comparison).map(|price| wrapped(&price, "", style.width)));
    blocks.extend(sentences(footnotes(&view), style));
    blocks.extend(sentences(incidents(comparison), style));
    blocks.extend(sentences(guarantees(comparison), style));
    blocks.extend(of_all(comparison).iter().map(|table| tables::render(table, style)));
    blocks.extend(sentences(circumstances(comparison), style));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

/// The table of medians, or lines if it would be too wide.
fn figures(group: &GroupView, style: Style) -> String {
    let wide = table(&wide_columns(group), style.color);
    let width = wide.lines().map(layout::width).max().unwrap_or(0);
    match width <= style.width {
        true => wide,
        false => group.rows.iter().map(|row| tall(group, row, style)).collect::<Vec<_>>().join("\n"),
    }
}

fn wide_columns(group: &GroupView) -> Vec<Column> {
    let column = |title: &str, cell: &dyn Fn(&Row) -> Cell| Column {
        title: title.to_owned(),
        cells: group.rows.iter().map(cell).collect(),
    };
    let mut columns =
        vec![column("workload", &|row| Cell::figure(&row.workload)), column("unit", &|row| Cell::plain(&row.unit))];
    for (index, label) in group.contenders.iter().enumerate() {
        columns.push(column(label, &|row| Cell::figure(&row.cells[index])).with_numbers_aligned());
    }
    for (index, title) in outcome_titles(group).into_iter().enumerate() {
        columns.push(column(title, &|row| Cell::figure(&row.outcome[index])));
    }
    columns
}

fn outcome_titles(group: &GroupView) -> Vec<&'static str> {
    match group.contenders.len() {
        0 | 1 => Vec::new(),
        2 => vec!["verdict", "interval", "finds from"],
        _ => vec!["ranking"],
    }
}

fn tall(group: &GroupView, row: &Row, style: Style) -> String {
    let name = format!("{}, {}", Cell::figure(&row.workload).painted(false), layout::visible(&row.unit));
    let mut lines = vec![painted(&name, Tone::Strong, style.color)];
    let label = |index: usize| Cell::plain(&format!("  {}", group.contenders[index]));
    let columns = [
        Column { title: String::new(), cells: (0..row.cells.len()).map(label).collect() },
        Column { title: String::new(), cells: row.cells.iter().map(Cell::figure).collect() }.with_numbers_aligned(),
    ];
    lines.push(table(&columns, style.color));
    for (title, figure) in outcome_titles(group).into_iter().zip(&row.outcome) {
        lines.push(format!("  {title}: {}", Cell::figure(figure).painted(style.color)));
    }
    lines.join("\n")
}

fn pairs(pairs: &[PairLine], style: Style) -> String {
    let column = |title: &str, cell: &dyn Fn(&PairLine) -> Cell| Column {
        title: title.to_owned(),
        cells: pairs.iter().map(cell).collect(),
    };
    let columns = [
        column("workload", &|line| Cell::plain(&line.workload)),
        column("pair", &|line| Cell::plain(&line.name)),
        column("ratio", &|line| Cell::plain(&line.ratio)),
        column("interval", &|line| Cell::plain(&line.decision)),
        column("finds from", &|line| Cell::plain(&line.finds_from)),
        column("verdict on the first", &|line| Cell::figure(&line.outcome)),
    ];
    table(&columns, style.color)
}

/// One line per best group.
fn best(group: &GroupView, style: Style) -> Option<String> {
    let line = |best: &String| format!("  {}", wrapped(best, "    ", style.width - 2));
    let lines = [painted("best group (none is proved better)", Tone::Strong, style.color)]
        .into_iter()
        .chain(group.best.iter().map(line));
    (!group.best.is_empty()).then(|| lines.collect::<Vec<_>>().join("\n"))
}

/// One line per pair, and the meaning of the mean if a pair has one.
fn suite(lines: &[SuiteLine], style: Style) -> String {
    let column = |title: &str, cell: &dyn Fn(&SuiteLine) -> Cell| Column {
        title: title.to_owned(),
        cells: lines.iter().map(cell).collect(),
    };
    let columns = [
        column("over the suite", &|line| Cell::plain(&line.name)),
        column("mean ratio", &|line| Cell::figure(&line.ratio)),
        column("95 %", &|line| Cell::plain(&line.interval)),
        column("workloads", &|line| Cell::plain(&line.workloads)),
    ];
    let meaning = || painted(&wrapped(words::SUITE, "", style.width), Tone::Faint, style.color);
    let meaning = lines.iter().any(|line| line.has_mean).then(meaning);
    [table(&columns, style.color)].into_iter().chain(meaning).collect::<Vec<_>>().join("\n")
}

/// Wraps each sentence and joins them into one block.
fn sentences(sentences: Vec<(String, Tone)>, style: Style) -> Option<String> {
    let line = |(text, tone): &(String, Tone)| painted(&wrapped(text, "  ", style.width), *tone, style.color);
    (!sentences.is_empty()).then(|| sentences.iter().map(line).collect::<Vec<_>>().join("\n"))
}

fn footnotes(view: &View) -> Vec<(String, Tone)> {
    let note = |(index, text): (usize, &String)| (format!("{} {text}", layout::marks(&[index + 1])), Tone::Plain);
    view.footnotes.iter().enumerate().map(note).collect()
}

fn incidents(comparison: &Comparison) -> Vec<(String, Tone)> {
    let damage = comparison.damage.iter().map(|check| (remark::damage(check), Tone::Bad));
    let notes = remark::notes(comparison).into_iter().map(|(word, note)| {
        (format!("{word}: {}", note.text), if word == "failure" { Tone::Bad } else { Tone::Plain })
    });
    damage.chain(notes).collect()
}

fn guarantees(comparison: &Comparison) -> Vec<(String, Tone)> {
    let sentences = group::groups(comparison).iter().filter_map(remark::guarantees).collect::<Vec<_>>();
    let all = sentences.into_iter().map(|text| format!("Guarantees: {text}"));
    all.chain(remark::pair_guarantees(comparison)).map(|text| (text, Tone::Plain)).collect()
}

fn circumstances(comparison: &Comparison) -> Vec<(String, Tone)> {
    let mut lines = vec![format!("{} Not covered:", words::NOISE_ONLY)];
    lines.extend(words::biases(comparison).iter().map(|bias| format!("- {bias}")));
    lines.extend((!comparison.verdicts.is_empty()).then(|| words::INTERVAL.to_owned()));
    lines.extend(machine::lane_facts(comparison));
    lines.push(machine::environment(comparison));
    lines.extend(machine::sentence(&comparison.environment));
    lines.into_iter().map(|line| (line, Tone::Faint)).collect()
}
