//! Limits for other load on the machine during a run, fixed before anything is measured.

use serde::{Deserialize, Serialize};

use crate::Bytes;

/// The amounts of other load from which on the rounds of a workload are excluded. The unit is a workload within a
/// round: its timed slices, of all contenders together, so that it is excluded for all of them or for none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NoiseBounds {
    /// Limit for the cores that programs other than the run keep busy, on average over those slices.
    pub foreign_cores: f64,
    /// Limit for the cores' worth of time that the hypervisor takes, on average over those slices.
    pub steal_cores: f64,
    /// 0: nothing is ever excluded. In older plans: the maximum number of rounds to excluded.
    pub most: u32,
    /// Limit for the bytes per second that other programs read from the storage below the lanes, or write to it.
    /// `None`, in older plans: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_per_second: Option<Bytes>,
    /// Limit for the share of a round, 0 to 1, for which a processor quota throttled this run. With it, any throttling
    /// of a processor because of its temperature disturbs, too. `None`, in older plans: no limit for either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<f64>,
    /// Limit for the bytes that are swapped in a round. `None`, in older plans: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swapped: Option<Bytes>,
}

/// The limits of new plans. On a quiet machine of two cores, 530 rounds of a workload showed up to 0.24 foreign cores
/// (99 in 100 of them below 0.14) and 0.03 stolen ones, mostly because of the counters' ticks of 10 ms; with a busy
/// loop they showed 0.86 to 1.2.
impl Default for NoiseBounds {
    fn default() -> Self {
        Self {
            foreign_cores: 0.3,
            steal_cores: 0.15,
            most: 1,
            disk_per_second: Some(Bytes::mib(16)),
            throttled: Some(0.01),
            swapped: Some(Bytes::mib(16)),
        }
    }
}

impl NoiseBounds {
    /// Sets nothing aside: the meaning of plans from before these limits existed.
    pub fn ignored() -> Self {
        Self { most: 0, throttled: None, swapped: None, ..Self::default() }
    }

    /// Whether nothing is ever excluded.
    pub fn is_ignored(&self) -> bool {
        self.most == 0
    }
}
