//! The parameters: the automatic grid up to some size, or single cells. The cells of the grid, and the order in which
//! random tests visit the records of a cell.

use fsarena_articles::GridTest;
use fsarena_engine::EngineError;
use fsarena_engine::parameters::{checked, require_conditions, require_once, some_size};
use fsarena_model::{Bytes, CacheState, DurablePoint, Workload};
use serde::Deserialize;

const KIB: u64 = 1 << 10;

/// The parameters of the engine `iozone`. The workload's `durable` decides whether a flush is within the timer. Its
/// `cache` decides whether files are dropped from memory before they are read.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct IozoneParameters {
    /// The largest file of the automatic mode (`-a -g`).
    #[serde(deserialize_with = "some_size")]
    largest: Option<u64>,
    /// File sizes (`-s`) instead of `largest`, without a crossover.
    files: Vec<Bytes>,
    /// Record sizes (`-r`) instead of 4 KiB to 16 MiB, also without a crossover.
    records: Vec<Bytes>,
    /// Tests (`-i`) instead of all tests.
    tests: Vec<GridTest>,
}

impl IozoneParameters {
    pub fn of(workload: &Workload) -> Result<Self, EngineError> {
        require_once(workload)?;
        let durable = [DurablePoint::None, DurablePoint::Fsync];
        require_conditions(workload, &durable, &[CacheState::Warm, CacheState::Cold])?;
        checked(workload, Self::complaint)
    }

    fn complaint(&self) -> Option<&'static str> {
        let is_odd = |size: &Bytes| size.0 == 0 || !size.0.is_multiple_of(KIB);
        let cells = self.cells();
        Some(match () {
            () if self.largest.is_some() != self.files.is_empty() => "give either `largest` or `files`",
            () if self.files.iter().chain(&self.records).any(is_odd) => "`files` and `records` are multiples of 1 KiB",
            () if self.records.iter().any(|record| record.0 > LARGEST_RECORD) => "a record has at most 16 MiB",
            () if cells.is_empty() => "no file is as large as a record",
            () if cells.iter().any(|cell| !cell.file.is_multiple_of(cell.record)) => {
                "each file is a multiple of each of the records that are not larger"
            }
            () => return None,
        })
    }

    /// Each file with each record that is not larger.
    pub fn cells(&self) -> Vec<GridCell> {
        let bytes = |sizes: &[Bytes]| sizes.iter().map(|size| size.0).collect::<Vec<u64>>();
        let files = self.largest.map_or_else(|| bytes(&self.files), |largest| doubled(SMALLEST_FILE, largest));
        let is_automatic = self.largest.is_some() && self.records.is_empty();
        let all_records = || doubled(SMALLEST_RECORD, LARGEST_RECORD);
        let records = if self.records.is_empty() { all_records() } else { bytes(&self.records) };
        let is_kept = |cell: &GridCell| {
            cell.record <= cell.file && (!is_automatic || cell.file <= CROSSOVER || cell.record >= LARGE_RECORD)
        };
        let of = |file: u64| records.iter().map(move |record| GridCell { file, record: *record });
        files.into_iter().flat_map(of).filter(is_kept).collect()
    }

    pub fn tests(&self) -> Vec<GridTest> {
        GridTest::all().filter(|test| self.tests.is_empty() || self.tests.contains(test)).collect()
    }
}

/// A file in records of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridCell {
    /// Size of the file, bytes, a multiple of the record size.
    pub file: u64,
    /// Size of a record, bytes.
    pub record: u64,
}

impl GridCell {
    pub fn records(self) -> u64 {
        self.file / self.record
    }
}

const SMALLEST_FILE: u64 = 64 << 10;
const SMALLEST_RECORD: u64 = 4 << 10;
/// Maximum size of a record, IOzone's `MAXBUFFERSIZE`.
const LARGEST_RECORD: u64 = 16 << 20;
/// Files above this size have no small records (`CROSSOVER`, "as it takes forever and becomes very un-interesting").
const CROSSOVER: u64 = 16 << 20;
/// The smallest record of those files (`LARGE_REC`).
const LARGE_RECORD: u64 = 64 << 10;

fn doubled(first: u64, last: u64) -> Vec<u64> {
    std::iter::successors(Some(first), |size| size.checked_mul(2)).take_while(|size| *size <= last).collect()
}

/// The generator of `lrand48` (drand48(3)): X' = (0x5DEECE66D · X + 0xB) mod 2⁴⁸. The upper 31 bits are returned.
struct Lrand48(u64);

impl Lrand48 {
    /// The state after `srand48(seed)`: the upper 32 bits are the seed, the lower 16 are 0x330E.
    fn seeded(seed: u32) -> Self {
        Self((u64::from(seed) << 16) | 0x330E)
    }

    fn next(&mut self) -> u64 {
        self.0 = (self.0.wrapping_mul(0x5_DEEC_E66D).wrapping_add(0xB)) & ((1 << 48) - 1);
        self.0 >> 17
    }
}

/// The order in which `count` records are visited: each place in turn is exchanged with a random place.
pub fn order(count: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..count).collect();
    let mut random = Lrand48::seeded(0);
    for place in 0..order.len() {
        order.swap(place, (random.next() % count) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parsed(parameters: Value) -> IozoneParameters {
        serde_json::from_value(parameters).expect("understood")
    }

    #[test]
    fn single_cells_and_some_tests() {
        let single = parsed(json!({ "files": ["2G"], "records": ["1K"], "tests": ["reread", "write"] }));
        assert_eq!(single.complaint(), None);
        assert_eq!(single.cells(), [GridCell { file: 2 << 30, record: 1024 }]);
        assert_eq!(single.tests(), [GridTest::Write, GridTest::Reread]);
        let all = parsed(json!({ "files": ["32M"] }));
        assert_eq!((all.cells().len(), all.tests().len()), (13, 13), "no crossover with -s");
        assert_eq!(parsed(json!({ "largest": "256K", "records": ["128K"] })).cells().len(), 2);
    }

    #[test]
    fn parameters_that_make_no_grid_are_refused() {
        let complaint = |parameters| parsed(parameters).complaint().expect("refused");
        assert!(complaint(json!({})).contains("either"));
        assert!(complaint(json!({ "largest": "1M", "files": ["1M"] })).contains("either"));
        assert!(complaint(json!({ "largest": "32K" })).contains("as large"));
        assert!(complaint(json!({ "files": ["10K"], "records": ["4K"] })).contains("multiple of each"));
        assert!(complaint(json!({ "files": [1000] })).contains("1 KiB"));
        assert!(complaint(json!({ "files": ["64M"], "records": ["32M"] })).contains("16 MiB"));
    }

    fn automatic(largest: u64) -> Vec<GridCell> {
        parsed(json!({ "largest": largest })).cells()
    }

    fn per_file(largest: u64) -> Vec<usize> {
        let cells = automatic(largest);
        let files = doubled(SMALLEST_FILE, largest);
        files.iter().map(|file| cells.iter().filter(|cell| cell.file == *file).count()).collect()
    }

    #[test]
    fn the_published_grid_has_126_cells_and_crosses_over() {
        assert_eq!(per_file(512 << 20), [5, 6, 7, 8, 9, 10, 11, 12, 13, 9, 9, 9, 9, 9]);
        assert_eq!(automatic(512 << 20).len(), 126);
        assert_eq!(automatic(32 << 20).len(), 90);
        assert_eq!(automatic(1 << 20).len(), 35);
        assert!(automatic(63 << 10).is_empty());
    }

    /// Reference values from glibc 2.36, printed by a C program of five lines.
    #[test]
    fn numbers_and_order_are_glibcs() {
        let mut random = Lrand48::seeded(0);
        let numbers: Vec<u64> = std::iter::repeat_with(|| random.next()).take(6).collect();
        assert_eq!(numbers, [366_850_414, 1_610_402_240, 206_956_554, 1_869_309_841, 1_239_749_840, 1_687_491_058]);
        assert_eq!(order(16), [4, 3, 5, 14, 6, 10, 15, 0, 8, 1, 7, 12, 13, 11, 2, 9]);
    }
}
