//! A cell: the figure of a contender in a workload, and how far it can be trusted.

use serde::{Deserialize, Serialize};

use crate::{Label, LatencyCount, Probe, Readings, StepRow, Validity, ValidityClass};

/// Contender × workload, over all rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The workload's name.
    pub workload: String,
    /// The contender's label.
    pub contender: Label,
    /// The figure's name.
    pub metric: String,
    /// The figure's unit.
    pub unit: String,
    /// The figure.
    #[serde(flatten)]
    pub figure: Figure,
    /// Rounds that count and gave a value. If it is 0, the median is one of rounds that do not count.
    pub rounds: u32,
    /// Total number of slices.
    pub samples: u32,
    /// Reasons to read it with care; empty if it is valid.
    pub validity: Vec<Validity>,
    /// How it compares with the baselines.
    #[serde(flatten)]
    pub shares: Shares,
    /// What an operation takes.
    #[serde(flatten)]
    pub per_operation: PerOperation,
    /// Medians over rounds of the probes' readings, per operation where that is meaningful.
    pub probes: Readings,
    /// The value of each round, in the order of rounds; `None` for a round without a value.
    pub by_round: Vec<Option<f64>>,
    /// Its steps, if its workload has steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepRow>,
    /// Its latencies.
    #[serde(flatten)]
    pub latencies: Latencies,
    /// Whether it was stable, and which rounds do not count.
    pub stability: Stability,
}

/// The median of a cell over rounds, with its pointwise 95 % interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The median.
    pub median: Option<f64>,
    /// The lower end of the interval.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// Shares of a cell that baselines, or the lane's cost, account for; each is `None` if it was not measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    /// The share of its time that the same work takes in memory (tmpfs): the harness, system calls and the kernel's
    /// common part. Above 1 if the same work was slower there, at another moment.
    #[serde(rename = "harness_share")]
    pub harness: Option<f64>,
    /// The share of the bare device's rate that it reaches, 0 to 1 and slightly above.
    #[serde(rename = "ceiling_share")]
    pub ceiling: Option<f64>,
    /// The share of its time, 0 to 1, that the same number of mere starts of programs takes; `None` also if it starts
    /// none.
    #[serde(rename = "start_share")]
    pub start: Option<f64>,
    /// The share of its time, 0 to 1, that the host beneath the lane takes for its flushes, beyond the device.
    #[serde(rename = "lane_share")]
    pub lane: Option<f64>,
}

/// What an operation takes, the median over rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PerOperation {
    /// Timed seconds.
    #[serde(rename = "seconds_per_operation")]
    pub seconds: Option<f64>,
    /// Calls of fsync, fdatasync and syncfs; 0 if no call synced anything.
    #[serde(rename = "syncs_per_operation")]
    pub syncs: Option<f64>,
}

/// Latencies of a cell, by operation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Latencies {
    /// How often latencies of each length occurred, over the rounds that count.
    pub histograms: Vec<LatencyHistogram>,
    /// Latency over time.
    pub over_time: Vec<LatencyOverTime>,
}

impl Cell {
    /// The median of `probe`'s readings, if there is one.
    pub fn probe(&self, probe: Probe) -> Option<f64> {
        self.probes.get(&probe.key())?.value
    }

    /// Whether its figure may be shown as a result: nothing in it is beyond what the device or memory can do.
    pub fn is_plausible(&self) -> bool {
        !self.validity.iter().any(|validity| validity.class == ValidityClass::Impossible)
    }
}

/// Stability of a cell. All rounds are reported; only rounds that were excluded do not count.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Stability {
    /// Rounds that were excluded because of other load on the machine.
    pub excluded: Vec<u32>,
    /// How many times better each round is than the one before, relative to the other contenders.
    pub trend: Option<Change>,
    /// How many times better the later slices of a round are than its first ones.
    pub within_round: Option<Change>,
    /// How many times better all operations over all of their time are than the median, which is about typical slices.
    pub whole_time: Option<f64>,
}

/// A ratio that is 1 if nothing changes; its interval holds at 95 % for all cells of the run together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The ratio.
    pub ratio: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Change {
    /// Whether the interval excludes 1: then something changes.
    pub fn is_proved(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }
}

/// How often latencies of one kind of operation occurred.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LatencyHistogram {
    /// What was timed, such as `read`.
    pub operation: String,
    /// The buckets that have operations, from short to long.
    pub buckets: Vec<LatencyBucket>,
    /// The same to two significant digits; not in JSON.
    #[serde(skip)]
    pub counts: Vec<LatencyCount>,
}

/// The operations above the bound below it, up to and with its own. Bounds are 1, 2 and 5 times a power of ten.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LatencyBucket {
    /// The bound, in seconds.
    pub at_most: f64,
    /// Number of operations.
    pub count: u64,
}

/// The latencies of one kind of operation over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LatencyOverTime {
    /// What was done, such as `read`.
    pub operation: String,
    /// By round, then time.
    pub points: Vec<Point>,
}

/// Latencies within a part of a slice, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The round, from 1.
    pub round: u32,
    /// Which of the trial's slices, from 1.
    pub slice: u32,
    /// When the part ended: timed seconds of this trial, with its slices one after the other.
    pub seconds: f64,
    /// The arithmetic mean.
    pub mean: f64,
    /// Half were at or below.
    pub p50: f64,
    /// 99 of 100 were at or below.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}
