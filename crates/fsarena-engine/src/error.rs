//! What can go wrong in a workload.

use std::io;

use fsarena_model::{Blame, Explained};

/// What can go wrong in a workload.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// No engine has that name.
    #[error("workload `{workload}`: there is no engine `{engine}`")]
    Unknown {
        /// The workload.
        workload: String,
        /// The engine that it names.
        engine: String,
    },
    /// A parameter is not understood.
    #[error("workload `{workload}`: parameters: {what}")]
    Parameters {
        /// The workload.
        workload: String,
        /// What is wrong.
        what: String,
    },
    /// The workload cannot be done at a given rate.
    #[error("workload `{workload}`: the engine `{engine}` cannot keep a rate")]
    NotPaced {
        /// The workload.
        workload: String,
        /// Its engine.
        engine: String,
    },
    /// The workload has no other state of the cache.
    #[error("workload `{workload}`: {why}")]
    OneCache {
        /// The workload.
        workload: String,
        /// Why it has not.
        why: &'static str,
    },
    /// A worker that is a process failed, in its words.
    #[error("{0}")]
    Worker(String),
    /// Another worker failed before all were ready; that one says why.
    #[error("another worker failed")]
    Abandoned,
    /// Something with fio or one of its job files.
    #[error(transparent)]
    Fio(#[from] crate::fio::FioError),
    /// A script of the workload ended with an error, in its words.
    #[error("the workload's `{script}` ended with {status}: {words}")]
    Script {
        /// Which of its scripts.
        script: String,
        /// How it ended.
        status: std::process::ExitStatus,
        /// The last lines that it said.
        words: String,
    },
    /// The shell of a workload is not there.
    #[error("the workload `{workload}` needs the shell `{shell}`, which is not installed")]
    NoShell {
        /// The workload.
        workload: String,
        /// The shell.
        shell: String,
    },
    /// The program that does a workload is not there.
    #[error("the workload `{workload}` needs the program `{program}`, which is not installed")]
    NoProgram {
        /// The workload.
        workload: String,
        /// The program, and the package that has it.
        program: &'static str,
    },
    /// A program that did a workload ended with an error, in its words.
    #[error("{program}: {words}")]
    Program {
        /// The program.
        program: &'static str,
        /// Its words.
        words: String,
    },
    /// The file system refused.
    #[error("{act}: {source}")]
    Io {
        /// What was being done, such as `write f00000012`.
        act: String,
        /// Why it failed.
        source: io::Error,
    },
}

impl EngineError {
    /// An [`EngineError::Io`], for `map_err` on rustix' and the standard library's errors alike.
    /// Nothing is allocated before there is an error: inner loops use it, too.
    pub fn io<E: Into<io::Error>>(act: impl Into<String>) -> impl FnOnce(E) -> Self {
        move |error| Self::Io { act: act.into(), source: error.into() }
    }

    /// An [`EngineError::Parameters`].
    pub fn parameters(workload: &str, what: impl ToString) -> Self {
        Self::Parameters { workload: workload.to_owned(), what: what.to_string() }
    }
}

impl Explained for EngineError {
    fn blame(&self) -> Blame {
        match self {
            Self::Fio(error) => error.blame(),
            Self::Io { .. } | Self::Script { .. } | Self::Program { .. } | Self::Worker(_) | Self::Abandoned => {
                Blame::Trial
            }
            Self::NoShell { .. } | Self::NoProgram { .. } => Blame::Machine,
            _ => Blame::Use,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { .. } => {
                let names: Vec<&str> = crate::ENGINES.iter().map(|engine| engine.name()).collect();
                Some(format!("the engines are {}", names.join(", ")))
            }
            Self::Parameters { .. } => Some("docs/guides/add-a-workload.md has the parameters".to_owned()),
            Self::NotPaced { .. } => {
                Some("leave out --rate, or name workloads that can: `fsarena list workloads`".to_owned())
            }
            Self::OneCache { .. } => {
                Some("leave out --cache, or name workloads that read: `fsarena list workloads`".to_owned())
            }
            Self::Fio(error) => error.hint(),
            Self::NoShell { shell, .. } => Some(format!("apt-get install {shell}")),
            Self::NoProgram { program, .. } => Some(format!("apt-get install {program}")),
            Self::Io { .. } | Self::Script { .. } | Self::Program { .. } | Self::Worker(_) | Self::Abandoned => None,
        }
    }
}
