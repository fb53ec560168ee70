//! The kinds of operations that engines do and time.

use fsarena_model::DurablePoint;
use serde::{Deserialize, Serialize};

/// Declares [`Operation`]: each kind with the name that workloads and reports use.
macro_rules! operations {
    ($($(#[$note:meta])* $operation:ident = $name:literal,)*) => {
        /// One kind of operation. Its latencies are recorded apart from those of the other kinds.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[allow(missing_docs, reason = "each is the name of what it does")]
        pub enum Operation {
            $($(#[$note])* #[serde(rename = $name)] $operation,)*
        }

        impl Operation {
            const NAMES: &[(Self, &'static str)] = &[$((Self::$operation, $name)),*];
        }
    };
}

operations! {
    Read = "read",
    Write = "write",
    RandomRead = "random-read",
    RandomWrite = "random-write",
    Trim = "trim",
    Create = "create",
    Open = "open",
    Stat = "stat",
    Append = "append",
    Rename = "rename",
    Link = "link",
    Symlink = "symlink",
    Chmod = "chmod",
    Utimes = "utimes",
    SetXattr = "set-xattr",
    GetXattr = "get-xattr",
    Readdir = "readdir",
    Delete = "delete",
    Mkdir = "mkdir",
    Rmdir = "rmdir",
    Insert = "insert",
    /// The work of an external program that does not report its kinds of operations.
    Run = "run",
    Fsync = "fsync",
    Fdatasync = "fdatasync",
    Syncfs = "syncfs",
}

impl Operation {
    /// Number of kinds.
    pub const COUNT: usize = Self::NAMES.len();

    /// All kinds.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().map(|(operation, _)| *operation)
    }

    /// The name that workloads and reports use.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// The system call that makes operations durable; `None` if there is none.
    #[inline]
    pub fn sync_of(durable: DurablePoint) -> Option<Self> {
        match durable {
            DurablePoint::None | DurablePoint::OSync | DurablePoint::ODsync => None,
            DurablePoint::Fsync => Some(Self::Fsync),
            DurablePoint::Fdatasync => Some(Self::Fdatasync),
            DurablePoint::Syncfs => Some(Self::Syncfs),
        }
    }

    /// Whether it makes other operations durable and does not count as an operation itself.
    pub fn is_sync(self) -> bool {
        matches!(self, Self::Fsync | Self::Fdatasync | Self::Syncfs)
    }
}
