//! Tables of explanatory figures, for a terminal.

use super::Style;
use super::layout::{self, Cell, Column, wrapped};
use super::paint::{Tone, painted};
use crate::table::{BASELINE, Block, Line, Table, WHAT};

/// The table with its explanation. If it is too wide, its baselines are printed below it. If it is still too wide, it
/// is printed as lines.
pub fn render(table: &Table, style: Style) -> String {
    let columns = columns(table);
    let (figures, sources) = columns.split_at(2 + table.contenders.len());
    let all = layout::table(&columns, style.color);
    let fits = |text: &str| text.lines().all(|line| layout::width(line) <= style.width);
    let figures = match layout::table(figures, style.color) {
        _ if fits(&all) => all,
        narrow if fits(&narrow) && !sources.is_empty() => format!("{narrow}\n{}", baselines(table, style)),
        narrow if fits(&narrow) => narrow,
        _ => tall(table, style),
    };
    format!("{figures}\n{}", painted(&wrapped(&table.meaning, "", style.width), Tone::Faint, style.color))
}

/// The baselines of the table's lines, one per line.
fn baselines(table: &Table, style: Style) -> String {
    let of = |block: &Block| {
        let named = block.lines.iter().filter(|line| !line.baselines.is_empty());
        let sentence = |line: &Line| wrapped(&format!("{} {}", block.workload, line.baselines), "  ", style.width);
        named.map(sentence).collect::<Vec<_>>()
    };
    table.blocks.iter().flat_map(of).collect::<Vec<_>>().join("\n")
}

/// The columns of a table. A workload is named once.
fn columns(table: &Table) -> Vec<Column> {
    let named = |block: &Block| {
        let rest = std::iter::repeat_n(String::new(), block.lines.len() - 1);
        std::iter::once(block.workload.clone()).chain(rest).collect::<Vec<_>>()
    };
    let workloads = table.blocks.iter().flat_map(named).map(|name| Cell::plain(&name)).collect();
    let of = |cell: &dyn Fn(&Line) -> &str| lines(table).map(|line| Cell::plain(cell(line))).collect::<Vec<_>>();
    let mut columns = vec![
        Column { title: table.title.to_owned(), cells: workloads },
        Column { title: WHAT.to_owned(), cells: of(&|line| &*line.what) },
    ];
    for (index, label) in table.contenders.iter().enumerate() {
        columns.push(Column { title: label.clone(), cells: of(&|line| &line.values[index]) }.flush_right());
    }
    columns
        .extend(table.has_baseline.then(|| Column { title: BASELINE.to_owned(), cells: of(&|line| &line.baselines) }));
    columns
}

fn lines(table: &Table) -> impl Iterator<Item = &Line> {
    table.blocks.iter().flat_map(|block| &block.lines)
}

fn tall(table: &Table, style: Style) -> String {
    let line = |line: &Line| {
        let values = table.contenders.iter().zip(&line.values).map(|(label, value)| format!("{label} {value}"));
        let baselines = (!line.baselines.is_empty()).then(|| line.baselines.clone());
        let figures = values.chain(baselines).collect::<Vec<_>>().join("; ");
        format!("  {}", wrapped(&format!("{}: {figures}", line.what), "    ", style.width - 2))
    };
    let mut all = vec![painted(table.title, Tone::Strong, style.color)];
    for block in &table.blocks {
        all.extend([layout::visible(&block.workload)].into_iter().chain(block.lines.iter().map(line)));
    }
    all.join("\n")
}
