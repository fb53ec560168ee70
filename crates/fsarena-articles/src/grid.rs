//! Grids: throughput over the size of files and of records in thirteen tests, as IOzone's automatic mode measures it.
//! In a run each point is a step.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A test of a grid, in the order in which they are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GridTest {
    /// A new file is written from its beginning to its end.
    Write,
    /// The file is overwritten from its beginning to its end.
    Rewrite,
    /// The file is read from its beginning to its end.
    Read,
    /// The file is read again from its beginning to its end.
    Reread,
    /// Every record is read once, in random order.
    RandomRead,
    /// Every record is written once, in the same random order.
    RandomWrite,
    /// The file is read from its last record to its first.
    BackwardRead,
    /// The first record is written as often as the file has records.
    RecordRewrite,
    /// Every seventeenth record is read, then every seventeenth from the next one on, with as many reads as the file
    /// has records.
    StrideRead,
    /// The file is written through stdio.
    Fwrite,
    /// The file is overwritten through stdio.
    Refwrite,
    /// The file is read through stdio.
    Fread,
    /// The file is read again through stdio.
    Refread,
}

impl GridTest {
    /// Number of tests.
    pub const COUNT: usize = Self::Refread as usize + 1;

    /// All tests, with their names in steps and the titles of IOzone's tables.
    const WORDS: [(Self, &'static str, &'static str); Self::COUNT] = [
        (Self::Write, "write", "Writer report"),
        (Self::Rewrite, "rewrite", "Re-writer report"),
        (Self::Read, "read", "Reader report"),
        (Self::Reread, "reread", "Re-Reader report"),
        (Self::RandomRead, "random-read", "Random read report"),
        (Self::RandomWrite, "random-write", "Random write report"),
        (Self::BackwardRead, "backward-read", "Backward read report"),
        (Self::RecordRewrite, "record-rewrite", "Record rewrite report"),
        (Self::StrideRead, "stride-read", "Stride read report"),
        (Self::Fwrite, "fwrite", "Fwrite report"),
        (Self::Refwrite, "refwrite", "Re-Fwrite report"),
        (Self::Fread, "fread", "Fread report"),
        (Self::Refread, "refread", "Re-Fread report"),
    ];

    /// All tests, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::WORDS.into_iter().map(|(test, ..)| test)
    }

    /// The test's part of a step's name.
    pub fn name(self) -> &'static str {
        Self::WORDS[self as usize].1
    }

    /// The title of its table in IOzone's output.
    pub fn title(self) -> &'static str {
        Self::WORDS[self as usize].2
    }

    /// Whether it writes.
    pub fn writes(self) -> bool {
        use GridTest::{Fwrite, RandomWrite, RecordRewrite, Refwrite, Rewrite, Write};
        matches!(self, Write | Rewrite | RandomWrite | RecordRewrite | Fwrite | Refwrite)
    }
}

/// A test with one size of file and one size of records; its name as a step is `FILE/RECORD/TEST` in KiB: `64/4/write`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GridPoint {
    /// The file's size, KiB.
    pub file_kib: u64,
    /// The records' size, KiB.
    pub record_kib: u64,
    /// The test.
    pub test: GridTest,
}

impl fmt::Display for GridPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.file_kib, self.record_kib, self.test.name())
    }
}

impl GridPoint {
    /// The point that a step of this name is; `None` if the step is none.
    pub fn of_step(name: &str) -> Option<Self> {
        let (file, rest) = name.split_once('/')?;
        let (record, test) = rest.split_once('/')?;
        let (test, ..) = GridTest::WORDS.into_iter().find(|(_, name, _)| *name == test)?;
        Some(Self { file_kib: file.parse().ok()?, record_kib: record.parse().ok()?, test })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_in_order_and_named_as_the_files() {
        for (index, (test, name, _)) in GridTest::WORDS.into_iter().enumerate() {
            assert_eq!(test as usize, index);
            assert_eq!(serde_json::to_value(test).expect("a name"), name);
        }
    }

    #[test]
    fn a_point_is_a_steps_name() {
        for test in GridTest::all() {
            let point = GridPoint { file_kib: 65536, record_kib: 4, test };
            assert_eq!(GridPoint::of_step(&point.to_string()), Some(point));
        }
        for other in ["create-1m", "64/4", "64/4/", "64/x/write", "64/4/write/more", "64/4/Write"] {
            assert_eq!(GridPoint::of_step(other), None, "{other}");
        }
    }
}
