//! A report before it has a format: sections of sentences, tables and drawings. `sections` decides what a report
//! contains; the formats for readers print each kind of [`Content`] in one way.

use fsarena_model::{Severity, Verdict};
use serde::Serialize;

use crate::footnote::{Footnotes, Remark};

/// A kind of output for readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// A terminal, or a file of plain text.
    Terminal,
    /// Markdown.
    Markdown,
    /// A page in a browser, which also has drawings, and folds what few readers need.
    Page,
}

/// The media that show a part of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    /// All media.
    #[default]
    Everywhere,
    /// The terminal only.
    Terminal,
    /// Markdown only.
    Markdown,
    /// The page only.
    Page,
    /// The terminal and Markdown, which have tables over all workloads.
    Summaries,
    /// Markdown and the page, whose lines may be long.
    Documents,
}

impl Shown {
    fn includes(self, medium: Medium) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Terminal => medium == Medium::Terminal,
            Self::Markdown => medium == Medium::Markdown,
            Self::Page => medium == Medium::Page,
            Self::Summaries => medium != Medium::Page,
            Self::Documents => medium != Medium::Terminal,
        }
    }
}

/// A report.
#[derive(Debug, Serialize)]
pub struct Report {
    /// `ext4 and xfs compared`.
    pub title: String,
    /// The run in one line.
    pub run: String,
    /// The same as separate facts, for the head of a page.
    pub facts: Vec<String>,
    /// Other load on the machine, and its consequence.
    pub condition: Option<String>,
    /// What went wrong with the run as a whole.
    pub alarms: Vec<String>,
    /// The answer in one paragraph.
    pub answer: String,
    /// Number of pairs by verdict.
    pub counts: Vec<Count>,
    /// The sections in their order.
    pub sections: Vec<Section>,
    /// How the report was made.
    pub origin: String,
    /// The version of the program.
    pub version: String,
}

/// Number of pairs with a verdict.
#[derive(Debug, Serialize)]
pub struct Count {
    /// The verdict.
    pub verdict: Shade,
    /// The number.
    pub count: usize,
    /// The verdict in words.
    pub words: &'static str,
}

impl Report {
    /// The parts that `medium` shows, with the numbers of their footnotes. Empty parts are left out.
    pub fn on(mut self, medium: Medium) -> Self {
        for section in &mut self.sections {
            section.blocks = shown_on(std::mem::take(&mut section.blocks), medium);
        }
        let mut footnotes = Footnotes::default();
        if medium != Medium::Page {
            self.sections.iter_mut().for_each(|section| number(&mut section.blocks, &mut footnotes));
        }
        let sentences = footnotes.sentences();
        for section in &mut self.sections {
            for block in &mut section.blocks {
                if let Content::Footnotes(place) = &mut block.content {
                    place.clone_from(&sentences);
                }
            }
            section.blocks.retain(|block| !block.content.is_empty());
        }
        self.sections.retain(|section| !section.blocks.is_empty());
        self
    }
}

fn shown_on(blocks: Vec<Block>, medium: Medium) -> Vec<Block> {
    let mut blocks: Vec<Block> = blocks.into_iter().filter(|block| block.shown.includes(medium)).collect();
    for block in &mut blocks {
        match &mut block.content {
            Content::Table(table) => table.columns.retain(|column| column.shown.includes(medium)),
            Content::Section(Section { blocks, .. }) => *blocks = shown_on(std::mem::take(blocks), medium),
            _ => {}
        }
    }
    blocks.retain(|block| matches!(block.content, Content::Footnotes(_)) || !block.content.is_empty());
    blocks
}

/// Gives the remarks of all tables their numbers, row by row.
fn number(blocks: &mut [Block], footnotes: &mut Footnotes) {
    for block in blocks {
        match &mut block.content {
            Content::Table(table) => {
                for row in 0..table.height() {
                    for column in &mut table.columns {
                        let entry = &mut column.entries[row];
                        entry.marks = footnotes.marks(&entry.remarks);
                    }
                }
            }
            Content::Section(section) => number(&mut section.blocks, footnotes),
            _ => {}
        }
    }
}

/// A piece of a section.
#[derive(Debug, Serialize)]
pub struct Block {
    /// Where it is shown.
    #[serde(skip)]
    pub shown: Shown,
    /// What it is.
    #[serde(flatten)]
    pub content: Content,
}

/// The kinds of content.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", content = "value", rename_all = "kebab-case")]
pub enum Content {
    /// A paragraph.
    Paragraph(Paragraph),
    /// Sentences, each on its own.
    List(List),
    /// Named facts.
    Facts(Facts),
    /// A table.
    Table(Table),
    /// A section within this one, which a page may fold.
    Section(Section),
    /// Sections next to each other.
    Cards(Vec<Section>),
    /// A line for a shell.
    Command(String),
    /// Drawings; only on a page.
    Drawings(Drawings),
    /// The place of the footnotes, which [`Report::on`] fills.
    Footnotes(Vec<String>),
}

impl Content {
    fn is_empty(&self) -> bool {
        match self {
            Self::Paragraph(paragraph) => paragraph.sentence.0.is_empty(),
            Self::List(list) => list.items.is_empty(),
            Self::Facts(facts) => facts.facts.is_empty(),
            Self::Table(table) => table.columns.is_empty(),
            Self::Section(section) => section.blocks.is_empty(),
            Self::Cards(cards) => cards.is_empty(),
            Self::Command(command) => command.is_empty(),
            Self::Drawings(drawings) => drawings.drawings.is_empty(),
            Self::Footnotes(footnotes) => footnotes.is_empty(),
        }
    }
}

macro_rules! content {
    ($($kind:ident),*) => { $(impl From<$kind> for Content {
        fn from(content: $kind) -> Self {
            Self::$kind(content)
        }
    })* };
}

content!(Paragraph, List, Facts, Table, Section, Drawings);

/// A piece of text with its role.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Phrase {
    /// The text.
    pub text: String,
    /// Its role.
    pub role: Role,
    /// What it means, for a reader who points at it; empty if there is nothing to explain.
    pub explanation: &'static str,
}

/// The role of a phrase. Colour only repeats what the text says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", content = "value", rename_all = "kebab-case")]
pub enum Role {
    /// Normal text.
    Plain,
    /// A heading within a line.
    Strong,
    /// Text for a machine.
    Code,
    /// Text for few readers.
    Faint,
    /// Small print, which only a page shows; the other formats have footnotes or lines of their own.
    Aside,
    /// What one contender of a pair guarantees and the other does not; an aside too.
    Guarantee,
    /// A class of validity.
    Flag,
    /// A share with its name.
    Share,
    /// A contender that none is proved to beat.
    Leader,
    /// The severity of a note.
    Severity(Severity),
    /// A verdict.
    Verdict(Shade),
    /// An example of the colour of a verdict.
    Key(Shade),
    /// The name of a section of a page.
    Link(String),
}

/// A verdict as it is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shade {
    /// The first of a pair is faster.
    Faster,
    /// The second of a pair is faster.
    Slower,
    /// A tie is shown.
    Equivalent,
    /// Nothing is shown.
    Undecided,
    /// Nothing is shown, but the pair's own interval excludes 1.
    Leaning,
    /// The figures cannot be compared.
    Invalid,
}

impl From<Verdict> for Shade {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Faster => Self::Faster,
            Verdict::Slower => Self::Slower,
            Verdict::Equivalent => Self::Equivalent,
            Verdict::Undecided => Self::Undecided,
            Verdict::Invalid => Self::Invalid,
        }
    }
}

/// A text of one or several phrases.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Sentence(pub Vec<Phrase>);

impl Sentence {
    /// A text of one phrase.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self::default().and(role, text)
    }

    /// The text with another phrase. An empty phrase is left out.
    pub fn and(self, role: Role, text: impl Into<String>) -> Self {
        self.and_explained(role, text, "")
    }

    /// The text with another phrase and its explanation.
    pub fn and_explained(mut self, role: Role, text: impl Into<String>, explanation: &'static str) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.0.push(Phrase { text, role, explanation });
        }
        self
    }

    /// The words without their roles, and without asides.
    pub fn words(&self) -> String {
        let is_shown = |phrase: &&Phrase| !matches!(phrase.role, Role::Aside | Role::Guarantee);
        self.0.iter().filter(is_shown).map(|phrase| phrase.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

impl<T: Into<String>> From<T> for Sentence {
    fn from(text: T) -> Self {
        Self::new(Role::Plain, text)
    }
}

/// A paragraph.
#[derive(Debug, Serialize)]
pub struct Paragraph {
    /// Its role.
    pub tone: Tone,
    /// Its text.
    pub sentence: Sentence,
}

/// The role of a paragraph or of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// Normal text.
    Plain,
    /// An explanation of what is above it.
    Legend,
    /// Why some contenders are shown separately.
    Apart,
    /// Something went wrong.
    Alarm,
}

impl Paragraph {
    /// Normal text.
    pub fn plain(sentence: impl Into<Sentence>) -> Self {
        Self { tone: Tone::Plain, sentence: sentence.into() }
    }

    /// An explanation of what is above it.
    pub fn legend(sentence: impl Into<Sentence>) -> Self {
        Self { tone: Tone::Legend, sentence: sentence.into() }
    }

    /// Why some contenders are shown separately.
    pub fn apart(sentence: impl Into<Sentence>) -> Self {
        Self { tone: Tone::Apart, sentence: sentence.into() }
    }
}

/// Sentences, each on its own.
#[derive(Debug, Serialize)]
pub struct List {
    /// How a page shows them.
    pub look: ListLook,
    /// Their role.
    pub tone: Tone,
    /// The sentences.
    pub items: Vec<Sentence>,
}

/// How a page shows a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListLook {
    /// As paragraphs.
    Paragraphs,
    /// As items.
    Notes,
    /// As items in a box.
    Cares,
    /// Next to each other.
    Chips,
}

impl List {
    /// A list of normal text.
    pub fn new<T: Into<Sentence>>(look: ListLook, items: impl IntoIterator<Item = T>) -> Self {
        Self { look, tone: Tone::Plain, items: items.into_iter().map(Into::into).collect() }
    }

    /// The list in another role.
    pub fn in_tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }
}

/// Named facts.
#[derive(Debug, Serialize)]
pub struct Facts {
    /// How a page shows them.
    pub look: FactsLook,
    /// The facts.
    pub facts: Vec<Fact>,
}

impl Facts {
    /// The facts that have a value.
    pub fn known(look: FactsLook, facts: impl IntoIterator<Item = Fact>) -> Self {
        let is_known = |fact: &Fact| fact.lines.iter().any(|line| !line.text.is_empty());
        Self { look, facts: facts.into_iter().filter(is_known).collect() }
    }
}

/// How a page shows facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactsLook {
    /// Names above values.
    Stacked,
    /// Names next to values.
    Columns,
    /// Terms above their explanations.
    Terms,
    /// Terms next to their explanations.
    CompactTerms,
}

/// A fact.
#[derive(Debug, Serialize)]
pub struct Fact {
    /// Its name.
    pub name: String,
    /// Its value, one or several lines.
    pub lines: Vec<Phrase>,
}

impl Fact {
    /// A fact of one line.
    pub fn new(name: impl Into<String>, role: Role, value: impl Into<String>) -> Self {
        Self { name: name.into(), lines: vec![Phrase { text: value.into(), role, explanation: "" }] }
    }
}

/// Blocks below a title. Sections may contain sections.
#[derive(Debug, Default, Serialize)]
pub struct Section {
    /// The title; may be empty.
    pub title: String,
    /// A few more words with the title.
    pub hint: Sentence,
    /// How a page shows it.
    pub fold: Fold,
    /// The content.
    pub blocks: Vec<Block>,
}

/// How a page shows a section within another one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "value", rename_all = "kebab-case")]
pub enum Fold {
    /// Below a heading.
    #[default]
    Never,
    /// The reader can fold it.
    Open,
    /// The reader can unfold it.
    Closed,
    /// As an article with this name within the page, which may be empty.
    Article(String),
}

impl Section {
    /// An empty section that is not folded.
    pub fn titled(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// The section with another hint.
    pub fn with_hint(self, hint: impl Into<Sentence>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// The section, folded in this way.
    pub fn folded(self, fold: Fold) -> Self {
        Self { fold, ..self }
    }

    /// The section with another block, which all media show.
    pub fn with(self, content: impl Into<Content>) -> Self {
        self.with_shown(Shown::Everywhere, content)
    }

    /// The section with further blocks, which all media show.
    pub fn with_all<T: Into<Content>>(self, contents: impl IntoIterator<Item = T>) -> Self {
        contents.into_iter().fold(self, Self::with)
    }

    /// The section with another block, which some media show.
    pub fn with_shown(mut self, shown: Shown, content: impl Into<Content>) -> Self {
        self.blocks.push(Block { shown, content: content.into() });
        self
    }

    /// Whether a table of the section has a row.
    pub fn has_rows(&self) -> bool {
        self.blocks.iter().any(|block| matches!(&block.content, Content::Table(table) if table.height() > 0))
    }
}

/// A drawing.
#[derive(Debug, Serialize)]
pub struct Drawing {
    /// The words above it; may be empty.
    pub caption: String,
    /// The drawing as SVG.
    pub svg: String,
}

/// Some drawings.
#[derive(Debug, Serialize)]
pub struct Drawings {
    /// How they are arranged.
    pub arrangement: Arrangement,
    /// The drawings.
    pub drawings: Vec<Drawing>,
}

/// How drawings are arranged.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", content = "value", rename_all = "kebab-case")]
pub enum Arrangement {
    /// Next to each other.
    Grid,
    /// Wide, one below the other.
    Wide,
    /// The reader chooses one. The name of the choice is unique on the page.
    Choice(String),
}

/// A table.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Table {
    /// How it is shown.
    pub look: TableLook,
    /// The columns, all with the same number of entries.
    pub columns: Vec<Column>,
    /// The rows that are not about contenders, by index.
    pub baselines: Vec<usize>,
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
    /// Rows with the same first entry belong together, and are not repeated in it.
    Grouped,
    /// With long names of rows.
    Probes,
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
    /// What footnotes say about it.
    #[serde(skip)]
    pub remarks: Vec<Remark>,
    /// Numbers of the footnotes, from 1 on.
    pub marks: Vec<usize>,
}

impl Entry {
    /// The entry with footnotes.
    pub fn with_remarks(self, remarks: impl IntoIterator<Item = Remark>) -> Self {
        Self { remarks: remarks.into_iter().collect(), ..self }
    }
}

impl<T: Into<Sentence>> From<T> for Entry {
    fn from(sentence: T) -> Self {
        Self { sentence: sentence.into(), ..Self::default() }
    }
}

impl Table {
    /// A table of words and figures; `words` is the number of columns, from the left, that have words.
    pub fn from_rows(head: Vec<String>, rows: Vec<Vec<String>>, words: usize) -> Self {
        let column = |(index, title)| Column {
            title,
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

    /// What the rows are made of.
    pub fn rows(&self) -> &'a [T] {
        self.rows
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

    /// The table. Rows of baselines are shown in another way than the others.
    pub fn with_baselines(mut self, is_baseline: impl Fn(&T) -> bool) -> Table {
        let rows = self.rows.iter().enumerate().filter(|(_, row)| is_baseline(row));
        self.table.baselines = rows.map(|(index, _)| index).collect();
        self.table
    }

    /// The table.
    pub fn done(self) -> Table {
        self.table
    }
}
