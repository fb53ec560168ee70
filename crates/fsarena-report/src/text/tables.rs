//! Tables of figures that explain others, for a terminal.

use super::Style;
use super::layout::{self, Cell, Column, wrapped};
use super::paint::{Tone, painted};
use crate::table::{BESIDE, Block, Line, Table, WHAT};

/// The table with what its figures are; in lines where it would be too wide.
pub fn render(table: &Table, style: Style) -> String {
    let wide = layout::table(&columns(table), style.color);
    let width = wide.lines().map(layout::width).max().unwrap_or(0);
    let figures = if width <= style.width { wide } else { tall(table, style) };
    format!("{figures}\n{}", painted(&wrapped(&table.meaning, "", style.width), Tone::Faint, style.color))
}

/// All lines of a table; a workload is named once.
fn columns(table: &Table) -> Vec<Column> {
    let named = |block: &Block| {
        let rest = std::iter::repeat_n(String::new(), block.lines.len() - 1);
        std::iter::once(block.workload.clone()).chain(rest).collect::<Vec<_>>()
    };
    let workloads = table.blocks.iter().flat_map(named).map(|name| Cell::plain(&name)).collect();
    let of = |cell: &dyn Fn(&Line) -> &str| lines(table).map(|line| Cell::plain(cell(line))).collect::<Vec<_>>();
    let mut columns = vec![
        Column { title: table.title.to_owned(), cells: workloads },
        Column { title: WHAT.to_owned(), cells: of(&|line| line.what) },
    ];
    for (index, label) in table.contenders.iter().enumerate() {
        columns.push(Column { title: label.clone(), cells: of(&|line| &line.values[index]) }.flush_right());
    }
    columns.extend(table.has_beside.then(|| Column { title: BESIDE.to_owned(), cells: of(&|line| &line.beside) }));
    columns
}

fn lines(table: &Table) -> impl Iterator<Item = &Line> {
    table.blocks.iter().flat_map(|block| &block.lines)
}

fn tall(table: &Table, style: Style) -> String {
    let line = |line: &Line| {
        let values = table.contenders.iter().zip(&line.values).map(|(label, value)| format!("{label} {value}"));
        let beside = (!line.beside.is_empty()).then(|| line.beside.clone());
        let figures = values.chain(beside).collect::<Vec<_>>().join("; ");
        format!("  {}", wrapped(&format!("{}: {figures}", line.what), "    ", style.width - 2))
    };
    let mut all = vec![painted(table.title, Tone::Strong, style.color)];
    for block in &table.blocks {
        all.extend([block.workload.clone()].into_iter().chain(block.lines.iter().map(line)));
    }
    all.join("\n")
}
