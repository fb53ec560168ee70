//! Values to text: a [`Comparison`] goes in, a report comes out. No I/O, no clock, no knowledge of the store.
//!
//! A format is one file and one line in [`FORMATS`]. What the formats say in common (groups, rankings, pair
//! statements, sentences) has its own modules; a format only lays it out.

mod answer;
mod csv;
mod footnote;
mod group;
mod html;
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
mod ranking;
mod remark;
mod standing;
mod suite;
mod svg;
mod table;
mod text;
mod view;
mod words;

use fsarena_model::Comparison;

pub use html::shell;
pub use json::article as article_as_json;
pub use text::article::render as article;
pub use text::{Style, render as text};

/// A way to write a comparison down.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// As `--format` takes it.
    pub name: &'static str,
    /// What a file of it ends in, without the dot.
    pub extension: &'static str,
    /// Writes it; the text ends in a newline.
    pub render: fn(&Comparison) -> String,
}

/// All formats, the default first.
pub const FORMATS: &[Format] = &[
    Format { name: "text", extension: "txt", render: text::plain },
    Format { name: "html", extension: "html", render: html::render },
    Format { name: "json", extension: "json", render: json::render },
    Format { name: "markdown", extension: "md", render: markdown::render },
    Format { name: "csv", extension: "csv", render: csv::render },
];

/// The format of that name.
pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
