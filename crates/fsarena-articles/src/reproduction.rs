//! From a record of an article's tests to a reproduction: each figure as published, measured as published, and measured
//! properly; the winners; the agreement of the orders; and the outcome of the claims.

mod causes;
mod claims;
mod factors;
mod figures;
mod reproduced;
mod source;
mod stand_in;
mod winners;

use fsarena_analyse::Analysis;
use fsarena_library::Library;
use fsarena_model::plan::Harness;
use fsarena_model::{Comparison, Contender, RunRecord};
use fsarena_stats::tau_of_lists;

use crate::article::Article;
use crate::catalogue::ArticleError;

pub use causes::is_traced;
pub use reproduced::{
    Agreement, ClaimHere, MeasuredFigure, RatioOfArticle, ReproducedFigure, Reproduction, StandIn, SummaryRow,
    Unfinished, Winner, Wins,
};

/// The reproduction of the article whose tests were run; `None` if the plan has no article. `comparison` is
/// that of the run.
///
/// # Errors
/// [`ArticleError::Stored`].
pub fn reproduction(record: &RunRecord, comparison: &Comparison) -> Result<Option<Reproduction>, ArticleError> {
    let Some(extension) = &record.plan.extension else { return Ok(None) };
    let article: Article = extension.data.read().map_err(|source| ArticleError::Stored { run: record.run, source })?;
    let analysis = Analysis::new(record);
    let stand_ins = stand_in::stand_ins(record, &analysis, &article);
    let context = Context { record, comparison, analysis, article: &article, stand_ins };
    let figures = figures::figures(&context);
    // A smoke run is not judged.
    let judged: &[ReproducedFigure] = if record.plan.is_smoke() { &[] } else { &figures };
    let (winners, lists) = winners::winners(&context, judged);
    let scaled = record.plan.workloads.iter();
    let scaled = scaled.filter_map(|workload| Some((workload.name.to_string(), workload.scaled.clone()?)));
    Ok(Some(Reproduction {
        scale: extension.scale,
        scaled: scaled.collect(),
        winners,
        as_published: tau_of_lists(&lists.as_published, record.plan.seed),
        properly: tau_of_lists(&lists.properly, record.plan.seed),
        factors: factors::factors(&context, &figures),
        summaries: factors::summaries(&context, &figures),
        claims: claims::claims(&context, judged),
        remarks: libraries(record).into_iter().chain(not_run(extension.harness)).collect(),
        stand_ins: context.stand_ins,
        figures,
        article,
    }))
}

/// A sentence about contenders that are libraries, and what has no part in their figures.
fn libraries(record: &RunRecord) -> Option<String> {
    let is_library = |contender: &&Contender| Library::named(&contender.kind).is_some();
    let labels: Vec<&str> =
        record.plan.contenders.iter().filter(is_library).map(|contender| contender.label.0.as_str()).collect();
    let has = if labels.len() == 1 { "is a library" } else { "are libraries" };
    (!labels.is_empty()).then(|| {
        format!(
            "{} {has} within fsarena's process: no system call is crossed by its operations, and neither AxVisor's \
             virtual file system nor its driver has a part in them.",
            labels.join(" and ")
        )
    })
}

/// A sentence about what `--harness` leaves out.
fn not_run(harness: Harness) -> Option<String> {
    let text = match harness {
        Harness::Both => return None,
        Harness::Native => "native: what the article did through a shell is not measured as it was published (–)",
        Harness::Shell => "shell: only what the article did through a shell is measured",
    };
    Some(format!("--harness {text}; leave out --harness to measure both."))
}

/// The data that all parts of a reproduction use.
struct Context<'a> {
    record: &'a RunRecord,
    comparison: &'a Comparison,
    analysis: Analysis<'a>,
    article: &'a Article,
    /// In the order of the article's contenders.
    stand_ins: Vec<StandIn>,
}
