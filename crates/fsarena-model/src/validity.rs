//! Validity: how far a cell's figures can be trusted.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A reason to read a cell's figures with care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValidityClass {
    /// The device did not serve a cold or direct read.
    Cached,
    /// The kernel did direct I/O through the page cache.
    NotDirect,
    /// All contenders reach the device's own limit.
    DeviceBound,
    /// The host below the lane takes a large share of the time.
    LaneBound,
    /// The processors were saturated, not the device.
    CpuBound,
    /// The harness itself takes most of the time.
    HarnessBound,
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
    pub const ALL: [Self; 12] = [
        Self::Cached,
        Self::NotDirect,
        Self::DeviceBound,
        Self::LaneBound,
        Self::CpuBound,
        Self::HarnessBound,
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

/// Its name in JSON.
impl fmt::Display for ValidityClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A class with a sentence that states the observation, with figures, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Validity {
    /// The class.
    pub class: ValidityClass,
    /// The sentence.
    pub text: String,
}
