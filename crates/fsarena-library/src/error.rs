//! The errors of file systems.

use std::io;

/// An error of a file system.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The kernel returned an error.
    #[error("{act}: {source}")]
    Kernel {
        /// The action that failed, such as `create k1-7`.
        act: String,
        /// The reason.
        source: io::Error,
    },
    /// The library returned an error.
    #[error("{act}: {library} says: {words}")]
    Library {
        /// Name of the library.
        library: &'static str,
        /// The action that failed.
        act: String,
        /// The message of the library.
        words: String,
    },
    /// The block device of the library returned an error.
    #[error("{act}: {library} could not use its device: {source}")]
    Device {
        /// Name of the library.
        library: &'static str,
        /// The action that failed.
        act: String,
        /// The reason.
        source: io::Error,
    },
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
