//! Tests of the published figures, which are complete and agree with each other, and of articles and their
//! reproductions in print.

#![allow(clippy::unwrap_used)]

mod article;
#[allow(dead_code)]
#[path = "../../fsarena-report/tests/report/checks.rs"]
mod checks;
mod coherent;
mod complete;
mod counterparts;
#[allow(dead_code, unused_imports)]
#[path = "../../fsarena-report/tests/report/fixture/mod.rs"]
mod fixture;
mod grid_fixture;
mod grids;
mod printed;
mod reproduced;
mod reproduction;
mod review;

use fsarena_articles::{Reproduction, additions_of};
use fsarena_model::Comparison;
use fsarena_report::{Document, Nothing};

/// The report in a format, with the drawings of grids, and this reproduction.
fn document(format: &str, comparison: &Comparison, reproduction: Option<&Reproduction>) -> Result<Document, Nothing> {
    let mut all = fsarena_report::FORMATS.iter().chain(fsarena_articles::FORMATS);
    let format = all.find(|known| known.name == format).unwrap();
    (format.render)(comparison, additions_of(comparison, reproduction))
}

/// A report that is text.
fn rendered(format: &str, comparison: &Comparison, reproduction: Option<&Reproduction>) -> String {
    match document(format, comparison, reproduction).unwrap() {
        Document::Text(text) => text,
        Document::Binary(_) => panic!("{format} is no text"),
    }
}
