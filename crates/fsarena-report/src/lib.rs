//! Renders a [`Comparison`] as a report. No I/O, no clock, no knowledge of the store.
//!
//! `sections` makes a [`report::Report`] of a comparison: sections of sentences, tables and drawings. Text, Markdown
//! and HTML print each kind of content in one way. CSV and JSON are data: they print the comparison as it is. A format
//! is one file and one line in [`FORMATS`].
//!
//! Another crate adds sections and drawings with [`Additions`], made of the kinds of content in [`report`] and of the
//! parts of drawings in [`svg`], and has a list of formats of its own.

mod across;
mod anchor;
mod answer;
mod csv;
mod difference;
mod effects;
mod explained;
mod finding;
mod footnote;
mod gate;
mod group;
mod history;
mod html;
mod json;
mod latency;
mod machine;
mod markdown;
pub mod number;
mod pair;
mod ranking;
mod recommendation;
pub mod report;
mod scaling;
mod sections;
pub mod svg;
mod text;
mod validation;
mod why;
mod words;

use fsarena_model::Comparison;

pub use across::report as across;
pub use answer::{advice, advised, next_step};
pub use difference::report as difference;
pub use fsarena_model::visible::{shell_line, visible, visible_lines};
pub use gate::{junit, report as gate};
pub use history::report as history;
pub use html::{linked, of_report as html};
pub use json::indented as json;
pub use markdown::of_report as markdown;
pub use report::Additions;
pub use sections::{report as comparison, summary};
pub use text::{PLAIN, TerminalStyle, layout, of_report as report_text};
pub use validation::{drawing_alone as predicted_against_measured, report as validation};
pub use why::report as explanations;
pub use words::{better, cache, capitalised, counted, durable, mode, rounds};

/// A report that is ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Document {
    /// Text that ends in a newline.
    Text(String),
    /// Binary data, not for a terminal.
    Binary(Vec<u8>),
}

impl Document {
    /// Content of the report's file.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }
}

impl From<String> for Document {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A format has nothing to show of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nothing {
    /// The reason.
    pub why: String,
    /// What the user can do.
    pub hint: String,
}

/// A format of reports.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Name for `--format`.
    pub name: &'static str,
    /// Extension of file names, without the dot.
    pub extension: &'static str,
    /// Renders a comparison, or returns why there is nothing to show. JSON and the formats for readers have the
    /// additions.
    pub render: fn(&Comparison, Additions) -> Result<Document, Nothing>,
}

/// The formats of every comparison, the default first.
pub const FORMATS: &[Format] = &[
    Format { name: "text", extension: "txt", render: |it, more| Ok(report_text(comparison(it, more), PLAIN).into()) },
    Format { name: "summary", extension: "txt", render: |it, _| Ok(report_text(summary(it), PLAIN).into()) },
    Format { name: "html", extension: "html", render: |it, more| Ok(html(comparison(it, more)).into()) },
    Format { name: "json", extension: "json", render: |it, more| Ok(json::with_members(it, &more).into()) },
    Format { name: "markdown", extension: "md", render: |it, more| Ok(markdown(comparison(it, more)).into()) },
    Format { name: "csv", extension: "csv", render: |it, _| Ok(csv::render(it).into()) },
];
