//! Tables: columns of entries, and how they are made from rows.

use serde::Serialize;

use super::sentence::{Role, Sentence, Shade};
use super::{Content, Shown};
use crate::footnote::Remark;

/// A table.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Table {
    /// How it is shown.
    pub look: TableLook,
    /// The columns, all with the same number of entries.
    pub columns: Vec<Column>,
    /// The rows that are not about contenders, by index.
    pub baselines: Vec<usize>,
    /// Names of the rows on a page, to which links lead; empty, or one per row.
    pub anchors: Vec<String>,
    /// Titles above some of the rows of a page, in ascending order.
    pub headings: Vec<Heading>,
}

/// A title above a row, which holds up to the next one.
#[derive(Debug, Clone, Serialize)]
pub struct Heading {
    /// The index of the row.
    pub row: usize,
    /// The title.
    pub title: String,
}

/// How a table is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableLook {
    /// As wide as the page. A terminal that is too narrow shows each row as one sentence.
    #[default]
    Full,
    /// As wide as necessary.
    Narrow,
    /// With coloured verdicts. A terminal that is too narrow shows each row as lines.
    Matrix,
    /// With coloured figures. A page that is too narrow shows each row as lines.
    Standings,
    /// Rows with the same first entry belong together, and are not repeated in it.
    Grouped,
    /// With long names of rows.
    Probes,
    /// Words, of which a terminal that is too narrow wraps the widest column.
    Listing,
}

/// A column.
#[derive(Debug, Clone, Serialize)]
pub struct Column {
    /// The title above it.
    pub title: String,
    /// What its entries are.
    pub kind: ColumnKind,
    /// Where it is shown.
    #[serde(skip)]
    pub shown: Shown,
    /// One entry per row.
    pub entries: Vec<Entry>,
}

/// What the entries of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnKind {
    /// Names of the rows.
    Name,
    /// Words.
    Words,
    /// Figures, flush right.
    Figure,
    /// Medians with their spread, aligned at the spread.
    Median,
    /// Words that go below the table if there is no room for the column.
    Reference,
}

/// An entry of a table.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Entry {
    /// The text.
    pub sentence: Sentence,
    /// The class of its colour on a page; may be empty.
    pub tint: String,
    /// What footnotes say about it.
    #[serde(skip)]
    pub remarks: Vec<Remark>,
    /// Numbers of the footnotes, from 1 on.
    pub marks: Vec<usize>,
}

impl Entry {
    /// A verdict in words.
    pub fn verdict(shade: impl Into<Shade>, words: impl Into<String>) -> Self {
        Sentence::new(Role::Verdict(shade.into()), words).into()
    }

    /// The entry with footnotes.
    pub fn with_remarks(self, remarks: impl IntoIterator<Item = Remark>) -> Self {
        Self { remarks: remarks.into_iter().collect(), ..self }
    }

    /// The entry in a colour.
    pub fn tinted(self, tint: impl Into<String>) -> Self {
        Self { tint: tint.into(), ..self }
    }
}

impl<T: Into<Sentence>> From<T> for Entry {
    fn from(sentence: T) -> Self {
        Self { sentence: sentence.into(), ..Self::default() }
    }
}

impl Table {
    /// A table of words and figures; `words` is the number of columns, from the left, that have words.
    pub fn from_rows<T: Into<String>>(
        head: impl IntoIterator<Item = T>,
        rows: impl IntoIterator<Item = Vec<String>>,
        words: usize,
    ) -> Self {
        let rows: Vec<Vec<String>> = rows.into_iter().collect();
        let column = |(index, title): (usize, T)| Column {
            title: title.into(),
            kind: match index {
                0 => ColumnKind::Name,
                _ if index < words => ColumnKind::Words,
                _ => ColumnKind::Figure,
            },
            shown: Shown::Everywhere,
            entries: rows.iter().map(|row| row[index].clone().into()).collect(),
        };
        Self { columns: head.into_iter().enumerate().map(column).collect(), ..Self::default() }
    }

    /// The first entry of a row.
    pub fn name(&self, row: usize) -> String {
        self.columns.first().map(|column| column.entries[row].sentence.words()).unwrap_or_default()
    }

    /// Whether a row has the same first entry as the one above it.
    pub fn repeats(&self, row: usize) -> bool {
        row > 0 && self.name(row) == self.name(row - 1)
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.columns.first().map_or(0, |column| column.entries.len())
    }
}

/// A table with a row for each `T`, to which columns are added.
pub struct TableOf<'a, T> {
    rows: &'a [T],
    table: Table,
}

impl<'a, T> TableOf<'a, T> {
    /// A table without columns.
    pub fn new(look: TableLook, rows: &'a [T]) -> Self {
        Self { rows, table: Table { look, ..Table::default() } }
    }

    /// Adds a column that is shown everywhere.
    pub fn column<E: Into<Entry>>(
        self,
        kind: ColumnKind,
        title: impl Into<String>,
        entry: impl Fn(&'a T) -> E,
    ) -> Self {
        self.column_on(Shown::Everywhere, kind, title, entry)
    }

    /// Adds a column that is shown in some media.
    pub fn column_on<E: Into<Entry>>(
        mut self,
        shown: Shown,
        kind: ColumnKind,
        title: impl Into<String>,
        entry: impl Fn(&'a T) -> E,
    ) -> Self {
        let entries = self.rows.iter().map(|row| entry(row).into()).collect();
        self.table.columns.push(Column { title: title.into(), kind, shown, entries });
        self
    }

    /// Adds a column for each item of a list.
    pub fn columns<I: 'a, E: Into<Entry>>(
        self,
        kind: ColumnKind,
        items: impl IntoIterator<Item = (String, I)>,
        entry: impl Fn(&'a T, &I) -> E,
    ) -> Self {
        items.into_iter().fold(self, |table, (title, item)| table.column(kind, title, |row| entry(row, &item)))
    }

    /// Shows the rows of baselines in another way than the others.
    pub fn with_baselines(mut self, is_baseline: impl Fn(&T) -> bool) -> Self {
        let rows = self.rows.iter().enumerate().filter(|(_, row)| is_baseline(row));
        self.table.baselines = rows.map(|(index, _)| index).collect();
        self
    }

    /// Gives each row a name on the page; may be empty.
    pub fn with_anchors(mut self, anchor: impl Fn(&T) -> String) -> Self {
        self.table.anchors = self.rows.iter().map(anchor).collect();
        self
    }

    /// The table.
    pub fn done(self) -> Table {
        self.table
    }
}

impl<T> From<TableOf<'_, T>> for Content {
    fn from(table: TableOf<'_, T>) -> Self {
        Self::Table(table.done())
    }
}
