//! What a file system refuses, in words.

use std::io;

/// What a file system refuses.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The kernel said no.
    #[error("{act}: {source}")]
    Kernel {
        /// What was being done, such as `create k1-7`.
        act: String,
        /// Why it failed.
        source: io::Error,
    },
    /// The library said no.
    #[error("{act}: {library} says: {words}")]
    Library {
        /// Its name.
        library: &'static str,
        /// What was being done.
        act: String,
        /// Its words.
        words: String,
    },
    /// The library's block device said no.
    #[error("{act}: {library} could not use its device: {source}")]
    Device {
        /// Its name.
        library: &'static str,
        /// What was being done.
        act: String,
        /// Why the device failed.
        source: io::Error,
    },
}

impl LibraryError {
    /// A [`LibraryError::Kernel`], for `map_err`. Nothing is allocated before there is an error.
    pub(crate) fn kernel<E: Into<io::Error>>(act: &str, path: &str) -> impl FnOnce(E) -> Self {
        move |error| Self::Kernel { act: words(act, path), source: error.into() }
    }
}

/// `create k1-7`.
pub(crate) fn words(act: &str, path: &str) -> String {
    if path.is_empty() { act.to_owned() } else { format!("{act} {path}") }
}
