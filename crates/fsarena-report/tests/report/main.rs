//! Tests of whole reports of a made-up comparison, as readers and programs get them.

#![allow(clippy::unwrap_used)]

mod additions;
mod baselines;
mod checks;
mod csv;
mod decision;
mod difference;
mod effects;
mod exports;
mod fixture;
mod gate;
mod hostile;
mod html;
mod json;
mod latency;
mod layers;
mod markdown;
mod recommendation;
mod text;
mod time_advice;
mod validation;
mod why;

use fsarena_model::Comparison;
use fsarena_report::{Additions, Document, TerminalStyle, report_text};

/// A report that is text.
fn rendered(format: &str, comparison: &Comparison) -> String {
    let format = fsarena_report::FORMATS.iter().find(|known| known.name == format).unwrap();
    match (format.render)(comparison, Additions::default()).unwrap() {
        Document::Text(text) => text,
        Document::Binary(_) => panic!("{} is no text", format.name),
    }
}

/// The report for a terminal.
fn text(comparison: &Comparison, style: TerminalStyle) -> String {
    report_text(fsarena_report::comparison(comparison, Additions::default()), style)
}

/// The summary for a terminal.
fn summary(comparison: &Comparison, style: TerminalStyle) -> String {
    report_text(fsarena_report::summary(comparison), style)
}

#[test]
fn a_column_of_a_table_is_in_every_format_for_readers() {
    let comparison = fixture::fixture();
    let [text, markdown, html] = ["text", "markdown", "html"].map(|format| rendered(format, &comparison));
    for title in ["unit", "ranking", "ratio", "finds from", "verdict on the first", "mean ratio", "baseline"] {
        assert!(text.lines().any(|line| line.split("  ").any(|part| part.trim() == title)), "{title}");
        assert!(markdown.contains(&format!("| {title} |")), "{title}");
        assert!(html.contains(&format!(">{title}</th>")), "{title}");
    }
}
