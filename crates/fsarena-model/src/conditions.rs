//! Conditions: what slowed the machine down in a round.

use serde::{Deserialize, Serialize};

use crate::Bytes;

/// What slowed the machine down in a round, and how fast its processors were. A value that could not be read is `None`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Conditions {
    /// Bytes that were swapped in and out.
    #[serde(default)]
    pub swapped: Option<Bytes>,
    /// Seconds for which processor quotas of cgroups above this process throttled it.
    #[serde(default)]
    pub quota_throttled: Option<f64>,
    /// How often a processor was throttled because of its temperature.
    #[serde(default)]
    pub thermal_throttled: Option<f64>,
    /// Lowest and highest frequency of any processor at the round's beginning and end, in MHz.
    #[serde(default)]
    pub frequency_mhz: Option<(f64, f64)>,
    /// Bytes that all processors together copied per second, from cache to cache, in the better of two short moments.
    #[serde(default)]
    pub memory_bandwidth: Option<f64>,
}
