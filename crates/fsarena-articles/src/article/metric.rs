//! Results of an article's tests: metrics, figures and rankings.

use serde::{Deserialize, Serialize};

use fsarena_model::Better;

/// A metric of an article's test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PublishedMetric {
    /// The name, unique within the test.
    pub name: String,
    /// The unit, as printed.
    pub unit: String,
    /// Which direction is better.
    pub better: Better,
    /// How this figure is measured here; `None` if it is not.
    pub quantity: Option<Quantity>,
    /// The steps that give this figure instead of the steps of its test's sources, where these have them: a second
    /// figure of one run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// The base of a speed-up: this figure is the ratio to that contender's figure of the test's first metric.
    pub over: Option<String>,
    /// The tests whose times it adds up: a total. The time of a test with a rate is its operations divided by the rate.
    #[serde(default)]
    pub sum_of: Vec<String>,
    /// The figures.
    #[serde(default)]
    pub figures: Vec<Figure>,
    /// The orders that the article states, or that its chart showed.
    #[serde(default)]
    pub rankings: Vec<StatedOrder>,
}

/// How a figure is computed from a trial, or from steps of one, in the unit of its name. A kilobyte has 1024 bytes.
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
    /// The mean latency of an operation, seconds.
    LatencySeconds,
    /// The mean latency of a read, milliseconds.
    ReadLatency,
    /// The mean latency of a write, milliseconds.
    WriteLatency,
    /// The mean latency of a read, microseconds.
    ReadLatencyMicroseconds,
    /// Processor time in user and kernel mode of the work's processes, in percent of the timed time.
    Processor,
    /// Processor time in kernel mode of the work's processes, in percent of the timed time.
    System,
    /// The share of the timed time in which the device was busy, percent.
    Utilisation,
}

/// A published number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Figure {
    /// The article's name for the contender.
    pub contender: String,
    /// The number, in the metric's unit.
    pub value: f64,
    /// The number as the article writes it.
    pub text: String,
    /// Position on the horizontal axis.
    pub at: Option<String>,
    /// Whether it is the value itself or a bound.
    #[serde(default)]
    pub precision: Precision,
    /// The same figure elsewhere in the article, as written there; they must agree.
    #[serde(default)]
    pub again: Vec<Again>,
}

/// Whether a number is the value itself or a bound.
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

/// A second occurrence of a figure in an article.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Again {
    /// The number in that place.
    pub value: f64,
    /// The number as written there.
    pub text: String,
    /// The place, such as `summary` or `section 2.5`.
    pub place: String,
}

/// An order that an article states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StatedOrder {
    /// Position on the horizontal axis, range of positions (`2 to 64`), or condition.
    pub at: Option<String>,
    /// The best first, by the article's names; contenders that it calls equal, or does not distinguish, share a group.
    pub order: Vec<Vec<String>>,
    /// Contenders that did not finish, and so are not ranked.
    #[serde(default)]
    pub did_not_finish: Vec<String>,
    /// The article's own words.
    pub original: String,
}
