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
    /// The host below the lane takes more than a fifth of the time.
    LaneBound,
    /// The processors were saturated, not the device.
    CpuBound,
    /// The harness itself takes most of the time.
    HarnessBound,
    /// The figure exceeds what device or memory can do, or lacks the flushes that its durability needs.
    Impossible,
    /// It did not keep up with the offered rate: its latency grows with the length of the run.
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

/// A class with a sentence that states the observation, with figures, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Validity {
    /// The class.
    pub class: ValidityClass,
    /// The sentence.
    pub text: String,
}
