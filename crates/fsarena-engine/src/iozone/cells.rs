//! The cells of the grid: which files are used in which records.

/// A file in records of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// Size of the file, bytes, a multiple of the record size.
    pub file: u64,
    /// Size of a record, bytes.
    pub record: u64,
}

impl Cell {
    /// Number of records in the file.
    pub fn records(self) -> u64 {
        self.file / self.record
    }
}

const SMALLEST_FILE: u64 = 64 << 10;
const SMALLEST_RECORD: u64 = 4 << 10;
/// Maximum size of a record, IOzone's `MAXBUFFERSIZE`.
pub const LARGEST_RECORD: u64 = 16 << 20;
/// Files above this size have no small records (`CROSSOVER`, "as it takes forever and becomes very un-interesting").
const CROSSOVER: u64 = 16 << 20;
/// The smallest record of those files (`LARGE_REC`).
const LARGE_RECORD: u64 = 64 << 10;

/// The cells of the automatic mode for files up to `largest`.
pub fn automatic(largest: u64) -> Vec<Cell> {
    let is_kept = |cell: &Cell| cell.file <= CROSSOVER || cell.record >= LARGE_RECORD;
    all(&automatic_files(largest), &automatic_records()).into_iter().filter(is_kept).collect()
}

/// The file sizes of the automatic mode.
pub fn automatic_files(largest: u64) -> Vec<u64> {
    doubled(SMALLEST_FILE, largest)
}

/// The record sizes of the automatic mode.
pub fn automatic_records() -> Vec<u64> {
    doubled(SMALLEST_RECORD, LARGEST_RECORD)
}

/// Each file size with each record size that is not larger.
pub fn all(files: &[u64], records: &[u64]) -> Vec<Cell> {
    let of = |file: &u64| {
        let file = *file;
        records.iter().filter(move |record| **record <= file).map(move |record| Cell { file, record: *record })
    };
    files.iter().flat_map(of).collect()
}

fn doubled(first: u64, last: u64) -> Vec<u64> {
    std::iter::successors(Some(first), |size| size.checked_mul(2)).take_while(|size| *size <= last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn records_grow_within_each_file() {
        let kib: Vec<_> =
            automatic(128 << 10).iter().map(|cell| (cell.file >> 10, cell.record >> 10, cell.records())).collect();
        assert_eq!(kib[..6], [(64, 4, 16), (64, 8, 8), (64, 16, 4), (64, 32, 2), (64, 64, 1), (128, 4, 32)]);
    }
}
