//! Amount of work in an article's test, and limits of the article's machine.

use serde::{Deserialize, Serialize};

/// Amount of work in a test; `None` where the article does not state it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PublishedWork {
    /// Operations in one run: files, blocks, transactions.
    pub operations: Option<u64>,
    /// Bytes moved in one run.
    pub bytes: Option<u64>,
    /// Bytes of each operation.
    pub block: Option<u64>,
    /// Operations in flight at any time: jobs times queue depth.
    pub in_flight: Option<u64>,
    /// Minimum number of processes that are started for them.
    pub processes: Option<u64>,
    /// Minimum number of flushes that each operation requests.
    pub flushes: Option<u64>,
}

/// An upper limit of an article's machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MachineLimit {
    /// The limited quantity.
    pub bound: LimitedQuantity,
    /// Its maximum, in the unit that the bound names.
    pub value: f64,
    /// The medium, and the source of its limit.
    pub why: String,
}

/// A quantity that a machine limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LimitedQuantity {
    /// 1024² bytes per second to or from the medium.
    MegabytesPerSecond,
    /// Revolutions of the disk per second.
    Revolutions,
}
