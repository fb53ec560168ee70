//! Renders a [`Comparison`] as a report. No I/O, no clock, no knowledge of the store.
//!
//! `sections` makes a [`report::Report`] of a comparison: sections of sentences, tables and drawings. Text, Markdown
//! and HTML print each kind of content in one way. CSV and JSON are data: they print the comparison as it is. A format
//! is one file and one line in [`FORMATS`].

mod answer;
mod csv;
mod explained;
mod footnote;
mod grid;
mod group;
mod html;
mod iozone;
mod json;
mod latency;
mod machine;
mod markdown;
mod number;
mod pair;
mod probe;
mod ranking;
mod recommendation;
mod report;
mod reproduction;
mod sections;
mod svg;
mod text;
mod visible;
mod words;
mod xlsx;

use fsarena_model::Comparison;

pub use answer::advised;
pub use json::article as article_as_json;
pub use text::article::render as article;
pub use text::{Style, render as text};
pub use visible::{shell, visible, visible_lines};

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
    /// Renders a comparison, or returns why there is nothing to show.
    pub render: fn(&Comparison) -> Result<Document, Nothing>,
}

/// All formats, the default first.
pub const FORMATS: &[Format] = &[
    Format { name: "text", extension: "txt", render: |comparison| Ok(Document::Text(text::plain(comparison))) },
    Format { name: "html", extension: "html", render: |comparison| Ok(Document::Text(html::render(comparison))) },
    Format { name: "json", extension: "json", render: |comparison| Ok(Document::Text(json::render(comparison))) },
    Format { name: "markdown", extension: "md", render: |comparison| Ok(Document::Text(markdown::render(comparison))) },
    Format { name: "csv", extension: "csv", render: |comparison| Ok(Document::Text(csv::render(comparison))) },
    Format { name: "iozone", extension: "txt", render: |comparison| iozone::render(comparison).map(Document::Text) },
    Format { name: "xlsx", extension: "xlsx", render: |comparison| xlsx::render(comparison).map(Document::Binary) },
];

/// The format with this name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
