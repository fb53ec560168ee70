//! Published comparisons: their types, rules that check an article for contradictions and impossible figures by its own
//! data, the reproduction of an article from the record of a run, and what both look like in print. No I/O.

pub mod article;
mod catalogue;
mod digits;
mod figures;
pub mod grid;
mod print;
mod quantities;
pub mod reproduction;
mod rules;

#[cfg(test)]
mod tests;

use serde::Serialize;

use rules::{RULES, Rule};

pub use article::Article;
pub use catalogue::{ArticleError, article, articles};
pub use digits::numerals;
pub use grid::{GridPoint, GridTest};
pub use print::{FORMATS, additions, additions_of, article_as_json, article_as_text};
pub use reproduction::{Reproduction, reproduction};

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The test's name; `None` if several tests are concerned.
    pub test: Option<String>,
    /// The metric's name.
    pub metric: Option<String>,
    /// A sentence about the violation, with the figures that show it.
    pub sentence: String,
}

/// A violation of a rule, with the rule's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's name.
    pub rule: &'static str,
    /// What violates it.
    #[serde(flatten)]
    pub violation: Violation,
}

/// The findings of all rules in an article, rule by rule.
pub fn judge(article: &Article) -> Vec<Finding> {
    let of_rule = |&(rule, judge): &Rule| judge(article).into_iter().map(move |violation| Finding { rule, violation });
    RULES.iter().flat_map(of_rule).collect()
}
