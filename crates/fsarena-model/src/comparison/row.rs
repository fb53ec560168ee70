//! Rows of a report: contenders, workloads and baselines.

use serde::{Deserialize, Serialize};

use crate::{
    BaselineKind, Better, Bytes, CacheState, Durability, DurablePoint, Estimate, Guarantee, Label, Mode, Sharing,
};

/// A baseline over all rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BaselineRow {
    /// The workload's name.
    pub workload: String,
    /// Where it was measured.
    pub kind: BaselineKind,
    /// The median of the workload's metric, in its unit; for starts, programs per second.
    pub median: Option<f64>,
    /// The unit.
    pub unit: String,
    /// The median time of an operation, seconds.
    pub seconds_per_operation: Option<f64>,
    /// Rounds that gave a value.
    pub rounds: u32,
}

/// A contender in a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContenderRow {
    /// Its name.
    pub label: Label,
    /// Its kind.
    pub kind: String,
    /// The package of the kernel that it names; `None` if it names none.
    pub kernel: Option<String>,
    /// The command that made it.
    pub mkfs: Vec<String>,
    /// Its mount as the kernel reports it; `None` if it was never mounted.
    pub mount: Option<String>,
    /// Its durability class; `None` if it was never mounted.
    pub durability: Option<Durability>,
    /// What it guarantees beyond storing data.
    pub guarantees: Vec<Guarantee>,
    /// Features as created.
    pub features: Vec<String>,
    /// Read-ahead, in KiB.
    pub read_ahead_kib: Option<u64>,
    /// What it guarantees to its clients, and what the user states about that; `None` if it is no shared folder.
    pub sharing: Option<Sharing>,
    /// What its options give up in safety: `data=writeback: after a crash, …`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<String>,
    /// The commands that made the layers below it, from the lane upwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<String>,
    /// The contenders from which it differs by further layers alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_layers: Vec<Label>,
}

/// A workload in a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkloadRow {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// The engine that runs it; empty in stores of older versions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub engine: String,
    /// The figure's name.
    pub metric: String,
    /// The figure's unit.
    pub unit: String,
    /// Which direction is better.
    pub better: Better,
    /// Sliced or whole.
    pub mode: Mode,
    /// What is made durable inside the timer.
    pub durable: DurablePoint,
    /// Where the data is when the workload accesses it.
    pub cache: CacheState,
    /// Maximum number of rounds in which it runs; `None` without a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_rounds: Option<u32>,
    /// Memory limit of the work, page cache included; `None` if there is no limit.
    pub memory_limit: Option<Bytes>,
    /// What the figure measures.
    pub measures: String,
    /// Why the figure matters.
    pub why: String,
    /// What a person does; empty if the name says it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// How many times as long the slowest contender takes as the same work in memory: what a file system can change at
    /// most. With the pointwise 95 % interval; `None` if the work was not measured in memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_stake: Option<Estimate>,
    /// The group of the suite that it belongs to, or the kind of work; `None` if it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The open loop that it is, if it is one.
    #[serde(flatten)]
    pub open_loop: OpenLoop,
    /// Which of the three clocks measures its time.
    pub clock: Clock,
}

/// A workload as an open loop; both fields are `None` if it is a closed one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenLoop {
    /// The workload of which this one is an open loop.
    #[serde(rename = "variant_of")]
    pub of: Option<String>,
    /// The rate of the loop: `50%` of the contender's own peak, or `2000` operations per second.
    pub rate: Option<String>,
}

/// Which of the three clocks ends a workload's time; later work is not in it. No workload uses the third clock, at
/// rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// When its calls have returned, including its own syncs.
    #[default]
    Returned,
    /// When everything has been synced, as after a whole run.
    Durable,
}
