//! Where a run took place: machine, storage, tools, and the contenders as the kernel reports them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Bytes, Durability, Label, Nanos, Preconditioned, Promise};

/// The machine and the place of the lanes, read once per run. What could not be read is `None`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Environment {
    /// fsarena's own version.
    pub fsarena: String,
    /// `uname -r`.
    pub kernel: Option<String>,
    /// The processor's model name.
    pub cpu: Option<String>,
    /// Processors online.
    pub cores: Option<u32>,
    /// Physical memory.
    pub memory: Option<Bytes>,
    /// The hypervisor, where one says so.
    pub hypervisor: Option<String>,
    /// Where the lanes lie, in words.
    pub storage: Option<String>,
    /// The file system beneath the images, with its mount options.
    pub host_file_system: Option<String>,
    /// The block device beneath that.
    pub device: Option<String>,
    /// The host's flags of the lanes' queues, by setting (`rotational`, `scheduler`, `read_ahead_kb` …).
    pub queue: BTreeMap<String, String>,
    /// Versions of the tools that were used, by program.
    pub tools: BTreeMap<String, String>,
    /// What the programs that workloads start are told, by workload: command lines, with `LANE` for where they work.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, Vec<String>>,
    /// What the lane itself costs, where lanes were used.
    pub lane_cost: Option<LaneCost>,
    /// What came of preconditioning the lanes, where the plan has that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preconditioned: Option<Preconditioned>,
    /// How long a flush of the spare lane takes after so much was written.
    #[serde(default)]
    pub flushes: Vec<FlushAfter>,
    /// Reads of the spare lane's device, fresh and repeated.
    #[serde(default)]
    pub repeated_reads: Option<RepeatedReads>,
    /// Bytes that all processors together can copy per second, from cache to cache: no application moves more.
    #[serde(default)]
    pub memory_bandwidth: Option<f64>,
    /// How the processors' frequency is chosen, such as `performance`; `None` where the kernel does not say.
    #[serde(default)]
    pub frequency_policy: Option<String>,
    /// What the machine did just before the run, while nothing was asked of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_rest: Option<AtRest>,
}

/// What a machine does that is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AtRest {
    /// Cores that other programs keep busy.
    pub foreign_cores: Option<f64>,
    /// Cores' worth of time that the hypervisor takes.
    pub steal_cores: Option<f64>,
    /// Bytes per second that others read from the storage beneath the lanes, or write there.
    pub disk_per_second: Option<f64>,
}

/// What one 4 KiB write and flush costs on a bare lane, without any file system of a contender.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaneCost {
    /// Median time back to back.
    pub back_to_back: Nanos,
    /// Median time with a pause of 5 ms before each.
    pub paced: Nanos,
    /// What one write and one flush take on the device beneath the host's file system, by its own counters.
    pub device: Option<Nanos>,
    /// Bytes that reached the device beneath the host's file system, per write and flush.
    pub host_bytes: Option<f64>,
    /// Flushes that reached the device beneath, per write and flush.
    pub host_flushes: Option<f64>,
}

/// How long a flush takes after something was written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FlushAfter {
    /// What was written.
    pub written: Bytes,
    /// The median time of the flush alone.
    pub flush: Nanos,
}

/// The same places of a device read twice, directly: where the second time is far faster, something beneath keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RepeatedReads {
    /// Bytes per second of places that were not read before.
    pub fresh: f64,
    /// Bytes per second of the same places right afterwards.
    pub repeated: f64,
}

/// A contender as it really was, read back after mkfs and mount.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContenderFacts {
    /// Which one.
    pub label: Label,
    /// The command that made it; empty where nothing was made.
    pub mkfs: Vec<String>,
    /// The file system's type and mount options as the kernel reports them.
    pub mount: String,
    /// The class by which it may be ranked.
    pub durability: Durability,
    /// What it does beyond storing.
    pub promises: Vec<Promise>,
    /// Features as created, by the file system's own tool.
    pub features: Vec<String>,
    /// Read-ahead of the mounted file system, in KiB.
    pub read_ahead_kib: Option<u64>,
    /// Whether statx(2) says how direct I/O has to be aligned; file systems that serve it from the page cache do not say. `None`
    /// where this was not asked.
    #[serde(default)]
    pub says_alignment: Option<bool>,
}
