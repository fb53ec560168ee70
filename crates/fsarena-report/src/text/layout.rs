//! Colour, columns and wrapped lines for a terminal, aligned by the width of characters. Colour only repeats what the
//! words say.

use fsarena_model::Severity;
use unicode_width::UnicodeWidthStr;

use crate::report::{Entry, Role, Shade};
use crate::visible::visible_lines;

/// Space between two columns.
const GAP: &str = "  ";

/// The role of a text, which determines its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Normal text.
    Plain,
    /// A heading.
    Strong,
    /// Text for few readers.
    Faint,
    /// A difference was shown.
    Decided,
    /// A tie was shown.
    Even,
    /// Nothing was shown.
    Open,
    /// Something went wrong.
    Bad,
}

impl From<&Role> for Tone {
    fn from(role: &Role) -> Self {
        match role {
            Role::Verdict(Shade::Faster | Shade::Slower) => Self::Decided,
            Role::Verdict(Shade::Equivalent) => Self::Even,
            Role::Verdict(Shade::Undecided | Shade::Leaning) => Self::Open,
            Role::Verdict(Shade::Invalid) | Role::Severity(Severity::Failure) => Self::Bad,
            _ => Self::Plain,
        }
    }
}

/// The parameters of ECMA-48 "select graphic rendition".
fn rendition(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain => None,
        Tone::Strong => Some("1"),
        Tone::Faint => Some("2"),
        Tone::Decided => Some("32"),
        Tone::Even => Some("36"),
        Tone::Open => Some("33"),
        Tone::Bad => Some("31"),
    }
}

/// `text` in its tone, each line separately, if `color` is set. It has no other escape sequences.
pub fn painted(text: &str, tone: Tone, color: bool) -> String {
    let text = visible_lines(text);
    match rendition(tone).filter(|_| color) {
        Some(code) => text.lines().map(|line| format!("\x1b[{code}m{line}\x1b[0m")).collect::<Vec<_>>().join("\n"),
        None => text.into_owned(),
    }
}

/// A piece of text in a table.
#[derive(Debug, Clone)]
pub struct Cell {
    text: String,
    tone: Tone,
}

impl Cell {
    /// Text without a tone.
    pub fn plain(text: &str) -> Self {
        Self { text: visible(text), tone: Tone::Plain }
    }

    /// An entry of a table with its marks.
    pub fn of(entry: &Entry) -> Self {
        let gap = if entry.marks.is_empty() { "" } else { " " };
        let text = format!("{}{gap}{}", visible(&entry.sentence.words()), marks(&entry.marks));
        Self { text, tone: entry.sentence.0.first().map_or(Tone::Plain, |phrase| Tone::from(&phrase.role)) }
    }

    /// The text in its colour.
    pub fn painted(&self, color: bool) -> String {
        painted(&self.text, self.tone, color)
    }
}

/// A column with its title. If no column has a title, the table has no head.
#[derive(Debug, Clone)]
pub struct Column {
    /// The title above it.
    pub title: String,
    /// One cell per row. All columns of a table have the same number of rows.
    pub cells: Vec<Cell>,
}

impl Column {
    /// The numbers before ` ±` flush right, so that digits of the same magnitude are in one column.
    pub fn with_numbers_aligned(mut self) -> Self {
        let number = |cell: &Cell| cell.text.split_once(" ±").map(|(number, _)| width(number));
        let widest = self.cells.iter().filter_map(number).max().unwrap_or(0);
        for cell in &mut self.cells {
            let padding = number(cell).map_or(0, |width| widest - width);
            cell.text.insert_str(0, &" ".repeat(padding));
        }
        self
    }

    /// Title and cells flush right, for figures of one kind.
    pub fn flush_right(mut self) -> Self {
        let widest = self.width();
        let padding = |text: &str| " ".repeat(widest - width(text));
        self.title = padding(&visible(&self.title)) + &self.title;
        for cell in &mut self.cells {
            cell.text.insert_str(0, &padding(&cell.text));
        }
        self
    }

    fn width(&self) -> usize {
        self.cells.iter().map(|cell| width(&cell.text)).chain([width(&visible(&self.title))]).max().unwrap_or(0)
    }
}

/// The columns next to each other.
pub fn table(columns: &[Column], color: bool) -> String {
    let has_head = columns.iter().any(|column| !column.title.is_empty());
    let head: Vec<_> = columns.iter().map(|column| Cell { text: visible(&column.title), tone: Tone::Strong }).collect();
    let count = columns.first().map_or(0, |column| column.cells.len());
    let rows = (0..count).map(|row| columns.iter().map(|column| column.cells[row].clone()).collect());
    let lines: Vec<_> = has_head.then_some(head).into_iter().chain(rows).collect();
    let widths: Vec<_> = columns.iter().map(Column::width).collect();
    lines.iter().map(|cells| line(cells, &widths, color)).collect::<Vec<_>>().join("\n")
}

fn line(cells: &[Cell], widths: &[usize], color: bool) -> String {
    let mut line = String::new();
    let mut missing = 0;
    for (cell, wanted) in cells.iter().zip(widths).filter(|(_, wanted)| **wanted > 0) {
        line.push_str(&" ".repeat(missing));
        if !cell.text.is_empty() {
            line.push_str(&painted(&cell.text, cell.tone, color));
        }
        missing = wanted - width(&cell.text) + GAP.len();
    }
    line.truncate(line.trim_end().len());
    line
}

/// Width of `text` in columns of the terminal.
pub fn width(text: &str) -> usize {
    without_escapes(text).width()
}

/// `text` without characters that control the terminal. Line ends become ` / `.
pub fn visible(text: &str) -> String {
    crate::visible(&text.replace('\n', " / ")).into_owned()
}

fn without_escapes(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or("", |(_, rest)| rest))
}

/// Footnote numbers in superscript: `¹,²`.
pub fn marks(numbers: &[usize]) -> String {
    let raised = |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize - '0' as usize).unwrap_or(digit);
    let mark = |number: &usize| number.to_string().chars().map(raised).collect::<String>();
    numbers.iter().map(mark).collect::<Vec<_>>().join(",")
}

/// `text` in lines of at most `limit` columns, unless a word is longer. `indent` precedes each line but the first.
pub fn wrapped(text: &str, indent: &str, limit: usize) -> String {
    let mut lines = vec![String::new()];
    for word in visible(text).split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        match line.trim().is_empty() {
            true => line.push_str(word),
            false if width(line) + 1 + width(word) <= limit => line.extend([" ", word]),
            false => lines.push(format!("{indent}{word}")),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn column(title: &str, cells: &[&str]) -> Column {
        Column { title: title.to_owned(), cells: cells.iter().map(|text| Cell::plain(text)).collect() }
    }

    #[test]
    fn columns_stand_below_each_other_whatever_the_script() {
        let columns = [column("名前", &["ext4", "文件"]), column("x", &["±1 µs", "2"])];
        assert_eq!(table(&columns, false), "名前  x\next4  ±1 µs\n文件  2");
    }

    #[test]
    fn numbers_are_flush_right() {
        let columns = [column("ext4", &["31.2k ±1.3 %", "812 ±12 %", "–"]).with_numbers_aligned()];
        assert_eq!(table(&columns, false), "ext4\n31.2k ±1.3 %\n  812 ±12 %\n–");
    }

    #[test]
    fn colour_takes_no_room() {
        assert_eq!(width(&painted("31.2k", Tone::Decided, true)), 5);
    }

    #[test]
    fn a_label_cannot_rule_the_terminal() {
        assert!(!Cell::plain("a\x1b[31mb\n").text.contains(['\x1b', '\n']));
    }

    #[test]
    fn marks_are_raised() {
        assert_eq!(marks(&[1, 12]), "¹,¹²");
    }

    proptest! {
        #[test]
        fn wrapping_loses_no_word(text in "[a-zµ ]{0,200}", limit in 10usize..60) {
            let wrapped = wrapped(&text, "  ", limit);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&wrapped), words(&text));
            prop_assert!(wrapped.lines().all(|line| width(line) <= limit || words(line).len() == 1));
        }
    }
}
