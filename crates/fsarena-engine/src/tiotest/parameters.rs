//! The parameters of a workload of the engine `tiotest`.

use fsarena_model::{CacheState, DurablePoint, Mode, Workload};
use serde::Deserialize;

use super::test::Test;
use crate::EngineError;
use crate::parameters::size;

/// Maximum size of a block, bytes.
const LARGEST: u64 = 64 << 20;

/// The parameters; the names in brackets are tiotest's options.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameters {
    /// Bytes of each thread's file (`-f`).
    #[serde(deserialize_with = "size")]
    pub size: u64,
    /// Number of threads (`-t`).
    pub threads: u32,
    /// Bytes of each call (`-b`).
    #[serde(default = "four_kib", deserialize_with = "size")]
    pub block: u64,
    /// Calls of each thread at random places (`-r`).
    #[serde(default = "a_thousand")]
    pub random_operations: u64,
    /// The tests that run; `write` has to be one of them (`-k` skips the others).
    #[serde(default = "all_tests")]
    pub tests: Vec<Test>,
}

fn four_kib() -> u64 {
    4096
}

fn a_thousand() -> u64 {
    1000
}

fn all_tests() -> Vec<Test> {
    Test::ALL.to_vec()
}

impl Parameters {
    /// The parameters of `workload`.
    ///
    /// # Errors
    /// If they cannot be parsed, or contradict each other or the workload.
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters = crate::parameters::<Self>(workload)?;
        let complaint = complaint_about(workload).or_else(|| parameters.complaint());
        complaint.map_or(Ok(parameters), |what| Err(EngineError::parameters(&workload.name, what)))
    }

    /// Bytes of all files.
    pub fn all(&self) -> u64 {
        self.size.saturating_mul(u64::from(self.threads))
    }

    fn complaint(&self) -> Option<&'static str> {
        Some(match () {
            () if !(1..=1024).contains(&self.threads) => "`threads` is 1 to 1024",
            () if !(1..=LARGEST).contains(&self.block) => "`block` is 1 to 64M",
            () if self.size == 0 || !self.size.is_multiple_of(self.block) => "`size` is a multiple of `block`",
            () if self.random_operations == 0 => "`random-operations` is at least 1",
            () if !self.tests.contains(&Test::Write) => "`tests` has `write`: without it there is nothing to read",
            () => return None,
        })
    }
}

fn complaint_about(workload: &Workload) -> Option<&'static str> {
    Some(match () {
        () if workload.mode != Mode::Whole || !workload.ends_by_itself || workload.timed_ms > 0 => {
            "each test is done once: `mode = \"whole\"`, `ends-by-itself = true`, no `timed-ms`"
        }
        () if !matches!(workload.durable, DurablePoint::None | DurablePoint::OSync) => {
            "`durable` is `none` or `o-sync` (tiotest's -S)"
        }
        () if workload.cache == CacheState::Direct => "`cache` is `warm` or `cold`: before each test that reads",
        () => return None,
    })
}
