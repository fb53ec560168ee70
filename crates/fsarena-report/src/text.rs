//! The report as text for a terminal, as `fsarena compare` prints it.

pub mod layout;

use unicode_width::UnicodeWidthStr;

use crate::number::DASH;
use crate::report;
use crate::report::{
    Block, Column, ColumnKind, Content, Facts, OutputMedium, Paragraph, Report, Section, Table, TableLook, TableOf,
};
use layout::{BAD, FAINT, Rendition, STRONG, painted, rendition, table, wrapped};

/// Properties of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Whether escape sequences may be used. Colour only repeats what the words say.
    pub color: bool,
    /// Width in columns. A wider table is printed as lines instead.
    pub width: usize,
}

/// Fewest columns of the terminal in which words are wrapped.
const NARROWEST_WORDS: usize = 20;

/// Indentation of the further lines of a sentence.
const HANGING: &str = "  ";

/// Without colour, for files and pipes.
pub const PLAIN: TerminalStyle = TerminalStyle { color: false, width: 120 };

/// Any report in `style`.
pub fn of_report(report: Report, style: TerminalStyle) -> String {
    let report = report.on(OutputMedium::Terminal);
    let mut parts = vec![style.heading(&report.run)];
    parts.extend((!report.answer.is_empty()).then(|| style.sentences(&report.answer, report::Tone::Plain)));
    parts.extend(report.sections.iter().map(|section| style.section(section)));
    parts.join("\n\n") + "\n"
}

impl TerminalStyle {
    fn heading(self, text: &str) -> String {
        painted(&layout::visible(text), STRONG, self.color)
    }

    fn section(self, section: &Section) -> String {
        let title = (!section.title.is_empty()).then(|| self.heading(&section.title));
        self.below(title, &section.blocks)
    }

    /// The blocks below a title: sentences follow each other, and explanations follow their table; a table has an empty
    /// line before and after it.
    fn below(self, title: Option<String>, blocks: &[Block]) -> String {
        let mut text = title.unwrap_or_default();
        let mut is_table = false;
        for (index, block) in blocks.iter().enumerate() {
            let gap = match &block.content {
                _ if text.is_empty() => "",
                Content::Paragraph(Paragraph { tone: report::Tone::Legend, .. }) => "\n",
                Content::Paragraph(Paragraph { tone: report::Tone::Apart, .. }) | Content::Section(_) => "\n\n",
                Content::Table(_) if index > 0 => "\n\n",
                _ if is_table => "\n\n",
                _ => "\n",
            };
            is_table = matches!(&block.content, Content::Table(_) | Content::Section(_));
            text.push_str(gap);
            text.push_str(&self.block(&block.content));
        }
        text
    }

    /// Drawings are left out.
    fn block(self, content: &Content) -> String {
        match content {
            Content::Paragraph(Paragraph { tone, sentence }) => {
                painted(&wrapped(&sentence.words(), "", self.width), rendition_of(*tone), self.color)
            }
            Content::List(list) => self.sentences(&list.items, list.tone),
            Content::Facts(facts) => self.facts(facts),
            Content::Table(table) => self.table(table),
            Content::Section(section) => self.section(section),
            Content::Cards(cards) => cards.iter().map(|card| self.section(card)).collect::<Vec<_>>().join("\n"),
            Content::Command(command) => layout::visible(command),
            Content::Footnotes(footnotes) => self.footnotes(footnotes),
            Content::Drawings(_) => String::new(),
        }
    }

    fn sentences(self, sentences: &[report::Sentence], tone: report::Tone) -> String {
        let line = |sentence: &report::Sentence| {
            let rendition = rendition(sentence).or(rendition_of(tone));
            painted(&wrapped(&sentence.words(), HANGING, self.width), rendition, self.color)
        };
        sentences.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    fn facts(self, facts: &Facts) -> String {
        let fact = |fact: &report::Fact| {
            let lines: Vec<&str> = fact.lines.iter().map(|line| line.text.as_str()).collect();
            format!("{}: {}", fact.name, lines.join(", "))
        };
        let facts = facts.facts.iter().map(fact).collect::<Vec<_>>().join("; ");
        painted(&wrapped(&facts, HANGING, self.width), FAINT, self.color)
    }

    fn footnotes(self, footnotes: &[String]) -> String {
        let line = |(index, text): (usize, &String)| {
            wrapped(&format!("{} {text}", layout::marks(&[index + 1])), HANGING, self.width)
        };
        footnotes.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
    }

    /// The table. If it is too wide, the intervals of figures are left out; then references are printed below it. If it
    /// is still too wide, it is printed row by row.
    pub fn table(self, wide: &Table) -> String {
        let fits = |it: &Table| table(it, false).lines().all(|line| line.width() <= self.width);
        // Intervals of medians go last.
        let shorter = || without_intervals(wide, |_| true);
        let candidates = [wide.clone(), without_intervals(wide, |kind| kind != ColumnKind::Median), shorter()];
        if let Some(narrow) = candidates.iter().find(|it| fits(it)) {
            return table(narrow, self.color);
        }
        let shorter = shorter();
        let (references, columns) =
            shorter.columns.iter().cloned().partition(|column| column.kind == ColumnKind::Reference);
        let narrow = Table { columns, ..shorter };
        match wide.look {
            _ if fits(&narrow) => format!("{}\n{}", table(&narrow, self.color), self.references(wide, references)),
            TableLook::Matrix => self.lines(wide),
            TableLook::Listing => self.listing(wide),
            _ => self.row_by_row(wide),
        }
    }

    /// The references of the rows, each with the names that its row begins with.
    fn references(self, table: &Table, references: Vec<Column>) -> String {
        let of = |row: usize| {
            let texts = references.iter().map(move |column| column.entries[row].sentence.words());
            let names = table.columns.iter().take_while(|column| column.kind == ColumnKind::Name);
            let names: Vec<String> = names.map(|column| column.entries[row].sentence.words()).collect();
            texts.filter(|text| !text.is_empty()).map(move |text| format!("{}: {text}", names.join(", ")))
        };
        let lines = (0..table.height()).flat_map(of).map(|text| wrapped(&text, HANGING, self.width));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Each row as lines: first the words that it begins with, then a line for each other column.
    fn lines(self, tall: &Table) -> String {
        let row = |row: usize| {
            let is_head = |column: &Column| matches!(column.kind, ColumnKind::Name | ColumnKind::Words);
            let heads = tall.columns.iter().take_while(|column| is_head(column)).count();
            let (head, body) = tall.columns.split_at(heads);
            let words = head.iter().map(|column| layout::text(&column.entries[row])).collect::<Vec<_>>().join(", ");
            let lines = TableOf::new(TableLook::Full, body)
                .column(ColumnKind::Name, "", |column| format!("{HANGING}{}", column.title))
                .column(ColumnKind::Median, "", |column| column.entries[row].clone())
                .done();
            format!("{}\n{}", painted(&words, STRONG, self.color), table(&lines, self.color))
        };
        (0..tall.height()).map(row).collect::<Vec<_>>().join("\n")
    }

    /// The table with its widest column in several lines, if there is room for them.
    fn listing(self, wide: &Table) -> String {
        let cells = |column: &Column| column.entries.iter().map(layout::text).collect::<Vec<_>>();
        let columns: Vec<Vec<String>> = wide.columns.iter().map(cells).collect();
        let titles = wide.columns.iter().map(|column| column.title.as_str());
        let width_of = |(title, cells): (&str, &Vec<String>)| {
            cells.iter().map(|cell| cell.width()).max().unwrap_or(0).max(title.width())
        };
        let widths: Vec<usize> = titles.clone().zip(&columns).map(width_of).collect();
        let Some(widest) = (0..widths.len()).max_by_key(|index| widths[*index]) else { return String::new() };
        let others: usize = widths.iter().map(|width| width + layout::GAP.len()).sum::<usize>() - widths[widest];
        let room = (self.width + layout::GAP.len()).saturating_sub(others);
        if room < NARROWEST_WORDS {
            return self.row_by_row(wide);
        }
        let mut rows = Vec::new();
        for row in 0..wide.height() {
            let mut cells: Vec<String> = columns.iter().map(|column| column[row].clone()).collect();
            for line in wrapped(&columns[widest][row], HANGING, room).split('\n') {
                line.clone_into(&mut cells[widest]);
                rows.push(cells.clone());
                cells.fill(String::new());
            }
        }
        table(&Table::from_rows(titles, rows, wide.columns.len()), self.color)
    }

    /// Each row as one sentence; rows of a group below the group's name.
    fn row_by_row(self, table: &Table) -> String {
        let is_grouped = table.look == TableLook::Grouped;
        let columns = if is_grouped { &table.columns[1..] } else { &table.columns[..] };
        let indent = if is_grouped { HANGING } else { "" };
        let mut lines = Vec::new();
        for row in 0..table.height() {
            if is_grouped && !table.repeats(row) {
                lines.push(layout::visible(&table.name(row)));
            }
            let text = wrapped(
                &sentence(columns, row),
                &format!("{indent}{HANGING}"),
                self.width.saturating_sub(indent.len()),
            );
            lines.push(format!("{indent}{text}"));
        }
        lines.join("\n")
    }
}

fn without_intervals(table: &Table, of: impl Fn(ColumnKind) -> bool) -> Table {
    let mut table = table.clone();
    let columns = table.columns.iter_mut().filter(|column| of(column.kind));
    let entries = columns.flat_map(|column| &mut column.entries);
    entries.for_each(|entry| entry.sentence.0.retain(|phrase| phrase.role != report::Role::Interval));
    table
}

/// `words: title figure; title figure`. If all columns are words, the other words describe the first, each with its
/// title if there are several.
fn sentence(columns: &[Column], row: usize) -> String {
    let is_figure = |column: &Column| matches!(column.kind, ColumnKind::Figure | ColumnKind::Median);
    let (words, values) = columns.split_at(columns.iter().position(is_figure).unwrap_or(1));
    let text = |column: &Column| layout::text(&column.entries[row]);
    let has_titles = values.len() > 1 && !values.iter().any(is_figure);
    let value = |column: &Column| match is_figure(column) || (has_titles && !column.title.is_empty()) {
        true => format!("{} {}", column.title, text(column)),
        false => text(column),
    };
    let is_known = |column: &&Column| !["", DASH].contains(&text(column).as_str());
    let words: Vec<String> = words.iter().map(text).collect();
    let values: Vec<String> = values.iter().filter(is_known).map(value).collect();
    format!("{}: {}", words.join(" "), values.join("; "))
}

fn rendition_of(tone: report::Tone) -> Rendition {
    match tone {
        report::Tone::Plain | report::Tone::Apart => None,
        report::Tone::Legend => FAINT,
        report::Tone::Alarm => BAD,
    }
}
