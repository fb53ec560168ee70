//! Who has to act on an error: this decides the exit code. Every error can carry a hint on what to do.

use serde::{Deserialize, Serialize};

/// Who has to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorCategory {
    /// The call was wrong: exit code 2.
    Use,
    /// Something that was tried did not work: exit code 3.
    Trial,
    /// This machine does not support it: exit code 4.
    Machine,
}

/// An error that knows who has to act, and how.
pub trait Explained {
    /// Who has to act.
    fn category(&self) -> ErrorCategory;

    /// What the user can do about it, if anything.
    fn hint(&self) -> Option<String>;
}
