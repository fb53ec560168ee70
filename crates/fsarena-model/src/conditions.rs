//! Conditions: what the machine was kept from doing in a round.

use serde::{Deserialize, Serialize};

use crate::Bytes;

/// What the machine was kept from doing in a round. What could not be read is `None`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Conditions {
    /// Bytes that were swapped, in and out.
    #[serde(default)]
    pub swapped: Option<Bytes>,
    /// Seconds for which a processor quota of a cgroup above this process held it back.
    #[serde(default)]
    pub quota_throttled: Option<f64>,
    /// How often a processor was slowed down for its temperature.
    #[serde(default)]
    pub thermal_throttled: Option<f64>,
    /// The least and greatest frequency at which a processor was seen at the round's beginning and end, in MHz.
    #[serde(default)]
    pub frequency_mhz: Option<(f64, f64)>,
}
