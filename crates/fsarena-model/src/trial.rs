//! Trials: one contender, one workload, one round, with its slices and the readings of the probes around them.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::{Better, ClientsWork, Label, Nanos, Probe, Readings, Step, TraceResult, Verification};

/// Names of latencies: calls that make other operations durable, and are no operations of a workload themselves.
pub const SYNCS: [&str; 3] = ["fsync", "fdatasync", "syncfs"];

/// A short run of operations on one contender: one sample.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// The place in the round's order of slices of this workload, from 0.
    pub position: u32,
    /// Operations done inside the timer.
    pub operations: u64,
    /// Bytes that the operations carried.
    pub bytes: u64,
    /// Time inside the timer.
    pub elapsed: Nanos,
    /// The workload's metric for this slice, in its unit.
    #[serde(deserialize_with = "null_as_nan")]
    pub value: f64,
}

/// JSON has neither NaN nor infinity: both are written as `null`, which is read as NaN.
pub(crate) fn null_as_nan<'de, D: Deserializer<'de>>(json: D) -> Result<f64, D::Error> {
    Option::deserialize(json).map(|value| value.unwrap_or(f64::NAN))
}

/// A probe's reading over a trial's timed slices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The figure; `None`, never 0, if it could not be read.
    pub value: Option<f64>,
    /// Its unit, such as `bytes` or `s`.
    pub unit: String,
}

/// A distribution of latencies, to three significant digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latency {
    /// Number of recorded latencies.
    pub count: u64,
    /// The arithmetic mean.
    pub mean: Nanos,
    /// Half were at or below.
    pub p50: Nanos,
    /// 90 of 100 were at or below.
    pub p90: Nanos,
    /// 99 of 100 were at or below.
    pub p99: Nanos,
    /// 999 of 1,000 were at or below.
    pub p999: Nanos,
    /// 9,999 of 10,000 were at or below; `None` in older runs.
    pub p9999: Option<Nanos>,
    /// The longest.
    pub max: Nanos,
}

/// Latencies of about the same length, to two significant digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct LatencyCount {
    /// The longest of them.
    pub at_most: Nanos,
    /// How many there are.
    pub count: u64,
}

impl From<(u64, u64)> for LatencyCount {
    fn from((at_most, count): (u64, u64)) -> Self {
        Self { at_most: Nanos(at_most), count }
    }
}

impl From<LatencyCount> for (u64, u64) {
    fn from(counted: LatencyCount) -> Self {
        (counted.at_most.0, counted.count)
    }
}

/// The latencies of one kind of operation within a part of a slice: latency over time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatencyWindow {
    /// The slice's position, as in [`Slice::position`].
    pub slice: u32,
    /// End of the part, since the slice's timer started.
    pub end: Nanos,
    /// Maximum length of a part of this slice: long runs have longer parts.
    #[serde(default = "one_second")]
    pub width: Nanos,
    /// What was done, such as `read`.
    pub operation: String,
    /// Number of operations in this part.
    pub count: u64,
    /// The arithmetic mean.
    pub mean: Nanos,
    /// Half were at or below, to two significant digits.
    pub p50: Nanos,
    /// 99 of 100 were at or below, to two significant digits.
    pub p99: Nanos,
    /// The longest.
    pub max: Nanos,
}

/// The width of parts in records that do not state one.
fn one_second() -> Nanos {
    Nanos::seconds(1)
}

/// How a trial ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// All of its slices ran.
    #[default]
    Finished,
    /// It ended early, for the reason given.
    Failed(String),
    /// It was stopped at its workload's time limit, which is given, before it was done.
    OutOfTime(Nanos),
}

impl Outcome {
    /// Why it did not finish, in words; `None` if it did.
    pub fn why(&self) -> Option<String> {
        match self {
            Self::Finished => None,
            Self::Failed(why) => Some(why.clone()),
            Self::OutOfTime(limit) => Some(format!("not done after {limit}, its time limit")),
        }
    }
}

/// One contender, one workload, one round.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The round, from 1.
    pub round: u32,
    /// The workload's name.
    pub workload: String,
    /// The contender's label.
    pub contender: Label,
    /// The lane's number from 0; `None` for contenders that need none.
    pub lane: Option<u32>,
    /// Its slices, in the order in which they ran.
    pub slices: Vec<Slice>,
    /// Its steps, in their order, if its workload has steps.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// Result of comparing what it left behind with the expected content, if its workload supports that.
    pub verified: Option<Verification>,
    /// Latencies by what was timed: `read`, `create`, `fsync`, `syncfs` and so on.
    pub latencies: BTreeMap<String, Latency>,
    /// How often each latency occurred, by what was timed, from short to long; empty in older runs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub histograms: BTreeMap<String, Vec<LatencyCount>>,
    /// Latencies over time: one or more entries per slice and operation.
    #[serde(default)]
    pub over_time: Vec<LatencyWindow>,
    /// What each client did, if there are clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<ClientsWork>,
    /// The readings of the probes, by their names.
    pub probes: Readings,
    /// Where the time of a further slice went, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceResult>,
    /// How it ended.
    pub outcome: Outcome,
}

impl Trial {
    /// Whether both are of the same workload and contender, and have the same outcome.
    pub fn ended_alike(&self, other: &Self) -> bool {
        self.workload == other.workload && self.contender == other.contender && self.outcome == other.outcome
    }

    /// This trial as if everything had taken `times` as long, to test whether such a difference is found. The work
    /// itself is not delayed: waiting would change how busy the devices are, and so its cost. Readings stay as they are.
    #[must_use]
    pub fn slowed(mut self, times: f64, better: Better) -> Self {
        let longer = |time: &mut Nanos| *time = Nanos((time.0 as f64 * times).round() as u64);
        for slice in &mut self.slices {
            longer(&mut slice.elapsed);
            slice.value = if better == Better::Lower { slice.value * times } else { slice.value / times };
        }
        for step in &mut self.steps {
            longer(&mut step.elapsed);
            step.synced.iter_mut().for_each(longer);
        }
        for latency in self.latencies.values_mut() {
            let Latency { count: _, mean, p50, p90, p99, p999, p9999, max } = latency;
            [mean, p50, p90, p99, p999, max].into_iter().chain(p9999).for_each(longer);
        }
        self.trace = None;
        self.histograms.values_mut().flatten().for_each(|counted| longer(&mut counted.at_most));
        for window in &mut self.over_time {
            let LatencyWindow { end, width, mean, p50, p99, max, .. } = window;
            [end, width, mean, p50, p99, max].into_iter().for_each(longer);
        }
        self
    }

    /// A trial without a lane and without figures.
    pub fn empty(round: u32, workload: impl Into<String>, contender: Label, outcome: Outcome) -> Self {
        Self { round, workload: workload.into(), contender, outcome, ..Self::default() }
    }

    /// Operations over all slices.
    pub fn operations(&self) -> u64 {
        self.slices.iter().map(|slice| slice.operations).sum()
    }

    /// Bytes over all slices.
    pub fn bytes(&self) -> u64 {
        self.slices.iter().map(|slice| slice.bytes).sum()
    }

    /// Timed seconds over all slices.
    pub fn seconds(&self) -> f64 {
        self.slices.iter().map(|slice| slice.elapsed.as_seconds()).sum()
    }

    /// Timed seconds per operation over all slices; not finite without operations.
    pub fn seconds_per_operation(&self) -> f64 {
        self.seconds() / self.operations() as f64
    }

    /// The reading of `probe`, if there is one.
    pub fn probe(&self, probe: Probe) -> Option<f64> {
        self.probes.get(&probe.key())?.value
    }
}
