//! Renders a [`Comparison`] as a report. No I/O, no clock, no knowledge of the store.
//!
//! A format is one file and one line in [`FORMATS`]. The parts that formats share (groups, rankings, statements about
//! pairs, sentences) have their own modules; a format only does the layout.

mod answer;
mod csv;
mod document;
mod footnote;
mod grid;
mod group;
mod html;
mod iozone;
mod json;
mod lane;
mod latency;
mod look_up;
mod machine;
mod markdown;
mod number;
mod outcome;
mod price;
mod probe;
mod programs;
mod ranking;
mod recommendation;
mod remark;
mod reproduction;
mod standing;
mod suite;
mod svg;
mod table;
mod text;
mod view;
mod visible;
mod words;
mod xlsx;

use fsarena_model::Comparison;

pub use document::{Document, Nothing};
pub use html::shell;
pub use json::article as article_as_json;
pub use price::advised;
pub use text::article::render as article;
pub use text::{Style, render as text};
pub use visible::{visible, visible_lines};

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
