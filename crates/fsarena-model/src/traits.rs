//! What an engine states about a workload. The plan stores it, so that a record can be judged without the engine.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Nanos};

/// What an engine states about a workload before it runs. The default is that of an engine that does the work itself,
/// in no time, on no data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Traits {
    /// Maximum bytes of data that the workload keeps at a time.
    pub peak: Bytes,
    /// Number of files that it has at the same time in any case, as far as the engine knows.
    #[serde(skip_serializing_if = "crate::is_default")]
    pub least_files: u64,
    /// The block size of direct I/O; `None` if the workload does no direct I/O.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direct_block: Option<Bytes>,
    /// The bytes of each operation, if all have the same number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<Bytes>,
    /// Maximum number of concurrent operations, at least 1.
    pub concurrency: u64,
    /// Estimate of the time that a run takes in addition to the time that the workload gives.
    pub extra_time: Nanos,
    /// The program that does the work; `None` if the engine itself does it. A program's processor time cannot be
    /// separated from that of unrelated programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The step in which the program counts its time, if it is coarse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_step: Option<Nanos>,
    /// Number of programs that a run starts, if the starts may take most of its time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starts: Option<u64>,
    /// Whether the same work on a tmpfs shows its cost without file system and device.
    pub runs_in_memory: bool,
    /// Whether it also syncs outside of its timer. The flushes of the device are then not only those of the timed part.
    pub syncs_untimed: bool,
    /// Whether each write is durable by itself, without a system call that the engine counts.
    pub commits_each: bool,
    /// Whether the engine itself makes sure that what it reads cold is not in memory. The bytes at the device then need
    /// not be those that it asked for, since it reads some of them several times.
    pub verifies_cold: bool,
    /// Whether its bytes are not copied: mapped files, trimmed space.
    pub copies_nothing: bool,
    /// The files that exist when it begins, if other workloads may use the same files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<SharedFiles>,
}

/// The files that exist when a workload begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedFiles {
    /// Description of the files. Equal descriptions mean equal files, except for random contents.
    pub description: String,
    /// Whether the workload leaves them unchanged.
    pub unchanged: bool,
}

impl Default for Traits {
    fn default() -> Self {
        Self {
            peak: Bytes(0),
            least_files: 0,
            direct_block: None,
            block: None,
            concurrency: 1,
            extra_time: Nanos(0),
            program: None,
            starts: None,
            runs_in_memory: true,
            syncs_untimed: false,
            commits_each: false,
            verifies_cold: false,
            clock_step: None,
            copies_nothing: false,
            files: None,
        }
    }
}
