//! Validity: how far a cell's figures can be trusted.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// A reason to read a cell's figures with care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValidityClass {
    /// The device did not serve a cold or direct read.
    Cached,
    /// The kernel did direct I/O through the page cache.
    NotDirect,
    /// Direct work is as fast as the bare device.
    DeviceBound,
    /// The host below the lane takes a large share of the time.
    LaneBound,
    /// The processors were saturated, not the device.
    CpuBound,
    /// The harness itself takes most of the time.
    HarnessBound,
    /// A step of the program's clock is a large part of the measured time.
    CoarseClock,
    /// Clients did not do the same, or did not start together.
    UnevenClients,
    /// The network was saturated, not the file service.
    NetworkBound,
    /// The figure exceeds what device or memory can do, or lacks the flushes that its durability needs.
    Impossible,
    /// It did not keep up with the offered rate: its latency grows with the length of the run.
    Overloaded,
    /// Later rounds contradict earlier ones.
    Unsteady,
    /// The work failed or ran out of time or space.
    DidNotFinish,
}

/// The bounds of the rules. The sentences of a report take them from here.
pub mod bounds {
    /// Share of a cell's time above which the host beneath its lane limits the figure.
    pub const LANE_SHARE: f64 = 0.2;
    /// Share of the bare device's rate from which on the device limits the figure. Two slices of a baseline differ by a
    /// few percent.
    pub const DEVICE_SHARE: f64 = 0.9;
    /// Share of all processors' time from which on the processors limit the figure.
    pub const PROCESSOR_SHARE: f64 = 0.9;
    /// Share of a cell's time above which the harness limits the figure.
    pub const HARNESS_SHARE: f64 = 0.5;
    /// Share of the measured time above which a step of the program's clock hides differences.
    pub const CLOCK_SHARE: f64 = 0.01;
    /// Share of the bytes of cold or direct work below which the device did not serve them.
    pub const SERVED: f64 = 0.9;
    /// Share of the bytes of direct I/O above which it went through the page cache.
    pub const THROUGH_THE_CACHE: f64 = 0.5;
    /// Share of the offered operations from which on an open loop kept up.
    pub const KEEPS_UP: f64 = 0.97;
    /// Share of the median rate of the other clients below which a client is slow.
    pub const CLIENT_SHARE: f64 = 0.5;
    /// Share of the slices of several clients above which too many did not count.
    pub const SKEWED_SHARE: f64 = 0.25;
    /// Share of what a client's network link can carry from which on the network limits the figure.
    pub const LINK_SHARE: f64 = 0.8;
}

impl ValidityClass {
    /// All classes, in the order in which they are explained.
    pub const ALL: [Self; 13] = [
        Self::Cached,
        Self::NotDirect,
        Self::DeviceBound,
        Self::LaneBound,
        Self::CpuBound,
        Self::HarnessBound,
        Self::CoarseClock,
        Self::UnevenClients,
        Self::NetworkBound,
        Self::Impossible,
        Self::Overloaded,
        Self::Unsteady,
        Self::DidNotFinish,
    ];

    /// Whether a pair with such a cell gets no verdict at all.
    pub fn forbids_verdict(self) -> bool {
        matches!(self, Self::Impossible | Self::Unsteady | Self::DidNotFinish)
    }
}

/// A reason to read a cell's figures with care: its class, and what was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Validity {
    /// The class, which follows from the finding.
    pub class: ValidityClass,
    /// What was seen, in figures. The report has the sentence for it.
    #[serde(flatten)]
    pub finding: Finding,
}

impl From<Finding> for Validity {
    fn from(finding: Finding) -> Self {
        Self { class: finding.class(), finding }
    }
}

/// What a rule has seen in a cell, in figures. Shares are fractions of 1, rounds count from 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "finding", rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the sentence of a variant has its fields")]
pub enum Finding {
    /// The work failed in `rounds` of `of` rounds, first in round `first` because of `why`.
    NotFinished { rounds: u32, of: u32, first: u32, why: String },
    /// In this round the device read nothing.
    NothingRead { round: u32 },
    /// In this round, the worst, the device carried only this share of the bytes.
    LittleCarried { round: u32, share: f64, bytes: Bytes },
    /// In this round, the worst, the disks of the file servers read only this share of the bytes.
    LittleReadByServers { round: u32, share: f64, bytes: Bytes },
    /// The file system has no device and reports no alignment of direct I/O.
    NoDevice,
    /// Direct writes to an existing directory pass through the page cache, since its data have checksums or are
    /// journalled.
    BufferedWrites,
    /// Direct writes of `block` were only parts of the `unit` that the file system writes directly.
    PartsOfUnits { block: Bytes, unit: Bytes },
    /// Direct I/O of `bytes` dirtied this many pages of 4 KiB.
    PagesDirtied { pages: u64, bytes: Bytes },
    /// Too few flushes for these syncs.
    TooFewFlushes { syncs: f64, flushes: f64 },
    /// More bytes per second than this machine's processors can copy, which is `most`.
    FasterThanMemory { rate: Bytes, most: Bytes },
    /// This many times the bare device's rate, although the device carried all bytes.
    FasterThanDevice { times: f64 },
    /// In this round `operations` of `size` are not `bytes`.
    OtherSize { round: u32, operations: u64, size: Bytes, bytes: Bytes },
    /// The host below the lane takes `each` per write and flush, about `share` of the time.
    HostBelowLane { share: f64, each: Nanos, with_device: Option<Nanos>, has_file_system: bool },
    /// This share of the bare device's rate.
    DeviceLimit { share: f64 },
    /// This many of `of` processors were busy.
    ProcessorsBusy { busy: f64, of: u32 },
    /// The same work in memory takes `memory` of the time, `each` per operation, or of the figure if `is_score`; mere
    /// starts of programs take `starts` of the time.
    MostlyHarness { memory: Option<f64>, starts: Option<f64>, each: Nanos, is_score: bool },
    /// The program counts its time in steps of `step`, which is this share of the measured time.
    FewSteps { step: Nanos, share: f64 },
    /// A client did this share of what the others did, in `rounds` of `of` rounds.
    SlowClient { client: String, share: f64, rounds: u32, of: u32 },
    /// In `slices` of `of` slices the clients did not start together; `worst` is the largest difference in seconds.
    StartsApart { slices: u32, of: u32, worst: f64 },
    /// Each client moved this share of what its link of `mbit` Mbit/s can carry.
    LinkLimit { share: f64, mbit: f64 },
    /// Operations per second that an open loop was offered, and that it did.
    BehindItsRate { offered: f64, done: f64 },
}

impl Finding {
    /// The class that the finding belongs to.
    pub fn class(&self) -> ValidityClass {
        match self {
            Self::NotFinished { .. } => ValidityClass::DidNotFinish,
            Self::NothingRead { .. } | Self::LittleCarried { .. } | Self::LittleReadByServers { .. } => {
                ValidityClass::Cached
            }
            Self::NoDevice | Self::BufferedWrites | Self::PartsOfUnits { .. } | Self::PagesDirtied { .. } => {
                ValidityClass::NotDirect
            }
            Self::TooFewFlushes { .. }
            | Self::FasterThanMemory { .. }
            | Self::FasterThanDevice { .. }
            | Self::OtherSize { .. } => ValidityClass::Impossible,
            Self::HostBelowLane { .. } => ValidityClass::LaneBound,
            Self::DeviceLimit { .. } => ValidityClass::DeviceBound,
            Self::ProcessorsBusy { .. } => ValidityClass::CpuBound,
            Self::MostlyHarness { .. } => ValidityClass::HarnessBound,
            Self::FewSteps { .. } => ValidityClass::CoarseClock,
            Self::SlowClient { .. } | Self::StartsApart { .. } => ValidityClass::UnevenClients,
            Self::LinkLimit { .. } => ValidityClass::NetworkBound,
            Self::BehindItsRate { .. } => ValidityClass::Overloaded,
        }
    }
}
