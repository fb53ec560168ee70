//! The parameters: the automatic grid up to some size, or single cells.

use fsarena_model::{Bytes, CacheState, DurablePoint, GridTest, Mode, Workload};
use serde::Deserialize;

use super::cells::{self, Cell, LARGEST_RECORD};
use crate::EngineError;
use crate::parameters::some_size;

const KIB: u64 = 1 << 10;

/// The parameters of the engine `iozone`. The workload's `durable` decides whether a flush is within the timer. Its
/// `cache` decides whether files are dropped from memory before they are read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameters {
    /// The largest file of the automatic mode (`-a -g`).
    #[serde(default, deserialize_with = "some_size")]
    largest: Option<u64>,
    /// File sizes (`-s`) instead of `largest`, without a crossover.
    #[serde(default)]
    files: Vec<Bytes>,
    /// Record sizes (`-r`) instead of 4 KiB to 16 MiB, also without a crossover.
    #[serde(default)]
    records: Vec<Bytes>,
    /// Tests (`-i`) instead of all tests.
    #[serde(default)]
    tests: Vec<GridTest>,
}

impl Parameters {
    /// The parameters of `workload`.
    ///
    /// # Errors
    /// If they cannot be parsed, or contradict each other or the workload.
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        let parameters = crate::parameters::<Self>(workload)?;
        match complaint_about(workload).or_else(|| parameters.complaint()) {
            Some(what) => Err(EngineError::parameters(&workload.name, what)),
            None => Ok(parameters),
        }
    }

    fn complaint(&self) -> Option<&'static str> {
        let is_odd = |size: &u64| *size == 0 || !size.is_multiple_of(KIB);
        let cells = self.cells();
        Some(match () {
            () if self.largest.is_some() != self.files.is_empty() => "give either `largest` or `files`",
            () if self.files().iter().chain(&self.records()).any(is_odd) => {
                "`files` and `records` are multiples of 1 KiB"
            }
            () if self.records().iter().any(|record| *record > LARGEST_RECORD) => "a record has at most 16 MiB",
            () if cells.is_empty() => "no file is as large as a record",
            () if cells.iter().any(|cell| !cell.file.is_multiple_of(cell.record)) => {
                "each file is a multiple of each of the records that are not larger"
            }
            () => return None,
        })
    }

    fn files(&self) -> Vec<u64> {
        self.files.iter().map(|size| size.0).collect()
    }

    fn records(&self) -> Vec<u64> {
        self.records.iter().map(|size| size.0).collect()
    }

    /// The cells in their order.
    pub fn cells(&self) -> Vec<Cell> {
        let records = if self.records.is_empty() { cells::automatic_records() } else { self.records() };
        match self.largest {
            Some(largest) if self.records.is_empty() => cells::automatic(largest),
            Some(largest) => cells::all(&cells::automatic_files(largest), &records),
            None => cells::all(&self.files(), &records),
        }
    }

    /// The tests in their order.
    pub fn tests(&self) -> Vec<GridTest> {
        GridTest::all().filter(|test| self.tests.is_empty() || self.tests.contains(test)).collect()
    }
}

fn complaint_about(workload: &Workload) -> Option<&'static str> {
    Some(match () {
        () if workload.mode != Mode::Whole || !workload.ends_by_itself || workload.timed_ms > 0 => {
            "a grid ends when it is done: `mode = \"whole\"`, `ends-by-itself = true`, no `timed-ms`"
        }
        () if !matches!(workload.durable, DurablePoint::None | DurablePoint::Fsync) => {
            "`durable` is `none` or `fsync`: within the timer of each test that writes, before its close"
        }
        () if workload.cache == CacheState::Direct => {
            "`cache` is `warm` or `cold`: forgotten before each test that reads"
        }
        () => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parsed(parameters: Value) -> Parameters {
        serde_json::from_value(parameters).expect("understood")
    }

    #[test]
    fn single_cells_and_some_tests() {
        let single = parsed(json!({ "files": ["2G"], "records": ["1K"], "tests": ["reread", "write"] }));
        assert_eq!(single.complaint(), None);
        assert_eq!(single.cells(), [Cell { file: 2 << 30, record: 1024 }]);
        assert_eq!(single.tests(), [GridTest::Write, GridTest::Reread]);
        let all = parsed(json!({ "files": ["32M"] }));
        assert_eq!((all.cells().len(), all.tests().len()), (13, 13), "no crossover with -s");
        assert_eq!(parsed(json!({ "largest": "256K", "records": ["128K"] })).cells().len(), 2);
    }

    #[test]
    fn what_makes_no_grid_is_refused() {
        let complaint = |parameters| parsed(parameters).complaint().expect("refused");
        assert!(complaint(json!({})).contains("either"));
        assert!(complaint(json!({ "largest": "1M", "files": ["1M"] })).contains("either"));
        assert!(complaint(json!({ "largest": "32K" })).contains("as large"));
        assert!(complaint(json!({ "files": ["10K"], "records": ["4K"] })).contains("multiple of each"));
        assert!(complaint(json!({ "files": [1000] })).contains("1 KiB"));
        assert!(complaint(json!({ "files": ["64M"], "records": ["32M"] })).contains("16 MiB"));
    }
}
