//! Who has to act on an error: it decides the exit code, and every error says the way out.

/// Who has to act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    /// The call was wrong: exit code 2.
    Use,
    /// Something that was tried did not work: exit code 3.
    Trial,
    /// This machine cannot: exit code 4.
    Machine,
}

/// An error that knows who has to act, and how.
pub trait Explained {
    /// Who has to act.
    fn blame(&self) -> Blame;

    /// The way out, if there is one to name.
    fn hint(&self) -> Option<String>;
}
