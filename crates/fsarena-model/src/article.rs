//! Articles: published comparisons of file systems as data, with every figure, ranking and claim of theirs.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Better;

mod claim;
mod place;
mod work;

pub use claim::{Check, Claim, ClaimKind, Computed, Outcome, Reckoning};
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

/// A kind of figure of a test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PublishedMetric {
    /// The name, unique within the test.
    pub name: String,
    /// The unit, as printed.
    pub unit: String,
    /// Which direction is better.
    pub better: Better,
    /// How the same figure is taken here; `None`: it is not.
    #[serde(default)]
    pub quantity: Option<Quantity>,
    /// The steps that it is taken from instead of its test's sources', where those have it: a second figure of one run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// The contender over whose figure of the test's first metric this is the ratio: a speed-up.
    #[serde(default)]
    pub over: Option<String>,
    /// The tests whose times it adds up: a total. Of a rate, the time is the test's operations by it.
    #[serde(default)]
    pub sum_of: Vec<String>,
    /// The figures.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// The orders that the article states, or that its chart showed.
    #[serde(default)]
    pub rankings: Vec<Ranking>,
}

/// How a figure is taken from a trial, or from steps of one. All are in the unit that the name says, a kilobyte being 1024 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Timed seconds.
    Seconds,
    /// Timed milliseconds.
    Milliseconds,
    /// 1024² bytes per second.
    MegabytesPerSecond,
    /// 10⁶ bytes per second, as dd and dbench print them.
    DecimalMegabytesPerSecond,
    /// 1024 bytes per second.
    KilobytesPerSecond,
    /// Operations per second.
    OperationsPerSecond,
    /// Reads per second.
    ReadsPerSecond,
    /// Writes per second.
    WritesPerSecond,
    /// Seconds for one operation.
    SecondsPerOperation,
    /// The mean latency of an operation, milliseconds.
    Latency,
    /// The same in seconds.
    LatencySeconds,
    /// The mean latency of a read, milliseconds.
    ReadLatency,
    /// The mean latency of a write, milliseconds.
    WriteLatency,
    /// The mean latency of a read, microseconds.
    ReadLatencyMicroseconds,
    /// User's and kernel's processor time of the work's processes in percent of the timed time.
    Processor,
    /// Of it the kernel's.
    System,
    /// The share of the timed time in which the device had something to do, percent.
    Utilisation,
}

/// A published number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Figure {
    /// Whose, by the article's name for it.
    pub contender: String,
    /// The number, in the metric's unit.
    pub value: f64,
    /// The number as the article writes it.
    pub text: String,
    /// Where on the horizontal axis.
    #[serde(default)]
    pub at: Option<String>,
    /// Whether it is the value itself or a bound of it.
    #[serde(default)]
    pub precision: Precision,
    /// The same figure elsewhere in the article, as written there; they must agree.
    #[serde(default)]
    pub again: Vec<Again>,
}

/// Whether a number is the value itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// As measured.
    #[default]
    Exact,
    /// Rounded by the author: "about".
    About,
    /// "Never more than".
    AtMost,
    /// "Never less than".
    AtLeast,
}

/// A figure that an article gives a second time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Again {
    /// The number there.
    pub value: f64,
    /// As written there.
    pub text: String,
    /// Where: `summary`, `section 2.5`.
    pub place: String,
}

/// An order that an article states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Ranking {
    /// Where on the horizontal axis, from where to where (`2 to 64`), or under which condition.
    #[serde(default)]
    pub at: Option<String>,
    /// The best first, by the article's names; those that it calls equal, or does not tell apart, stand together.
    pub order: Vec<Vec<String>>,
    /// Those that did not finish, and so are in no order.
    #[serde(default)]
    pub did_not_finish: Vec<String>,
    /// The article's own words.
    pub original: String,
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
