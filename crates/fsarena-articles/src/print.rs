//! Articles in print: what they add to the report on a comparison, and an article by itself.

mod article;
mod grids;
mod lines;
mod reproduction;

use fsarena_model::Comparison;
use fsarena_report::{Additions, Document, Format};

pub use article::{article_as_json, article_as_text};
use grids::{iozone, page, xlsx};

/// The formats of grids, which articles about shared folders consist of.
pub const FORMATS: &[Format] = &[
    Format { name: "iozone", extension: "txt", render: |comparison, _| iozone::render(comparison).map(Document::Text) },
    Format { name: "xlsx", extension: "xlsx", render: |comparison, _| xlsx::render(comparison).map(Document::Binary) },
];

/// What the report on a comparison has besides its own sections: the reproduction of an article, and the drawings of
/// grids.
pub fn additions(comparison: &Comparison) -> Additions {
    Additions {
        answer: reproduction::answer(comparison),
        sections: reproduction::section(comparison).into_iter().collect(),
        of_workloads: page::of_workloads(comparison),
    }
}
