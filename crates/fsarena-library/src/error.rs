//! The errors of file systems.

use std::io;

/// An error of a file system.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum LibraryError {
    /// The kernel returned an error.
    #[error("{act}: {source}")]
    Kernel { act: String, source: io::Error },
    /// The library returned an error.
    #[error("{act}: {library} says: {words}")]
    Library { library: &'static str, act: String, words: String },
    /// The block device of the library returned an error.
    #[error("{act}: {library} could not use its device: {source}")]
    Device { library: &'static str, act: String, source: io::Error },
}

impl LibraryError {
    /// Makes a [`LibraryError::Kernel`], for `map_err`. It allocates nothing until there is an error.
    pub(crate) fn kernel<E: Into<io::Error>>(act: &str, path: &str) -> impl FnOnce(E) -> Self {
        move |error| Self::Kernel { act: words(act, path), source: error.into() }
    }
}

/// An action with its path, such as `create k1-7`.
pub(crate) fn words(act: &str, path: &str) -> String {
    if path.is_empty() { act.to_owned() } else { format!("{act} {path}") }
}
