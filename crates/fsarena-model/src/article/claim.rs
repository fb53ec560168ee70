//! What an article says about its figures, and what became of it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Again, Precision};

/// What an article says about its figures.
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
    /// What became of it.
    pub outcome: Outcome,
    /// Why, with the figures that show it.
    pub why: String,
    /// What would have to be so here, where it can be seen in the figures of this machine.
    #[serde(default)]
    pub check: Option<Check>,
    /// Numbers in it that its article's own figures give as well.
    #[serde(default)]
    pub computed: Vec<Computed>,
}

/// A number in a claim that follows from the article's figures, or does not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Computed {
    /// How it comes from figures; none: no figure gives it.
    #[serde(default)]
    pub from: Option<Reckoning>,
    /// The number, in the unit of the figures that it comes from.
    pub value: f64,
    /// As the article writes it.
    pub text: String,
    /// Whether it is the value itself or a bound of it.
    #[serde(default)]
    pub precision: Precision,
    /// The same number elsewhere in the article.
    #[serde(default)]
    pub again: Vec<Again>,
}

/// How a number comes from figures of metrics of one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Reckoning {
    /// The sum over all tests.
    Total {
        /// The metric's name.
        metric: String,
        /// Whose.
        of: String,
    },
    /// The arithmetic mean over all tests that have it.
    Mean {
        /// The metric's name.
        metric: String,
        /// Whose.
        of: String,
    },
    /// The ratio of two sums over all tests.
    RatioOfTotals {
        /// The metric's name.
        metric: String,
        /// Whose sum is divided.
        of: String,
        /// By whose.
        by: String,
    },
    /// In how many tests it is better than all others.
    Wins {
        /// The metric's name.
        metric: String,
        /// Whose.
        of: String,
    },
    /// How many times the figure of each of the others one figure is.
    Ratio {
        /// The test's name.
        test: String,
        /// The metric's name.
        metric: String,
        /// Whose figure is divided.
        of: String,
        /// By whose.
        by: Vec<String>,
    },
    /// By how many percent one figure is more than that of each of the others.
    More {
        /// The test's name.
        test: String,
        /// The metric's name.
        metric: String,
        /// Whose.
        of: String,
        /// Than whose.
        than: Vec<String>,
    },
}

/// A kind of statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimKind {
    /// A sum, count, mean or ratio of its figures.
    Sum,
    /// What was seen.
    Observation,
    /// Why it is so.
    Cause,
    /// What one should do.
    Advice,
    /// What follows.
    Conclusion,
}

impl fmt::Display for ClaimKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Sum => "sum",
            Self::Observation => "observation",
            Self::Cause => "cause",
            Self::Advice => "advice",
            Self::Conclusion => "conclusion",
        })
    }
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It holds.
    Holds,
    /// It does not.
    DoesNotHold,
    /// Nothing that can be done here would show it.
    NotTestable,
    /// The article's own data do not support it.
    Unsupported,
    /// The article contradicts itself.
    Contradiction,
}

impl Outcome {
    /// All, as they are counted.
    pub const ALL: [Self; 5] =
        [Self::Holds, Self::DoesNotHold, Self::NotTestable, Self::Unsupported, Self::Contradiction];
}

impl fmt::Display for Outcome {
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

/// What a claim says about figures that are measured here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Check {
    /// The test's name.
    pub test: String,
    /// The metric's name; none: the test's first.
    #[serde(default)]
    pub metric: Option<String>,
    /// The places on the test's axis that it is about; none: all that have figures. It has to be so at each of them.
    #[serde(default)]
    pub at: Vec<String>,
    /// The article's names, best first: all of a group must be better than all of the next. A single group: all are equal within the
    /// margin.
    pub order: Vec<Vec<String>>,
    /// How many times better, at the least; none: as much as can be told.
    #[serde(default)]
    pub at_least: Option<f64>,
}
