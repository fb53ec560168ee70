//! The four tests, in the order in which they run.

use serde::Deserialize;

use crate::Operation;

/// One of the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Test {
    /// From beginning to end.
    Write,
    /// At random places.
    RandomWrite,
    /// From beginning to end.
    Read,
    /// At random places.
    RandomRead,
}

impl Test {
    /// All tests, in tiotest's order (its numbers 0 to 3).
    pub const ALL: [Self; 4] = [Self::Write, Self::RandomWrite, Self::Read, Self::RandomRead];

    /// Whether it writes.
    pub fn writes(self) -> bool {
        matches!(self, Self::Write | Self::RandomWrite)
    }

    /// Whether its places are random.
    pub fn is_random(self) -> bool {
        matches!(self, Self::RandomWrite | Self::RandomRead)
    }

    /// The operation that gives its step a name, and under which its latencies are recorded.
    pub fn operation(self) -> Operation {
        match self {
            Self::Write => Operation::Write,
            Self::RandomWrite => Operation::RandomWrite,
            Self::Read => Operation::Read,
            Self::RandomRead => Operation::RandomRead,
        }
    }

    /// The names of its figures, which are those that tiotest prints: the mean and the maximum latency, and the shares
    /// above 2 and 10 seconds.
    pub fn told(self) -> [&'static str; 4] {
        match self {
            Self::Write => {
                ["tiotest.write.mean", "tiotest.write.max", "tiotest.write.over-2s", "tiotest.write.over-10s"]
            }
            Self::RandomWrite => [
                "tiotest.random-write.mean",
                "tiotest.random-write.max",
                "tiotest.random-write.over-2s",
                "tiotest.random-write.over-10s",
            ],
            Self::Read => ["tiotest.read.mean", "tiotest.read.max", "tiotest.read.over-2s", "tiotest.read.over-10s"],
            Self::RandomRead => [
                "tiotest.random-read.mean",
                "tiotest.random-read.max",
                "tiotest.random-read.over-2s",
                "tiotest.random-read.over-10s",
            ],
        }
    }
}
