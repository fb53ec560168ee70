//! The environment of a run: machine, storage, tools, and the contenders as the kernel reports them; what was done to the
//! lanes before it, and what slowed the machine down.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Bytes, ClientFacts, DebianRelease, Durability, Guarantee, Label, Nanos, Sharing};

/// The machine and the place of the lanes, read once per run. A value that could not be read is `None`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Environment {
    /// fsarena's own version.
    pub fsarena: String,
    /// The machine's name, `uname -n`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// `uname -r`.
    pub kernel: Option<String>,
    /// The processor's model name.
    pub cpu: Option<String>,
    /// Processors online.
    pub cores: Option<u32>,
    /// Physical memory.
    pub memory: Option<Bytes>,
    /// The hypervisor, if it is reported.
    pub hypervisor: Option<String>,
    /// The lanes, and what is below them.
    #[serde(flatten)]
    pub lanes: LaneFacts,
    /// Versions of the tools that were used, by program.
    pub tools: BTreeMap<String, String>,
    /// The release of Debian of those that make and check file systems, if they are not the machine's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_release: Option<DebianRelease>,
    /// Command lines of the programs that workloads start, by workload, with `LANE` for the directory where they work.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, Vec<String>>,
    /// Bytes that all processors together can copy per second, from cache to cache: no application moves more.
    pub memory_bandwidth: Option<f64>,
    /// How the kernel chooses the processors' frequency, such as `performance`; `None` if it does not report that.
    pub frequency_policy: Option<String>,
    /// Load on the machine just before the run, while the run did nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_rest: Option<AtRest>,
    /// The clients, if the run has some. The other fields are then those of the first client.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<ClientFacts>,
}

/// The lanes of a run, and what is below them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LaneFacts {
    /// Description of the lanes' storage.
    pub storage: Option<String>,
    /// The file system below the images, with its mount options.
    pub host_file_system: Option<String>,
    /// The block device below that file system.
    pub device: Option<String>,
    /// Queue settings of the lanes, by name (`rotational`, `scheduler`, `read_ahead_kb` …).
    pub queue: BTreeMap<String, String>,
    /// Cost of the bare lane, if lanes were used.
    #[serde(rename = "lane_cost")]
    pub cost: Option<LaneCost>,
    /// Result of preconditioning the lanes, if the plan asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preconditioned: Option<Preconditioned>,
    /// How long a flush of the calibration device takes after writes of several amounts.
    #[serde(default)]
    pub flushes: Vec<FlushAfter>,
    /// Fresh and repeated reads of the calibration device.
    pub repeated_reads: Option<RepeatedReads>,
}

/// Load on a machine at rest.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AtRest {
    /// Cores that other programs keep busy.
    pub foreign_cores: Option<f64>,
    /// Cores' worth of time that the hypervisor takes.
    pub steal_cores: Option<f64>,
    /// Bytes per second that other programs read from the storage below the lanes, or write to it.
    pub disk_per_second: Option<f64>,
}

/// Cost of one 4 KiB write and flush on a bare lane, without any contender's file system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaneCost {
    /// Median time back to back.
    pub back_to_back: Nanos,
    /// Median time with a pause of 5 ms before each.
    pub paced: Nanos,
    /// Time of one write and one flush on the device below the host's file system, according to its own counters.
    pub device: Option<Nanos>,
    /// Bytes that reached the device below the host's file system, per write and flush.
    pub host_bytes: Option<f64>,
    /// Flushes that reached the device below the host's file system, per write and flush.
    pub host_flushes: Option<f64>,
}

/// Duration of a flush after a write.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct FlushAfter {
    /// Bytes that were written.
    pub written: Bytes,
    /// The median time of the flush alone.
    pub flush: Nanos,
}

/// Rates of reading the same places of a device twice, with direct I/O: if the second time is far faster, a cache below
/// the device keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RepeatedReads {
    /// Bytes per second of places that were not read before.
    pub fresh: f64,
    /// Bytes per second of the same places right afterwards.
    pub repeated: f64,
}

/// Facts about a contender, read back after mkfs and mount.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ContenderFacts {
    /// Its label.
    pub label: Label,
    /// The command that made it; empty if nothing was made.
    pub mkfs: Vec<String>,
    /// The file system's type and mount options as the kernel reports them.
    pub mount: String,
    /// The durability class within which it is ranked.
    pub durability: Durability,
    /// What it guarantees beyond storing data.
    pub guarantees: Vec<Guarantee>,
    /// Features as created, reported by the file system's own tool; of an existing directory the attributes that its
    /// files get, such as `nocow` or `compress=zstd`.
    pub features: Vec<String>,
    /// Read-ahead of the mounted file system, in KiB.
    pub read_ahead_kib: Option<u64>,
    /// Whether statx(2) reports the alignment of direct I/O; file systems that serve direct I/O from the page cache do
    /// not report it. `None` if this was not queried.
    pub says_alignment: Option<bool>,
    /// Whether direct writes to an existing directory bypass the page cache; `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct_writes: Option<bool>,
    /// Direct writes that are no multiples of this size pass through the file system's own cache; `None`: none do, or
    /// it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct_unit: Option<Bytes>,
    /// What it is if it is a shared folder, and what follows from that, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_folder: Option<String>,
    /// The file system that an existing directory is on: two contenders with the same one share it. Its type and source
    /// if it is a shared folder, otherwise its device number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_system: Option<String>,
    /// What it guarantees to its clients, if it is a shared folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharing: Option<Sharing>,
    /// What its options give up in safety compared with the defaults of its kind, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub risks: Vec<String>,
    /// The commands that made the layers below it, from the lane upwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<String>,
}

impl ContenderFacts {
    /// A contender of this class, about which nothing else is known.
    pub fn new(label: Label, durability: Durability) -> Self {
        Self { label, durability, ..Self::default() }
    }
}

/// What slowed the machine down in a round, and how fast its processors were. A value that could not be read is `None`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Conditions {
    /// Bytes that were swapped in and out.
    pub swapped: Option<Bytes>,
    /// Seconds for which processor quotas of cgroups above this process throttled it.
    pub quota_throttled: Option<f64>,
    /// How often a processor was throttled because of its temperature.
    pub thermal_throttled: Option<f64>,
    /// Lowest and highest frequency of any processor at the round's beginning and end, in MHz.
    pub frequency_mhz: Option<(f64, f64)>,
    /// Bytes that all processors together copied per second, from cache to cache, in the better of two short moments.
    pub memory_bandwidth: Option<f64>,
}

/// How the lanes' devices are preconditioned before anything is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precondition {
    /// They are written in full once, when they are made.
    #[default]
    None,
    /// As in SNIA's Solid State Storage Performance Test Specification 2.0.2: written in full twice more, and then at
    /// random until they are in their steady state.
    Snia,
}

impl Precondition {
    /// Whether it is [`Precondition::None`].
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// Result of preconditioning.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Preconditioned {
    /// Random writes of 4 KiB per second, over all lanes, in each round of a second.
    pub writes_per_second: Vec<f64>,
    /// Whether the last rounds were steady.
    pub is_steady: bool,
}
