//! Tables with their own title and explanation, for a terminal.

use super::Style;
use super::layout::{self, Cell, Column, wrapped};
use super::paint::{Tone, painted};
use crate::reproduction::{Sheet, View};

/// A reproduction: its sentences, then its tables.
pub fn reproduction(view: &View, style: Style) -> Vec<String> {
    let title = painted(&layout::visible(&view.title), Tone::Strong, style.color);
    let sentences = view.sentences.iter().map(|sentence| wrapped(sentence, "  ", style.width));
    let head = [title].into_iter().chain(sentences).collect::<Vec<_>>().join("\n");
    [head].into_iter().chain(view.sheets.iter().map(|sheet| render(sheet, style))).collect()
}

/// A table below its title; row by row if it would be too wide.
fn render(sheet: &Sheet, style: Style) -> String {
    let columns = sheet.head.iter().enumerate().map(|(index, title)| {
        let cells = sheet.rows.iter().map(|row| Cell::plain(&row[index])).collect();
        let column = Column { title: title.clone(), cells };
        if index < sheet.words { column } else { column.flush_right() }
    });
    let table = layout::table(&columns.collect::<Vec<_>>(), style.color);
    let fits = table.lines().all(|line| layout::width(line) <= style.width);
    let body = if fits { table } else { tall(sheet, style) };
    let title = painted(&layout::visible(&sheet.title), Tone::Strong, style.color);
    let meaning = painted(&wrapped(&sheet.meaning, "", style.width), Tone::Faint, style.color);
    let meaning = (!sheet.meaning.is_empty()).then_some(meaning);
    [title, body].into_iter().chain(meaning).collect::<Vec<_>>().join("\n")
}

fn tall(sheet: &Sheet, style: Style) -> String {
    let row = |row: &Vec<String>| {
        // If all columns are words, the other words describe the first.
        let (words, figures) = match row.split_first() {
            Some((first, others)) if sheet.words == row.len() => {
                return wrapped(&format!("{first}: {}", others.join("; ")), "    ", style.width);
            }
            _ => row.split_at(sheet.words),
        };
        let named = sheet.head[sheet.words..].iter().zip(figures).filter(|(_, figure)| *figure != crate::number::DASH);
        let figures = named.map(|(title, figure)| format!("{title} {figure}")).collect::<Vec<_>>().join("; ");
        wrapped(&format!("{}: {figures}", words.join(" ")), "    ", style.width)
    };
    sheet.rows.iter().map(row).collect::<Vec<_>>().join("\n")
}
