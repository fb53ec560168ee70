//! Articles: published comparisons of file systems as data, with every figure, ranking and claim of theirs.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

mod claim;
mod metric;
mod place;
mod work;

pub use claim::{Check, Claim, ClaimKind, Computed, Outcome, Reckoning};
pub use metric::{Again, Figure, Precision, PublishedMetric, Quantity, Ranking};
pub use work::{Bound, Limit, PublishedWork};

/// A published comparison, read from one TOML file of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Article {
    /// The name under which it is reproduced, the file's name without `.toml`.
    pub name: String,
    /// Its title, in its own language.
    pub title: String,
    /// The title in English.
    pub english: String,
    /// The language as an ISO 639-1 code.
    pub language: String,
    /// Where it stands and when it appeared, as far as that is known.
    pub source: String,
    /// Its hardware, versions and method, by name.
    pub machine: BTreeMap<String, String>,
    /// What its machine cannot exceed, where that is known.
    #[serde(default)]
    pub limits: Vec<Limit>,
    /// What it compared.
    pub contenders: Vec<PublishedContender>,
    /// The contender over which it states speed-ups.
    #[serde(default)]
    pub base: Option<String>,
    /// Figures of a metric over all tests that have it, as the article sums them up.
    #[serde(default)]
    pub summaries: Vec<Summary>,
    /// Speed-ups over something, as it draws or lists them.
    #[serde(default)]
    pub curves: Vec<Curve>,
    /// Its tests, in its order.
    pub tests: Vec<PublishedTest>,
    /// What it says about them: totals, causes, advice, conclusions.
    pub claims: Vec<Claim>,
}

/// What an article compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PublishedContender {
    /// The article's name for it.
    pub name: String,
    /// What it is.
    pub about: String,
    /// The kinds, or types of mounted file systems, that stand for it here; none: it cannot be had here.
    #[serde(default)]
    pub here: Vec<String>,
}

/// One of an article's tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PublishedTest {
    /// The unique name within the article.
    pub name: String,
    /// The title in English.
    pub title: String,
    /// The title in the article's own words.
    pub original: String,
    /// How the article shows its result.
    pub shown: Shown,
    /// What was run, as far as the article says, as a command line or in words.
    pub method: String,
    /// How much of what was done, as far as the article says.
    #[serde(default)]
    pub work: PublishedWork,
    /// What the horizontal axis has, for charts over something: `record size`, `threads`.
    #[serde(default)]
    pub axis: Option<String>,
    /// The places on that axis, in order; `{at}` in the names of a source's workload and steps stands for one.
    #[serde(default)]
    pub places: Vec<String>,
    /// Where its figures come from when it is run as it was published: the first that has the contender.
    #[serde(default)]
    pub as_published: Vec<Source>,
    /// Where they come from when it is run as it should be.
    #[serde(default)]
    pub properly: Vec<Source>,
    /// What has to be said of it: what its figures measure.
    #[serde(default)]
    pub remark: Option<String>,
    /// Its figures; the first metric is the one that ranks.
    pub metrics: Vec<PublishedMetric>,
}

/// A metric over all tests that have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Summary {
    /// What it is called: `total time`.
    pub title: String,
    /// The metric's name.
    pub metric: String,
    /// How the tests are taken together.
    pub of: Together,
}

/// Speed-ups over the article's base, over something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Curve {
    /// What it shows: `speed-up over file size`.
    pub title: String,
    /// What its horizontal axis has, with the unit: `file size, MB`.
    pub axis: String,
    /// Its lines.
    pub lines: Vec<CurveLine>,
}

/// One line of a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CurveLine {
    /// What it is called: `create`.
    pub name: String,
    /// Where on the axis, above 0, which test's speed-up stands.
    pub points: Vec<CurvePoint>,
}

/// A point of a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CurvePoint {
    /// Where on the horizontal axis.
    pub x: f64,
    /// The test's name.
    pub test: String,
}

/// How the figures of several tests become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Together {
    /// By adding them up.
    Sum,
    /// By their arithmetic mean.
    Mean,
}

/// How an article shows a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// As a table of numbers.
    Table,
    /// As a bar chart; the picture is not with the text.
    BarChart,
    /// As a line chart; the picture is not with the text.
    LineChart,
    /// In a sentence.
    Sentence,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Table => "table",
            Self::BarChart => "bar chart",
            Self::LineChart => "line chart",
            Self::Sentence => "sentence",
        })
    }
}

/// Where a figure comes from here: a workload, or steps of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Source {
    /// The workload's name.
    pub workload: String,
    /// The steps, taken together; none: the workload as a whole.
    #[serde(default)]
    pub steps: Vec<String>,
    /// Whether the sync after each step belongs to its time.
    #[serde(default)]
    pub synced: bool,
}

impl Article {
    /// The test of that name.
    pub fn test(&self, name: &str) -> Option<&PublishedTest> {
        self.tests.iter().find(|test| test.name == name)
    }

    /// How many numbers it has, those that occur again and those that claims give among them.
    pub fn count_of_figures(&self) -> usize {
        let figures = self.tests.iter().flat_map(|test| &test.metrics).flat_map(|metric| &metric.figures);
        let computed = self.claims.iter().flat_map(|claim| &claim.computed);
        figures.map(|figure| 1 + figure.again.len()).chain(computed.map(|number| 1 + number.again.len())).sum()
    }

    /// How many orders it states.
    pub fn count_of_rankings(&self) -> usize {
        self.tests.iter().flat_map(|test| &test.metrics).map(|metric| metric.rankings.len()).sum()
    }
}
