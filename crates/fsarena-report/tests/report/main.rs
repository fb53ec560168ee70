//! Tests of whole reports of a made-up comparison, as readers and programs get them.

#![allow(clippy::unwrap_used)]

mod article;
mod baselines;
mod csv;
mod fixture;
mod grid;
mod hostile;
mod html;
mod json;
mod latency;
mod markdown;
mod price;
mod recommendation;
mod reproduction;
mod text;

/// A report that is text.
fn rendered(format: &str, comparison: &fsarena_model::Comparison) -> String {
    match (fsarena_report::format(format).unwrap().render)(comparison).unwrap() {
        fsarena_report::Document::Text(text) => text,
        fsarena_report::Document::Binary(_) => panic!("{format} is no text"),
    }
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
