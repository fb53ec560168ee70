//! Colour, columns and wrapped lines for a terminal, aligned by the width of characters. Colour only repeats what the
//! words say.

use fsarena_model::Severity;
use unicode_width::UnicodeWidthStr;

use crate::report::{ColumnKind, Entry, Role, Sentence, Shade, Table, TableLook};
use fsarena_model::visible::visible_lines;

/// Space between two columns.
pub(super) const GAP: &str = "  ";

/// How a text looks: the parameter of ECMA-48 "select graphic rendition"; `None` is normal.
pub(super) type Rendition = Option<&'static str>;

/// A heading.
pub(super) const STRONG: Rendition = Some("1");

/// Text for few readers.
pub(super) const FAINT: Rendition = Some("2");

/// Something went wrong.
pub(super) const BAD: Rendition = Some("31");

/// How an entry or a sentence looks, which its first phrase decides: a difference is green, a tie cyan, an open verdict
/// yellow.
pub(super) fn rendition(sentence: &Sentence) -> Rendition {
    match sentence.0.first()?.role {
        Role::Verdict(Shade::Faster | Shade::Slower) => Some("32"),
        Role::Verdict(Shade::Equivalent) => Some("36"),
        Role::Verdict(Shade::Undecided | Shade::Leaning) => Some("33"),
        Role::Verdict(Shade::Invalid) | Role::Severity(Severity::Failure) => BAD,
        _ => None,
    }
}

/// `text` as it looks, each line separately, if `color` is set. It has no other escape sequences.
pub(super) fn painted(text: &str, look: Rendition, color: bool) -> String {
    let text = visible_lines(text);
    match look.filter(|_| color) {
        Some(code) => text.lines().map(|line| format!("\x1b[{code}m{line}\x1b[0m")).collect::<Vec<_>>().join("\n"),
        None => text.into_owned(),
    }
}

#[derive(Debug, Clone)]
struct TextPiece {
    text: String,
    look: Rendition,
}

/// The table with its head, if any column has a title. The name of a group of rows is printed once.
pub(super) fn table(table: &Table, color: bool) -> String {
    let columns: Vec<Vec<TextPiece>> = (0..table.columns.len()).map(|index| column(table, index)).collect();
    let widest = |pieces: &Vec<TextPiece>| pieces.iter().map(|piece| piece.text.width()).max().unwrap_or(0);
    let widths: Vec<usize> = columns.iter().map(widest).collect();
    let has_head = table.columns.iter().any(|column| !column.title.is_empty());
    let line = |row: usize| line(columns.iter().map(|pieces| &pieces[row]), &widths, color);
    (usize::from(!has_head)..=table.height()).map(line).collect::<Vec<_>>().join("\n")
}

/// The title and the entries of a column. Figures are flush right. Of medians, the numbers before ` [` are flush right,
/// so that digits of the same magnitude are below each other.
fn column(table: &Table, index: usize) -> Vec<TextPiece> {
    let column = &table.columns[index];
    let is_blank = |row: usize| index == 0 && table.look == TableLook::Grouped && table.repeats(row);
    let piece = |(row, entry): (usize, &Entry)| TextPiece {
        text: if is_blank(row) { String::new() } else { text(entry) },
        look: rendition(&entry.sentence),
    };
    let title = TextPiece { text: visible(&column.title), look: STRONG };
    let mut pieces: Vec<TextPiece> = [title].into_iter().chain(column.entries.iter().enumerate().map(piece)).collect();
    match column.kind {
        ColumnKind::Figure => align(&mut pieces, |text| Some(text.width())),
        ColumnKind::Median => {
            align(&mut pieces[1..], |text| text.split_once(" [").map(|(number, _)| number.width()));
        }
        ColumnKind::Name | ColumnKind::Words | ColumnKind::Reference => {}
    }
    pieces
}

/// Inserts spaces before texts, so that their parts of this width end below each other.
fn align(pieces: &mut [TextPiece], part: impl Fn(&str) -> Option<usize>) {
    let widest = pieces.iter().filter_map(|piece| part(&piece.text)).max().unwrap_or(0);
    for piece in pieces {
        let padding = part(&piece.text).map_or(0, |width| widest - width);
        piece.text.insert_str(0, &" ".repeat(padding));
    }
}

/// The text of an entry with its marks.
pub(super) fn text(entry: &Entry) -> String {
    let words = visible(&entry.sentence.words());
    let gap = if entry.marks.is_empty() || words.ends_with(']') { "" } else { " " };
    format!("{words}{gap}{}", marks(&entry.marks))
}

fn line<'a>(pieces: impl Iterator<Item = &'a TextPiece>, widths: &[usize], color: bool) -> String {
    let mut line = String::new();
    let mut missing = 0;
    for (piece, wanted) in pieces.zip(widths).filter(|(_, wanted)| **wanted > 0) {
        line.push_str(&" ".repeat(missing));
        if !piece.text.is_empty() {
            line.push_str(&painted(&piece.text, piece.look, color));
        }
        missing = wanted - piece.text.width() + GAP.len();
    }
    line.truncate(line.trim_end().len());
    line
}

/// `text` without characters that control the terminal. Line ends become ` / `.
pub(crate) fn visible(text: &str) -> String {
    crate::visible(&text.replace('\n', " / ")).into_owned()
}

/// Footnote numbers in superscript: `¹,²`.
pub(super) fn marks(numbers: &[usize]) -> String {
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
            false if line.width() + 1 + word.width() <= limit => line.extend([" ", word]),
            false => lines.push(format!("{indent}{word}")),
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::TableOf;
    use proptest::prelude::*;

    fn of(kind: ColumnKind, columns: &[(&str, &[&str])]) -> Table {
        let rows: Vec<usize> = (0..columns[0].1.len()).collect();
        let columns = columns.iter().map(|(title, entries)| ((*title).to_owned(), *entries));
        TableOf::new(TableLook::Full, &rows).columns(kind, columns, |row, entries| entries[*row]).done()
    }

    #[test]
    fn numbers_are_flush_right() {
        let medians = of(ColumnKind::Median, &[("ext4", &["31.2k [30.9k, 31.6k]", "812 [710, 930]", "–"])]);
        assert_eq!(table(&medians, false), "ext4\n31.2k [30.9k, 31.6k]\n  812 [710, 930]\n–");
    }

    proptest! {
        #[test]
        fn wrapping_loses_no_word(text in "[a-zµ ]{0,200}", limit in 10usize..60) {
            let wrapped = wrapped(&text, "  ", limit);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(words(&wrapped), words(&text));
            prop_assert!(wrapped.lines().all(|line| line.width() <= limit || words(line).len() == 1));
        }
    }
}
