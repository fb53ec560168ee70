//! What a test of an article says: kinds of figures, numbers and orders.

use serde::{Deserialize, Serialize};

use crate::Better;

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
