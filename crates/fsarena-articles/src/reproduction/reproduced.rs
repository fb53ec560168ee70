//! The result: an article's tests run here, compared with what it published.

use fsarena_model::{Better, Label, Scale};
pub use fsarena_stats::Tau as Agreement;
use serde::{Deserialize, Serialize};

use crate::article::{Article, ClaimOutcome};

/// An article's tests, as published and as measured here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reproduction {
    /// The article.
    pub article: Article,
    /// The scale of the work.
    pub scale: Scale,
    /// What was scaled: workload and description.
    pub scaled: Vec<(String, String)>,
    /// Which contenders here correspond to those of the article.
    pub stand_ins: Vec<StandIn>,
    /// Its figures, by test, metric, place on the axis and contender.
    pub figures: Vec<ReproducedFigure>,
    /// Whether published winners win here, by test: the first metric of each.
    pub winners: Vec<Winner>,
    /// Agreement of the rankings over all tests: published against measured as published.
    pub as_published: Option<Agreement>,
    /// Agreement of the rankings over all tests: published against measured properly.
    pub properly: Option<Agreement>,
    /// How many times better than the article's base others are, by test; empty for articles that state no such ratios.
    pub factors: Vec<RatioOfArticle>,
    /// Figures over all tests.
    pub summaries: Vec<SummaryRow>,
    /// Results of checking its claims here.
    pub claims: Vec<ClaimHere>,
    /// Further sentences about what differs from the article.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// How many times better than the article's base one of its contenders is in a test, and the factors of that ratio.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatioOfArticle {
    /// The test's name.
    pub test: String,
    /// The article's name for the contender.
    pub name: String,
    /// As published.
    pub published: Option<f64>,
    /// Measured as published.
    pub as_published: Option<f64>,
    /// The part of `as_published` that the base's shell or program adds: how many times longer the base takes with it
    /// than without.
    pub harness: Option<f64>,
    /// The rest of `as_published`: the contender against the base, both without a shell or program.
    pub plainly: Option<f64>,
    /// The contender against the base, both measured properly.
    pub properly: Option<f64>,
}

/// A figure over all tests that have its metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryRow {
    /// Its title.
    pub title: String,
    /// The unit.
    pub unit: String,
    /// The article's name for the contender; `None` if none of the article's corresponds to it.
    pub name: Option<String>,
    /// The contender here; `None` if none corresponds to the article's.
    pub contender: Option<Label>,
    /// The figure that the article states, as written there.
    pub stated: Option<String>,
    /// The figure that follows from the article's own figures.
    pub published: Option<f64>,
    /// Measured as published; `None` unless all tests were.
    pub as_published: Option<f64>,
    /// Measured properly; `None` unless all tests were.
    pub properly: Option<f64>,
}

/// A figure, as published and as measured here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReproducedFigure {
    /// The test's name.
    pub test: String,
    /// The metric's name.
    pub metric: String,
    /// The unit of all three.
    pub unit: String,
    /// Which direction is better.
    pub better: Better,
    /// Position on the horizontal axis.
    pub at: Option<String>,
    /// The article's name for the contender; `None` if none of the article's corresponds to it.
    pub name: Option<String>,
    /// The contender here; `None` if none corresponds to the article's.
    pub contender: Option<Label>,
    /// The published value, and its text; `None` for charts of which only the text survives.
    pub published: Option<(f64, String)>,
    /// Measured as it was published.
    pub as_published: Option<MeasuredFigure>,
    /// Measured without the shell or program that it was published with; `None` if it was measured only once.
    pub plainly: Option<MeasuredFigure>,
    /// Measured properly.
    pub properly: Option<MeasuredFigure>,
    /// Measured properly, on the contender that corresponds to the article's in proper measurements, see [`StandIn`].
    pub properly_for_it: Option<MeasuredFigure>,
    /// Where it did not finish within its time limit.
    #[serde(default, skip_serializing_if = "Unfinished::is_none")]
    pub unfinished: Unfinished,
}

/// Where a contender did not finish within its time limit: this is a result, and ranks behind all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Unfinished {
    /// In the article.
    pub published: bool,
    /// Measured as published.
    pub as_published: bool,
    /// Measured properly.
    pub properly: bool,
    /// Measured properly, on the contender that corresponds to the article's in proper measurements.
    pub properly_for_it: bool,
}

impl Unfinished {
    /// Whether it finished everywhere.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The contenders here that correspond to one of an article's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandIn {
    /// The article's name for it.
    pub name: String,
    /// The contender that is measured as published; `None` if there is none.
    pub as_published: Option<Label>,
    /// The contender that is measured properly: the first that keeps what was synced.
    pub properly: Option<Label>,
}

/// A figure over all rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeasuredFigure {
    /// The median over rounds.
    pub median: f64,
    /// The lower end of its pointwise 95 % interval; `None` with too few rounds.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Rounds that gave a value.
    pub rounds: u32,
    /// Whether its cell allows a verdict; if not, it is part of no ranking.
    pub is_valid: bool,
}

/// Whether the winner of an article's test wins here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Winner {
    /// The test's name.
    pub test: String,
    /// Position on the horizontal axis.
    pub at: Option<String>,
    /// The published winners, by the article's names; more than one if they are equal.
    pub published: Vec<String>,
    /// Whether they win as published.
    pub as_published: Wins,
    /// Whether they win when measured properly.
    pub properly: Wins,
    /// Agreement of the two rankings in this test, measured properly: Kendall's tau-b, −1 to 1.
    pub tau: Option<Agreement>,
}

/// Whether a published winner wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wins {
    /// It wins.
    Yes,
    /// Another contender wins.
    No,
    /// No other contender is better, but not all others are worse beyond the margin.
    NotToldApart,
    /// The article itself ranks them as equal.
    Tie,
    /// One of them was not measured here.
    Unknown,
}

/// Result of checking a claim here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimHere {
    /// The claim's name.
    pub claim: String,
    /// According to the data of this run, if they can check the claim; otherwise according to the catalogue.
    pub outcome: ClaimOutcome,
    /// The reason.
    pub why: String,
    /// Whether this run's figures decided.
    pub checked: bool,
}
