//! A report before it has a format: sections of sentences, tables and drawings. `sections` decides what a report
//! contains; the formats for readers print each kind of [`Content`] in one way.

mod content;
mod sentence;
mod table;

use std::collections::BTreeMap;

use fsarena_model::Verdict;
use serde::Serialize;

use crate::footnote::Footnotes;
pub use content::{
    Arrangement, Block, Content, Drawing, Drawings, Fact, Facts, FactsLook, Fold, List, ListLook, Paragraph, Section,
    Tone,
};
pub use sentence::{Phrase, Role, Sentence, Shade};
pub use table::{Column, ColumnKind, Entry, Heading, Table, TableLook, TableOf};

/// A kind of output for readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputMedium {
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
    fn includes(self, medium: OutputMedium) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Terminal => medium == OutputMedium::Terminal,
            Self::Markdown => medium == OutputMedium::Markdown,
            Self::Page => medium == OutputMedium::Page,
            Self::Summaries => medium != OutputMedium::Page,
            Self::Documents => medium != OutputMedium::Terminal,
        }
    }
}

/// What another crate adds to the report on a comparison.
#[derive(Debug, Default)]
pub struct Additions {
    /// What they add to the answer, before its own sentences.
    pub answer: Vec<Sentence>,
    /// Sections that precede all others.
    pub sections: Vec<Section>,
    /// Content of the page's parts about workloads, by the workload's name.
    pub of_workloads: BTreeMap<String, Vec<Content>>,
    /// Whether the columns of iostat are among the figures of all workloads.
    pub has_iostat: bool,
    /// Further members of its JSON, by name.
    pub members: BTreeMap<&'static str, serde_json::Value>,
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
    /// What went wrong with the run as a whole.
    pub alarms: Vec<String>,
    /// The answer.
    pub answer: Vec<Sentence>,
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
    pub words: String,
}

impl Count {
    /// The number of `verdicts` that are among `wanted`.
    pub fn of(verdicts: &[Verdict], wanted: &[Verdict], verdict: Shade, words: impl Into<String>) -> Self {
        let count = verdicts.iter().filter(|verdict| wanted.contains(verdict)).count();
        Self { verdict, count, words: words.into() }
    }
}

impl Report {
    /// A report that is not on one comparison: `run` is its one fact.
    pub fn new(title: impl Into<String>, run: impl Into<String>, version: &str) -> Self {
        let run = run.into();
        Self {
            title: title.into(),
            facts: vec![run.clone()],
            run,
            alarms: Vec::new(),
            answer: Vec::new(),
            counts: Vec::new(),
            sections: Vec::new(),
            origin: format!("Made by fsarena {version}."),
            version: version.to_owned(),
        }
    }

    /// With these sentences as the answer, and these sections.
    #[must_use]
    pub fn answering<T: Into<Sentence>>(
        self,
        answer: impl IntoIterator<Item = T>,
        sections: impl IntoIterator<Item = Section>,
    ) -> Self {
        let answer = answer.into_iter().map(Into::into).collect();
        Self { answer, sections: sections.into_iter().collect(), ..self }
    }

    /// The parts that `medium` shows, with the numbers of their footnotes. Empty parts are left out.
    pub fn on(mut self, medium: OutputMedium) -> Self {
        for section in &mut self.sections {
            section.blocks = shown_on(std::mem::take(&mut section.blocks), medium);
        }
        let mut footnotes = Footnotes::default();
        if medium != OutputMedium::Page {
            self.sections.iter_mut().for_each(|section| number(&mut section.blocks, &mut footnotes));
        }
        for section in &mut self.sections {
            for block in &mut section.blocks {
                if let Content::Footnotes(place) = &mut block.content {
                    *place = footnotes.sentences();
                }
            }
            section.blocks.retain(|block| !block.content.is_empty());
        }
        self.sections.retain(|section| !section.blocks.is_empty());
        self
    }
}

/// The blocks that `medium` shows. A table without rows, or drawings without one, is left out together with its legend.
fn shown_on(blocks: Vec<Block>, medium: OutputMedium) -> Vec<Block> {
    let mut shown: Vec<Block> = Vec::new();
    let mut lacks_subject = false;
    for mut block in blocks.into_iter().filter(|block| block.shown.includes(medium)) {
        match &mut block.content {
            Content::Table(table) => table.columns.retain(|column| column.shown.includes(medium)),
            Content::Section(Section { blocks, .. }) => *blocks = shown_on(std::mem::take(blocks), medium),
            _ => {}
        }
        let is_legend = matches!(&block.content, Content::Paragraph(Paragraph { tone: Tone::Legend, .. }));
        let is_empty = block.content.is_empty() && !matches!(block.content, Content::Footnotes(_));
        let is_left_out = is_empty || (is_legend && lacks_subject);
        lacks_subject = is_empty && matches!(block.content, Content::Table(_) | Content::Drawings(_));
        shown.extend((!is_left_out).then_some(block));
    }
    shown
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
