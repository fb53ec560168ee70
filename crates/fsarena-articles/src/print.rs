//! Articles in print: what they add to the report on a comparison, and an article by itself.

mod article;
mod grids;
mod lines;
mod reproduction;

use fsarena_model::{Comparison, RunRecord};
use fsarena_report::{Additions, Document, Format};
use serde_json::json;

use crate::article::{Article, Quantity};
use crate::catalogue::ArticleError;
use crate::reproduction::Reproduction;

pub use article::{article_as_json, article_as_text};
use grids::{iozone, page, xlsx};

/// The formats of grids, which articles about shared folders consist of.
pub const FORMATS: &[Format] = &[
    Format { name: "iozone", extension: "txt", render: |comparison, _| iozone::render(comparison).map(Document::Text) },
    Format { name: "xlsx", extension: "xlsx", render: |comparison, _| xlsx::render(comparison).map(Document::Binary) },
];

/// What the report on a comparison has besides its own sections: the reproduction of an article, and the drawings of
/// grids.
///
/// # Errors
/// [`ArticleError::Stored`].
pub fn additions(record: &RunRecord, comparison: &Comparison) -> Result<Additions, ArticleError> {
    let reproduction = crate::reproduction(record, comparison)?;
    Ok(additions_of(comparison, reproduction.as_ref()))
}

/// As [`additions`], with this reproduction.
pub fn additions_of(comparison: &Comparison, reproduction: Option<&Reproduction>) -> Additions {
    let member = |reproduction| ("reproduction", json!(reproduction));
    Additions {
        answer: reproduction.map(reproduction::answer).into_iter().collect(),
        sections: reproduction.map(|it| reproduction::section(comparison, it)).into_iter().collect(),
        of_workloads: page::of_workloads(comparison),
        has_iostat: reproduction.is_some_and(|it| has_use_of_device(&it.article)),
        members: reproduction.map(member).into_iter().collect(),
    }
}

/// Whether an article has processor time or the device's utilisation among its metrics.
fn has_use_of_device(article: &Article) -> bool {
    use Quantity::{Processor, System, Utilisation};
    let mut metrics = article.tests.iter().flat_map(|test| &test.metrics);
    metrics.any(|metric| matches!(metric.quantity, Some(Processor | System | Utilisation)))
}
