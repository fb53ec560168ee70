//! The kinds of operations that engines do and time.

use serde::{Deserialize, Serialize};

/// One kind of operation. Its latencies are recorded apart from those of the other kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "each is the name of what it does")]
pub enum Operation {
    Read,
    Write,
    RandomRead,
    RandomWrite,
    Trim,
    Create,
    Open,
    Stat,
    Append,
    Rename,
    Link,
    Symlink,
    Chmod,
    Utimes,
    SetXattr,
    GetXattr,
    Readdir,
    Delete,
    Mkdir,
    Rmdir,
    Insert,
    /// The work of an external program that does not report its kinds of operations.
    Run,
    Fsync,
    Fdatasync,
    Syncfs,
}

impl Operation {
    /// Number of kinds.
    pub const COUNT: usize = Self::Syncfs as usize + 1;

    const NAMES: [(Self, &'static str); Self::COUNT] = [
        (Self::Read, "read"),
        (Self::Write, "write"),
        (Self::RandomRead, "random-read"),
        (Self::RandomWrite, "random-write"),
        (Self::Trim, "trim"),
        (Self::Create, "create"),
        (Self::Open, "open"),
        (Self::Stat, "stat"),
        (Self::Append, "append"),
        (Self::Rename, "rename"),
        (Self::Link, "link"),
        (Self::Symlink, "symlink"),
        (Self::Chmod, "chmod"),
        (Self::Utimes, "utimes"),
        (Self::SetXattr, "set-xattr"),
        (Self::GetXattr, "get-xattr"),
        (Self::Readdir, "readdir"),
        (Self::Delete, "delete"),
        (Self::Mkdir, "mkdir"),
        (Self::Rmdir, "rmdir"),
        (Self::Insert, "insert"),
        (Self::Run, "run"),
        (Self::Fsync, "fsync"),
        (Self::Fdatasync, "fdatasync"),
        (Self::Syncfs, "syncfs"),
    ];

    /// All kinds.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.into_iter().map(|(operation, _)| operation)
    }

    /// The name that workloads and reports use.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Whether it makes other operations durable and does not count as an operation itself.
    pub fn is_sync(self) -> bool {
        matches!(self, Self::Fsync | Self::Fdatasync | Self::Syncfs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_order_and_are_those_of_the_files() {
        for (index, (operation, name)) in Operation::NAMES.into_iter().enumerate() {
            assert_eq!(operation as usize, index);
            assert_eq!(serde_json::to_value(operation).expect("a name"), name);
        }
    }
}
