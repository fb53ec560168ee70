//! Bounds on what a machine may do beside a run, fixed before anything is measured.

use serde::{Deserialize, Serialize};

use crate::Bytes;

/// From which amount of others' work on the rounds of a workload are set aside. The unit is a workload within a round:
/// its timed slices, of all contenders together, so that it is set aside for all of them or for none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Disturbance {
    /// Cores that programs other than the run keep busy, on average over those slices; more disturbs.
    pub foreign_cores: f64,
    /// Cores' worth of time that the hypervisor takes, likewise.
    pub steal_cores: f64,
    /// 0: nothing is ever set aside. Plans of before said here how many rounds were, at most.
    pub most: u32,
    /// Bytes per second that others read from the storage beneath the lanes, or write there; more disturbs. `None` in
    /// plans of before this was looked at: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_per_second: Option<Bytes>,
    /// The share of a round, 0 to 1, for which a processor quota held this run back; more disturbs, and so does any processor
    /// that was slowed down for its temperature. `None` in plans of before this was looked at: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<f64>,
    /// Bytes that were swapped in a round; more disturbs. `None` likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swapped: Option<Bytes>,
}

/// What new plans have. On a quiet machine of two cores, 530 rounds of a workload showed up to 0.24 foreign cores (99 in
/// 100 of them below 0.14) and 0.03 stolen ones, mostly for the counters' ticks of 10 ms; beside a busy loop 0.86 to 1.2.
impl Default for Disturbance {
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

impl Disturbance {
    /// Nothing is set aside: what plans of before there were bounds mean.
    pub fn ignored() -> Self {
        Self { most: 0, throttled: None, swapped: None, ..Self::default() }
    }

    /// Whether nothing is ever set aside.
    pub fn is_ignored(&self) -> bool {
        self.most == 0
    }
}
