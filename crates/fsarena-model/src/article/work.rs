//! How much a test of an article did, and what its machine cannot exceed.

use serde::{Deserialize, Serialize};

/// How much of what a test did; what the article does not say is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PublishedWork {
    /// Operations in one run: files, blocks, transactions.
    #[serde(default)]
    pub operations: Option<u64>,
    /// Bytes moved in one run.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Bytes of each operation.
    #[serde(default)]
    pub block: Option<u64>,
    /// Operations that are under way at any time: jobs times depth of the queue.
    #[serde(default)]
    pub in_flight: Option<u64>,
    /// Processes that are started for them, at the least.
    #[serde(default)]
    pub processes: Option<u64>,
    /// Flushes that each operation asks for at the least.
    #[serde(default)]
    pub flushes: Option<u64>,
}

/// What the machine of an article cannot exceed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Limit {
    /// What is bounded.
    pub bound: Bound,
    /// The most that it can be, in the unit that the bound names.
    pub value: f64,
    /// What the medium is, and where its bound is known from.
    pub why: String,
}

/// What a machine bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// 1024² bytes per second to or from the medium.
    MegabytesPerSecond,
    /// Revolutions of the disk per second.
    Revolutions,
}
