//! Which contender of this run stands in for which contender of an article.

use crate::article::{Article, PublishedContender};
use crate::reproduction::StandIn;
use fsarena_analyse::Analysis;
use fsarena_model::{Contender, Durability, RunRecord};

/// The stand-in of each of the article's contenders: the first contender of the first of its kinds or labels that takes
/// part. For the proper measurement, the first of these that keeps synced data, because others are faster by what they
/// omit.
pub fn stand_ins(record: &RunRecord, analysis: &Analysis<'_>, article: &Article) -> Vec<StandIn> {
    let stand_in = |published: &PublishedContender| {
        let mut all: Vec<&Contender> = Vec::new();
        for kind in &published.here {
            let is_of = |one: &&Contender| one.label.0 == *kind || type_of(record, one) == Some(kind);
            all.extend(record.plan.contenders.iter().filter(is_of));
        }
        let keeps = |one: &&&Contender| analysis.durability(&one.label) == Some(Durability::Flushed);
        StandIn {
            name: published.name.clone(),
            as_published: all.first().map(|one| one.label.clone()),
            properly: all.iter().find(keeps).or(all.first()).map(|one| one.label.clone()),
        }
    };
    article.contenders.iter().map(stand_in).collect()
}

/// A contender's kind; for a directory, the type of the file system that contains it.
fn type_of<'a>(record: &'a RunRecord, contender: &'a Contender) -> Option<&'a str> {
    if !contender.is_directory() {
        return Some(&contender.kind);
    }
    let facts = record.contenders.iter().find(|facts| facts.label == contender.label)?;
    facts.mount.split_whitespace().next()
}
