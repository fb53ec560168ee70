//! What engines of one tool have in common: where it works, and what their workloads say.

use std::path::{Path, PathBuf};

use fsarena_engine::{EngineError, Scratch};
use fsarena_model::Workload;

use crate::tool::Tool;

/// Where a tool works, and where what it says is kept meanwhile: not on the lane.
#[derive(Debug)]
pub struct Bench {
    directory: PathBuf,
    beside: Scratch,
}

impl Bench {
    /// One whose work is in `directory`.
    ///
    /// # Errors
    /// If there can be no folder for what it says.
    pub fn new(directory: &Path) -> Result<Self, EngineError> {
        Ok(Self { directory: directory.to_owned(), beside: Scratch::new()? })
    }

    /// Where the work is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// A path there.
    pub fn at(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// A path off the lane.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.beside.path().join(name)
    }

    /// The program `name`, called by these words.
    pub fn tool(&self, name: &'static str, words: impl IntoIterator<Item = String>) -> Tool<'_> {
        let argv = words.into_iter().collect();
        Tool { name, argv, user: None, directory: &self.directory, streams: self.beside.path() }
    }
}

/// Words of a command.
pub fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// A path as a word of a command; temporary folders and lanes have no other names.
pub fn word(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Refuses a number of nothing.
///
/// # Errors
/// [`EngineError::Parameters`].
pub fn require_some(workload: &Workload, name: &str, number: u64) -> Result<(), EngineError> {
    match number > 0 {
        true => Ok(()),
        false => Err(EngineError::parameters(&workload.name, format!("`{name}` is at least 1"))),
    }
}

/// What a program said cannot be understood.
pub fn not_said(program: &'static str, what: &str) -> EngineError {
    EngineError::Program { program, words: format!("what it said cannot be understood: there is no `{what}`") }
}
