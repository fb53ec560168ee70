//! Steps: the named parts of a workload that does several things one after the other and times each.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Label, Nanos};

/// A named part of a whole run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The name, unique within its workload.
    pub name: String,
    /// Operations that it did.
    pub operations: u64,
    /// Bytes that they carried.
    pub bytes: u64,
    /// Time until its calls had returned.
    pub elapsed: Nanos,
    /// Time of the sync afterwards; `None` if nothing was synced.
    pub synced: Option<Nanos>,
    /// Bytes that reached the device in both parts; `None` if they were not counted.
    pub written: Option<Bytes>,
}

/// A step of a cell, over all rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRow {
    /// The step's name.
    pub name: String,
    /// Operations, the median over rounds.
    pub operations: u64,
    /// Bytes that they carried, the median over rounds.
    pub bytes: u64,
    /// Seconds until its calls had returned, the median over rounds.
    pub seconds: f64,
    /// The lower end of that median's pointwise 95 % interval; `None` with too few rounds.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Seconds of the sync afterwards, the median over rounds; `None` if nothing was synced.
    pub synced: Option<f64>,
    /// Bytes that reached the device in both parts, the median over rounds; `None` if they were not counted.
    pub written: Option<u64>,
    /// Rounds that gave a value.
    pub rounds: u32,
}

/// Result of comparing every file that a workload left behind with its expected content. The file system had been
/// unmounted before.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Verification {
    /// Number of files and directories that were compared; for a database, of its tables.
    pub files: u64,
    /// Descriptions of the differences, one for each file; the first hundred.
    pub differences: Vec<String>,
}

/// The verification of one trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerificationRow {
    /// The round, from 1.
    pub round: u32,
    /// The workload's name.
    pub workload: String,
    /// The contender's label.
    pub contender: Label,
    /// The result.
    #[serde(flatten)]
    pub found: Verification,
}
