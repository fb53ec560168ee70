//! Which contender here stands for which of an article.

use fsarena_model::{Article, Contender, RunRecord};

/// Of each of the article's contenders, the contender of the plan that stands for it: the first of the first of its kinds that takes
/// part.
pub fn stand_ins(record: &RunRecord, article: &Article) -> Vec<Option<usize>> {
    let contenders = &record.plan.contenders;
    let of_kind = |kind: &String| contenders.iter().position(|contender| type_of(record, contender) == Some(kind));
    article.contenders.iter().map(|published| published.here.iter().find_map(of_kind)).collect()
}

/// A contender's kind; of a directory, the type of the file system that it lies on.
fn type_of<'a>(record: &'a RunRecord, contender: &'a Contender) -> Option<&'a str> {
    if contender.kind != "dir" {
        return Some(&contender.kind);
    }
    let facts = record.contenders.iter().find(|facts| facts.label == contender.label)?;
    facts.mount.split_whitespace().next()
}
