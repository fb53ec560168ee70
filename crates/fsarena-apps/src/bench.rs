//! Parts that engines of a single tool share: the tool's folders, its command line, and checks of parameters.

use std::path::{Path, PathBuf};

use fsarena_engine::{EngineError, Scratch};
use fsarena_model::Workload;

use crate::tool::Tool;

/// The working directory of a tool, and a scratch directory outside the lane for its output.
#[derive(Debug)]
pub struct Bench {
    directory: PathBuf,
    beside: Scratch,
}

impl Bench {
    /// A bench with the working directory `directory`.
    ///
    /// # Errors
    /// If the scratch directory cannot be made.
    pub fn new(directory: &Path) -> Result<Self, EngineError> {
        Ok(Self { directory: directory.to_owned(), beside: Scratch::new()? })
    }

    /// The working directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Path of `name` in the working directory.
    pub fn at(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Path of `name` in the scratch directory, outside the lane.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.beside.path().join(name)
    }

    /// The program `name` with this command line.
    pub fn tool(&self, name: &'static str, words: impl IntoIterator<Item = String>) -> Tool<'_> {
        let argv = words.into_iter().collect();
        Tool { name, argv, user: None, directory: &self.directory, streams: self.beside.path() }
    }
}

/// Words of a command.
pub fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// A path as a word of a command. Paths of temporary folders and lanes are UTF-8.
pub fn word(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Refuses 0 as the value of the parameter `name`.
///
/// # Errors
/// [`EngineError::Parameters`].
pub fn require_some(workload: &Workload, name: &str, number: u64) -> Result<(), EngineError> {
    match number > 0 {
        true => Ok(()),
        false => Err(EngineError::parameters(&workload.name, format!("`{name}` is at least 1"))),
    }
}

/// The error for output of `program` in which `what` is missing.
pub fn not_said(program: &'static str, what: &str) -> EngineError {
    EngineError::Program { program, words: format!("its output has no `{what}`") }
}
