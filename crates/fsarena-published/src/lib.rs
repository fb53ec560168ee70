//! What did others publish, and can it be so? Rules that judge an article by its own figures. No I/O.

mod digits;
mod figures;
mod rules;

#[cfg(test)]
mod sample;

use fsarena_model::Article;
use serde::Serialize;

pub use digits::numerals;
pub use rules::RULES;

/// A rule: what an article's figures say against the article.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The name, in whole words with hyphens.
    pub name: &'static str,
    /// What cannot be so, in one sentence.
    pub about: &'static str,
    /// What it finds in an article, in the order of the article's tests.
    pub judge: fn(&Article) -> Vec<Found>,
}

/// What a rule found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The test's name; none: it is about several.
    pub test: Option<String>,
    /// The metric's name.
    pub metric: Option<String>,
    /// What was found, with the figures that show it.
    pub sentence: String,
}

/// What the rules say of an article.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Finding {
    /// The rule's name.
    pub rule: &'static str,
    /// The test's name; none: it is about several.
    pub test: Option<String>,
    /// The metric's name.
    pub metric: Option<String>,
    /// What was found, with the figures that show it.
    pub sentence: String,
}

/// What all rules find in an article, rule by rule.
pub fn judge(article: &Article) -> Vec<Finding> {
    let of_rule = |rule: &'static Rule| {
        let finding = |Found { test, metric, sentence }| Finding { rule: rule.name, test, metric, sentence };
        (rule.judge)(article).into_iter().map(finding)
    };
    RULES.iter().flat_map(of_rule).collect()
}
