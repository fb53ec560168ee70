//! Validity: what a cell's figures can be trusted for.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A reason to read a cell's figures with care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValidityClass {
    /// A cold or direct read that the device did not serve.
    Cached,
    /// Direct I/O that the kernel did through the page cache.
    NotDirect,
    /// All contenders sit at the device's own ceiling.
    DeviceBound,
    /// The host beneath the lane takes more than a fifth of the time.
    LaneBound,
    /// The cores were full, not the device.
    CpuBound,
    /// The harness itself takes most of the time.
    HarnessBound,
    /// Beyond what device or memory can do, or without the flushes that the durability needs.
    Impossible,
    /// It did not keep up with the rate that was offered: its latency grows with the length of the run.
    Overloaded,
    /// Later rounds contradict earlier ones.
    Unsteady,
    /// The work failed or ran out of time or space.
    DidNotFinish,
}

impl ValidityClass {
    /// Whether a pair with such a cell gets no verdict at all.
    pub fn forbids_verdict(self) -> bool {
        matches!(self, Self::Impossible | Self::Unsteady | Self::DidNotFinish)
    }
}

impl fmt::Display for ValidityClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cached => "cached",
            Self::NotDirect => "not-direct",
            Self::DeviceBound => "device-bound",
            Self::LaneBound => "lane-bound",
            Self::CpuBound => "cpu-bound",
            Self::HarnessBound => "harness-bound",
            Self::Impossible => "impossible",
            Self::Overloaded => "overloaded",
            Self::Unsteady => "unsteady",
            Self::DidNotFinish => "did-not-finish",
        })
    }
}

/// A class with the sentence that says what was seen, with figures, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Validity {
    /// Which reason.
    pub class: ValidityClass,
    /// What was seen.
    pub text: String,
}
