//! What can go wrong in a workload.

use std::io;

use fsarena_library::Library;
use fsarena_model::{Blame, Explained, Workload};

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
        /// All that there are.
        engines: Vec<&'static str>,
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
    /// A file cannot be made cold.
    #[error(
        "forget what is in memory of `{file}`: {left} of {pages} pages stay, so that it would not be read from its device"
    )]
    StaysInMemory {
        /// The file.
        file: String,
        /// Pages that stay.
        left: u64,
        /// Pages that it has.
        pages: u64,
    },
    /// The engine makes system calls.
    #[error(
        "workload `{workload}`: the engine `{engine}` makes system calls, which no library answers: `{library}` cannot do it"
    )]
    NoLibrary {
        /// The workload.
        workload: String,
        /// Its engine.
        engine: String,
        /// The library that was to do it.
        library: &'static str,
    },
    /// A library damages its file system with so many files.
    #[error(
        "workload `{workload}` keeps {files} files and directories at a time: with more than {most} `{library}` damages them, or never ends"
    )]
    TooManyFiles {
        /// The workload.
        workload: String,
        /// Its files and directories.
        files: u64,
        /// The library.
        library: &'static str,
        /// What it can keep.
        most: u64,
    },
    /// A step of a sequence was refused, by the kernel or by a library.
    #[error("step `{step}`: {source}")]
    Step {
        /// The step.
        step: String,
        /// Why.
        source: fsarena_library::LibraryError,
    },
    /// A step of a sequence found something else than what was there.
    #[error("step `{step}`: {what}")]
    Found {
        /// The step.
        step: String,
        /// What it found.
        what: String,
    },
    /// The program that does a workload is not there.
    #[error("the workload `{workload}` needs the program `{program}`, which is not installed")]
    NoProgram {
        /// The workload.
        workload: String,
        /// The program.
        program: &'static str,
        /// Debian's package that has it.
        package: &'static str,
    },
    /// A program that was to run beside the work, such as a server, did not start, has ended or cannot be ended.
    #[error("{program} {what}{}", said(log))]
    Server {
        /// The program.
        program: &'static str,
        /// What it did.
        what: String,
        /// The last lines of its log.
        log: String,
    },
    /// The work left something else than it should have.
    #[error("{0}")]
    Wrong(String),
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

/// The end of a log, as the end of a sentence.
fn said(log: &str) -> String {
    if log.is_empty() { "; it has said nothing".to_owned() } else { format!("; its log ends with\n{log}") }
}

impl EngineError {
    /// An [`EngineError::Io`], for `map_err` on rustix' and the standard library's errors alike.
    /// Nothing is allocated before there is an error: inner loops use it, too.
    pub fn io<E: Into<io::Error>>(act: impl Into<String>) -> impl FnOnce(E) -> Self {
        move |error| Self::Io { act: act.into(), source: error.into() }
    }

    /// An [`EngineError::NoLibrary`].
    pub(crate) fn no_library(workload: &Workload, library: Library) -> Self {
        let (engine, workload) = (workload.engine.clone(), workload.name.to_string());
        Self::NoLibrary { workload, engine, library: library.name() }
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
            Self::Io { .. }
            | Self::Script { .. }
            | Self::Program { .. }
            | Self::Server { .. }
            | Self::Wrong(_)
            | Self::Worker(_)
            | Self::Abandoned => Blame::Trial,
            Self::StaysInMemory { .. } | Self::Step { .. } | Self::Found { .. } => Blame::Trial,
            Self::NoShell { .. } | Self::NoProgram { .. } => Blame::Machine,
            _ => Blame::Use,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { engines, .. } => Some(format!("the engines are {}", engines.join(", "))),
            Self::Parameters { .. } => Some("docs/guides/add-a-workload.md has the parameters".to_owned()),
            Self::NotPaced { .. } => {
                Some("leave out --rate, or name workloads that can: `fsarena list workloads`".to_owned())
            }
            Self::OneCache { .. } => {
                Some("leave out --cache, or name workloads that read: `fsarena list workloads`".to_owned())
            }
            Self::Fio(error) => error.hint(),
            Self::StaysInMemory { .. } => {
                Some("a file system in memory has no cold files: leave it out of this".to_owned())
            }
            Self::NoShell { shell, .. } => Some(format!("apt-get install {shell}")),
            Self::NoLibrary { .. } | Self::TooManyFiles { .. } => {
                Some("give libraries workloads of the engine `sequence`, such as --workload axvisor".to_owned())
            }
            Self::NoProgram { package, .. } => Some(format!(
                "apt-get install {package}; `make apps` installs those of all suites and starts no service"
            )),
            Self::Io { .. }
            | Self::Script { .. }
            | Self::Program { .. }
            | Self::Server { .. }
            | Self::Wrong(_)
            | Self::Worker(_)
            | Self::Abandoned => None,
            Self::Step { .. } | Self::Found { .. } => None,
        }
    }
}
