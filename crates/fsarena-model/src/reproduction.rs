//! Reproductions: an article's tests run here, beside what it published.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::article::{Article, Outcome};
use crate::{Better, Label};

/// A run of an article's tests, in the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reproduces {
    /// The article, so that a stored run can be judged without a catalogue.
    pub article: Article,
    /// The scale of the work.
    pub scale: Scale,
    /// Which harnesses are used.
    #[serde(default)]
    pub harness: Harness,
}

/// Which harnesses are used, of those by which an article's work can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Harness {
    /// All.
    #[default]
    Both,
    /// Only those of one process, and programs that measure themselves.
    Native,
    /// Only shells that start a program for each operation.
    Shell,
}

/// How much work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Seconds for each workload, in one round: to see that everything works. There are no verdicts.
    Smoke,
    /// As much as fits on lanes of the usual size, in minutes.
    #[default]
    #[serde(alias = "lane")]
    Standard,
    /// As much as the article did.
    Published,
}

impl Scale {
    /// Whether it is the usual one.
    pub fn is_standard(&self) -> bool {
        *self == Self::Standard
    }
}

/// As it is typed.
impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Smoke => "smoke",
            Self::Standard => "standard",
            Self::Published => "published",
        })
    }
}

/// An article's tests, published and here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reproduction {
    /// The article.
    pub article: Article,
    /// The scale of the work.
    pub scale: Scale,
    /// What was scaled: workload and words.
    pub scaled: Vec<(String, String)>,
    /// Who stands here for whom.
    pub stand_ins: Vec<StandIn>,
    /// Its figures, by test, metric, place on the axis and contender.
    pub figures: Vec<ReproducedFigure>,
    /// Who wins, by test: the first metric of each.
    pub winners: Vec<Winner>,
    /// How well the orders agree over all tests: published against measured as published.
    pub as_published: Option<Agreement>,
    /// The same against measured properly.
    pub properly: Option<Agreement>,
    /// How many times better than the article's base others are, by test; none for articles that state no such thing.
    pub factors: Vec<Factor>,
    /// Figures over all tests.
    pub summaries: Vec<SummaryRow>,
    /// What became of its claims here.
    pub claims: Vec<ClaimHere>,
}

/// How many times better than the article's base a contender of it is in a test, and what that consists of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Factor {
    /// The test's name.
    pub test: String,
    /// The article's name for the contender.
    pub name: String,
    /// As published.
    pub published: Option<f64>,
    /// Measured as published.
    pub as_published: Option<f64>,
    /// Of that, what the base's shell or program adds: how many times longer the base takes as published than plainly.
    pub harness: Option<f64>,
    /// Of that, what is left: the contender against the base, both plainly.
    pub plainly: Option<f64>,
    /// Both measured properly.
    pub properly: Option<f64>,
}

/// A figure over all tests that have its metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SummaryRow {
    /// What it is called.
    pub title: String,
    /// The unit.
    pub unit: String,
    /// The article's name for the contender; `None`: it has none like it.
    pub name: Option<String>,
    /// The contender here; `None`: there is none like the article's.
    pub contender: Option<Label>,
    /// What the article says that it comes to, as it stands there.
    pub stated: Option<String>,
    /// What the article's own figures come to.
    pub published: Option<f64>,
    /// Measured as published; `None` unless all tests were.
    pub as_published: Option<f64>,
    /// Measured properly; `None` unless all tests were.
    pub properly: Option<f64>,
}

/// A figure, published and here.
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
    /// Where on the horizontal axis.
    pub at: Option<String>,
    /// The article's name for the contender; `None`: it has none like it.
    pub name: Option<String>,
    /// The contender here; `None`: there is none like the article's.
    pub contender: Option<Label>,
    /// What was published, as it stands there; `None` for charts of which only the text survives.
    pub published: Option<(f64, String)>,
    /// Measured as it was published.
    pub as_published: Option<Measured>,
    /// The same without the shell or program that it was published with; `None` where it was measured once only.
    pub plainly: Option<Measured>,
    /// Measured as it should be.
    pub properly: Option<Measured>,
    /// The same of the contender that stands properly for the article's, see [`StandIn`].
    pub properly_for_it: Option<Measured>,
    /// Where it did not finish within the time that it was given.
    #[serde(default, skip_serializing_if = "Unfinished::is_none")]
    pub unfinished: Unfinished,
}

/// Where a contender did not finish within the time that it was given: a result, behind all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Unfinished {
    /// As the article says.
    pub published: bool,
    /// Measured as published.
    pub as_published: bool,
    /// Measured properly.
    pub properly: bool,
    /// The contender that stands properly for the article's.
    pub properly_for_it: bool,
}

impl Unfinished {
    /// Whether it finished everywhere.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Who stands here for one of an article's contenders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandIn {
    /// The article's name for it.
    pub name: String,
    /// Who stands for it where it is measured as published; `None`: nobody.
    pub as_published: Option<Label>,
    /// Who does where it is measured properly: the first that keeps what was synced.
    pub properly: Option<Label>,
}

/// A figure over all rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The median over rounds.
    pub median: f64,
    /// The lower end of its pointwise 95 % interval; `None` with too few rounds.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Rounds that gave a value.
    pub rounds: u32,
    /// Whether the cell that it is of allows a verdict; if not, it enters no order.
    pub is_valid: bool,
}

/// Whether who wins in a test of an article wins here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Winner {
    /// The test's name.
    pub test: String,
    /// Where on the horizontal axis.
    pub at: Option<String>,
    /// Who wins there, by the article's names; more than one: they are equal.
    pub published: Vec<String>,
    /// What becomes of that measured as published.
    pub as_published: Wins,
    /// What becomes of that measured properly.
    pub properly: Wins,
    /// How well the two orders agree in this test, properly measured: Kendall's tau-b, −1 to 1.
    pub tau: Option<Agreement>,
}

/// Whether a published winner wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wins {
    /// It does.
    Yes,
    /// Another does.
    No,
    /// Nobody can be told from it.
    NotToldApart,
    /// The article itself has them equal.
    Tie,
    /// One of them was not measured here.
    Unknown,
}

/// Kendall's tau over pairs of contenders: the share of pairs in the same order less that of pairs in the opposite one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Agreement {
    /// −1: all turned round, 1: all the same.
    pub tau: f64,
    /// The lower end of its 95 % interval; `None` where there is too little to tell.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Pairs.
    pub pairs: u32,
}

/// What became of a claim here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimHere {
    /// The claim's name.
    pub claim: String,
    /// As the data of this run say, where the claim can be checked; otherwise as the catalogue says.
    pub outcome: Outcome,
    /// Why.
    pub why: String,
    /// Whether this run's figures decided.
    pub checked: bool,
}
