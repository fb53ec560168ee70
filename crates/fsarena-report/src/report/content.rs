//! The kinds of content of a report, and the sections that they make up.

use serde::Serialize;

use super::{Phrase, Role, Sentence, Shown, Table};

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
    /// The place of the footnotes, which [`Report::on`](super::Report::on) fills.
    Footnotes(Vec<String>),
}

impl Content {
    /// Whether there is nothing to show.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Paragraph(paragraph) => paragraph.sentence.0.is_empty(),
            Self::List(list) => list.items.is_empty(),
            Self::Facts(facts) => facts.facts.is_empty(),
            Self::Table(table) => table.height() == 0,
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
    /// As items in several columns.
    Columns,
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
    /// As a part of the page with this name, which may be empty.
    Named(String),
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

impl Drawings {
    /// These drawings.
    pub fn new(arrangement: Arrangement, drawings: impl IntoIterator<Item = Drawing>) -> Self {
        Self { arrangement, drawings: drawings.into_iter().collect() }
    }
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
