//! Claims: an article's statements about its figures, and whether they hold.

use std::fmt;

use fsarena_model::explanation::Activity;
use serde::{Deserialize, Serialize};

use super::{Again, Precision};

/// A statement of an article about its figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Claim {
    /// The unique name within the article.
    pub name: String,
    /// What kind of statement it is.
    pub kind: ClaimKind,
    /// The statement in English.
    pub text: String,
    /// The article's own words.
    pub original: String,
    /// Result of checking it.
    pub outcome: ClaimOutcome,
    /// Why, with the figures that show it.
    pub why: String,
    /// What has to hold here, all of it, if the figures of this machine can show it.
    #[serde(default)]
    pub check: Vec<Check>,
    /// What it blames for a difference, if a run can show how much of the difference that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Numbers in it that can also be computed from the article's own figures.
    #[serde(default)]
    pub computed: Vec<Computed>,
}

/// A number in a claim that follows from the article's figures, or does not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Computed {
    /// How it is computed from figures; `None` if no figure gives it.
    pub from: Option<Reckoning>,
    /// The number, in the unit of the figures that it comes from.
    pub value: f64,
    /// The number as the article writes it.
    pub text: String,
    /// Whether it is the value itself or a bound.
    #[serde(default)]
    pub precision: Precision,
    /// The same number elsewhere in the article.
    #[serde(default)]
    pub again: Vec<Again>,
}

/// How a number is computed from figures of metrics of one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[allow(missing_docs, reason = "of each field its name says what it names; `of`, `by` and `than` are contenders")]
pub enum Reckoning {
    /// The sum over all tests.
    Total { metric: String, of: String },
    /// The arithmetic mean over all tests that have it.
    Mean { metric: String, of: String },
    /// The ratio of two sums over all tests.
    RatioOfTotals { metric: String, of: String, by: String },
    /// Number of tests in which a contender is better than all others.
    Wins { metric: String, of: String },
    /// Ratio of one contender's figure to that of each of some others.
    Ratio { test: String, metric: String, of: String, by: Vec<String> },
    /// By how many percent one contender's figure exceeds that of each of some others.
    More { test: String, metric: String, of: String, than: Vec<String> },
}

/// A kind of statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimKind {
    /// A sum, count, mean or ratio of its figures.
    Sum,
    /// An observation.
    Observation,
    /// An explanation.
    Cause,
    /// A recommendation.
    Advice,
    /// A conclusion.
    Conclusion,
}

/// Its name in JSON.
impl fmt::Display for ClaimKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Result of checking a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimOutcome {
    /// It holds.
    Holds,
    /// It does not hold.
    DoesNotHold,
    /// No measurement here could show it.
    NotTestable,
    /// The article's own data do not support it.
    Unsupported,
    /// The article contradicts itself.
    Contradiction,
}

impl ClaimOutcome {
    /// All outcomes, in the order in which they are counted.
    pub const ALL: [Self; 5] =
        [Self::Holds, Self::DoesNotHold, Self::NotTestable, Self::Unsupported, Self::Contradiction];
}

impl fmt::Display for ClaimOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::NotTestable => "not testable here",
            Self::Unsupported => "unsupported by the article's own data",
            Self::Contradiction => "contradicts itself",
        })
    }
}

/// What a claim states about figures that are measured here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Check {
    /// The test's name.
    pub test: String,
    /// The metric's name; `None` for the test's first metric.
    pub metric: Option<String>,
    /// The positions on the test's axis to which it refers; empty for all that have figures. It has to hold at each of
    /// them.
    #[serde(default)]
    pub at: Vec<String>,
    /// Groups of contenders by the article's names, best first: all of one group must be better than all of the next. A
    /// single group: all are equal within the margin.
    pub order: Vec<Vec<String>>,
    /// The smallest ratio by which they have to be better; `None` if any proven difference is enough.
    pub at_least: Option<f64>,
}

/// What a claim blames for a difference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cause {
    /// The test's name.
    pub test: String,
    /// The metric's name; `None` for the test's first metric.
    pub metric: Option<String>,
    /// The place on the test's axis, if it has one.
    pub at: Option<String>,
    /// The contender that is worse, by the article's name.
    pub slower: String,
    /// The contender that is better.
    pub faster: String,
    /// The parts of the difference that it blames.
    pub blames: Blamed,
}

/// Parts of a difference, by what shows them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the sentence of a variant has its fields")]
pub enum Blamed {
    /// What the work does in this time, by traces.
    Activities(Vec<Activity>),
    /// The difference between two contenders that are the same except for what is blamed, by an option: one is slower by
    /// it. They are written as on the command line, and take part with `--explain`.
    Options { slower: String, faster: String },
}
