//! Articles: published comparisons of file systems as data, with all their figures, rankings and claims.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

mod claim;
mod metric;
mod place;
mod work;

pub use claim::{Blamed, Cause, Check, Claim, ClaimKind, ClaimOutcome, Computed, Reckoning};
pub use metric::{Again, Figure, Precision, PublishedMetric, Quantity, StatedOrder};
pub(crate) use place::at_place;
pub use work::{LimitedQuantity, MachineLimit, PublishedWork};

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
    /// Where and when it was published, as far as that is known.
    pub source: String,
    /// Its hardware, versions and method, by name.
    pub machine: BTreeMap<String, String>,
    /// Upper limits of its machine, as far as they are known.
    #[serde(default)]
    pub limits: Vec<MachineLimit>,
    /// The contenders that it compared.
    pub contenders: Vec<PublishedContender>,
    /// The contender over which it states speed-ups.
    pub base: Option<String>,
    /// Summaries of a metric over all tests that have it, as the article gives them.
    #[serde(default)]
    pub summaries: Vec<MetricSummary>,
    /// Speed-ups along an axis, as it draws or lists them.
    #[serde(default)]
    pub curves: Vec<Curve>,
    /// Its tests, in its order.
    pub tests: Vec<PublishedTest>,
    /// Its statements about them: totals, causes, advice, conclusions.
    pub claims: Vec<Claim>,
    /// What its tests do otherwise here, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<String>,
    /// What it has or recommends apart from its tests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Further>,
}

/// Something that an article has or recommends apart from its tests, such as advice by purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Further {
    /// What it is.
    pub what: String,
    /// What corresponds to it here.
    #[serde(flatten)]
    pub counterpart: Counterpart,
}

/// What corresponds here to a part of an article.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counterpart {
    /// How to get it: a command, a workload, a part of the report.
    Here(String),
    /// Why there is nothing.
    Nothing(String),
}

/// A contender of an article.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PublishedContender {
    /// The article's name for it.
    pub name: String,
    /// What it is.
    pub about: String,
    /// The kinds, or types of mounted file systems, that correspond to it here; empty if there are none.
    #[serde(default)]
    pub here: Vec<String>,
    /// How what corresponds to it here differs from it, or why nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs: Option<String>,
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
    /// What was run, as far as the article states it, as a command line or in words.
    pub method: String,
    /// Amount of work, as far as the article states it.
    #[serde(default)]
    pub work: PublishedWork,
    /// Label of the horizontal axis, for charts that have one: `record size`, `threads`.
    pub axis: Option<String>,
    /// The positions on that axis, in order; one of them replaces `{at}` in the names of a source's workload and steps.
    #[serde(default)]
    pub places: Vec<String>,
    /// Sources of its figures when it is run as it was published: those of the first workload that the contender
    /// supports count, of these the first that has a figure.
    #[serde(default)]
    pub as_published: Vec<Source>,
    /// Sources of its figures when it is run properly.
    #[serde(default)]
    pub properly: Vec<Source>,
    /// A remark on what its figures measure.
    pub remark: Option<String>,
    /// Its figures; the first metric is the one that ranks.
    pub metrics: Vec<PublishedMetric>,
}

/// A metric over all tests that have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MetricSummary {
    /// Its title, such as `total time`.
    pub title: String,
    /// The metric's name.
    pub metric: String,
    /// How the tests are combined.
    pub of: Together,
}

/// Speed-ups over the article's base, along an axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Curve {
    /// Its title, such as `speed-up over file size`.
    pub title: String,
    /// Label of its horizontal axis, with the unit: `file size, MB`.
    pub axis: String,
    /// Its lines.
    pub lines: Vec<CurveLine>,
}

/// One line of a curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CurveLine {
    /// Its name, such as `create`.
    pub name: String,
    /// Its points: positions on the axis, above 0, with the test whose speed-up each shows.
    pub points: Vec<CurvePoint>,
}

/// A point of a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CurvePoint {
    /// Position on the horizontal axis.
    pub x: f64,
    /// The test's name.
    pub test: String,
}

/// How the figures of several tests are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Together {
    /// By their sum.
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
    /// As a bar chart; the picture is not part of the text.
    BarChart,
    /// As a line chart; the picture is not part of the text.
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

/// Source of a figure here: a workload, or steps of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Source {
    /// The workload's name.
    pub workload: String,
    /// The steps, combined; empty for the workload as a whole.
    #[serde(default)]
    pub steps: Vec<String>,
    /// Whether the sync after each step belongs to its time.
    #[serde(default)]
    pub synced: bool,
}

impl PublishedTest {
    /// The metric of that name; without one, the metric that ranks.
    pub fn metric(&self, name: Option<&str>) -> Option<&PublishedMetric> {
        self.metrics.iter().find(|metric| name.is_none_or(|name| metric.name == name))
    }
}

impl Article {
    /// The test of that name.
    pub fn test(&self, name: &str) -> Option<&PublishedTest> {
        self.tests.iter().find(|test| test.name == name)
    }

    /// Number of figures in it, including repeated ones and those in claims.
    pub fn count_of_figures(&self) -> usize {
        let figures = self.tests.iter().flat_map(|test| &test.metrics).flat_map(|metric| &metric.figures);
        let computed = self.claims.iter().flat_map(|claim| &claim.computed);
        figures.map(|figure| 1 + figure.again.len()).chain(computed.map(|number| 1 + number.again.len())).sum()
    }

    /// Number of its claims with this outcome.
    pub fn count_of_claims(&self, outcome: ClaimOutcome) -> usize {
        self.claims.iter().filter(|claim| claim.outcome == outcome).count()
    }

    /// Number of rankings that it states.
    pub fn count_of_rankings(&self) -> usize {
        self.tests.iter().flat_map(|test| &test.metrics).map(|metric| metric.rankings.len()).sum()
    }
}
