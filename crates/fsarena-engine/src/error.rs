//! The errors of workloads.

use std::io;

use fsarena_model::plan::how_to_install;
use fsarena_model::{ErrorCategory, Explained, Workload};

/// An error of a workload. Its message says what its fields are.
#[allow(missing_docs, reason = "the messages say what the fields are")]
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("workload `{workload}`: there is no engine `{engine}`")]
    Unknown { workload: String, engine: String, engines: Vec<&'static str> },
    #[error("workload `{workload}`: parameters: {what}")]
    Parameters { workload: String, what: String },
    #[error("workload `{workload}`: the engine `{engine}` cannot keep a rate")]
    NotPaced { workload: String, engine: String },
    /// The workload has no variant with another cache state.
    #[error("workload `{workload}`: {why}")]
    OneCache { workload: String, why: &'static str },
    /// A worker process failed, with its message.
    #[error("{0}")]
    Worker(String),
    /// Another worker failed before all workers were ready. The error of that worker has the reason.
    #[error("another worker failed")]
    Abandoned,
    /// An error of a job file of fio.
    #[error(transparent)]
    Fio(#[from] crate::fio::FioError),
    /// A script or command of the workload, such as "the cleanup `rm x`", failed, with its message.
    #[error("{script} ended with {status}{}", after_colon(words))]
    Script { script: String, status: std::process::ExitStatus, words: String },
    #[error(
        "forget what is in memory of `{file}`: {left} of {pages} pages stay, so that it would not be read from its device"
    )]
    StaysInMemory { file: String, left: u64, pages: u64 },
    #[error(
        "workload `{workload}`: the engine `{engine}` makes system calls, which no library answers: `{library}` cannot do it"
    )]
    NoLibrary { workload: String, engine: String, library: &'static str },
    #[error(
        "workload `{workload}` keeps {files} files and directories at a time: with more than {most} `{library}` damages them, or never ends"
    )]
    TooManyFiles { workload: String, files: u64, library: &'static str, most: u64 },
    /// The kernel or a library refused a step of a sequence, or the step found something other than expected.
    #[error("step `{step}`: {what}")]
    Step { step: String, what: Box<dyn std::error::Error + Send + Sync> },
    #[error("the workload `{workload}` needs the program `{program}`, which {}", lack.words())]
    NoProgram { workload: String, program: &'static str, package: &'static str, lack: Lack },
    /// A program that runs along with the work, such as a server, did not start, has ended or does not end.
    #[error("{program} {what}{}", end_of(log))]
    Server { program: &'static str, what: String, log: String },
    /// The work left a result other than the expected one.
    #[error("{0}")]
    Wrong(String),
    /// A program that does a workload failed, with its message.
    #[error("{program}: {words}")]
    Program { program: &'static str, words: String },
    /// The file system returned an error.
    #[error("{act}: {source}")]
    Io { act: String, source: io::Error },
}

/// Why a program cannot be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// It is in no folder of the search path.
    Package,
    /// There is no file at its path.
    File,
    /// The file at its path may not be executed.
    Permission,
}

impl Lack {
    fn words(self) -> &'static str {
        match self {
            Self::Package => "is not installed",
            Self::File => "is no file",
            Self::Permission => "is not executable",
        }
    }
}

impl EngineError {
    /// The errors of which it consists, if it has several of a job file.
    pub fn apart(self) -> Vec<Self> {
        match self {
            Self::Fio(error) => error.apart().into_iter().map(Self::Fio).collect(),
            one => vec![one],
        }
    }

    /// Makes an [`EngineError::Io`], for `map_err` on the errors of rustix and of the standard library. It converts
    /// `act` only if there is an error, so that inner loops can use it.
    pub fn io<E: Into<io::Error>>(act: impl Into<String>) -> impl FnOnce(E) -> Self {
        move |error| Self::Io { act: act.into(), source: error.into() }
    }

    /// For an engine that makes system calls.
    pub fn no_library(workload: &Workload, library: &'static str) -> Self {
        let (engine, workload) = (workload.engine.clone(), workload.name.to_string());
        Self::NoLibrary { workload, engine, library }
    }

    /// For `map_err`: the error of `program` with these words.
    pub fn program(program: &'static str) -> impl Fn(String) -> Self {
        move |words| Self::Program { program, words }
    }

    /// An [`EngineError::Parameters`].
    pub fn parameters(workload: &str, what: impl ToString) -> Self {
        Self::Parameters { workload: workload.to_owned(), what: what.to_string() }
    }
}

fn after_colon(words: &str) -> String {
    if words.is_empty() { " and wrote nothing".to_owned() } else { format!(": {words}") }
}

/// The end of a log, as the end of a sentence.
fn end_of(log: &str) -> String {
    if log.is_empty() { "; it wrote nothing".to_owned() } else { format!("; its log ends with\n{log}") }
}

impl Explained for EngineError {
    fn category(&self) -> ErrorCategory {
        match self {
            Self::Fio(error) => error.category(),
            Self::Unknown { .. }
            | Self::Parameters { .. }
            | Self::NotPaced { .. }
            | Self::OneCache { .. }
            | Self::NoLibrary { .. }
            | Self::TooManyFiles { .. } => ErrorCategory::Use,
            Self::NoProgram { .. } => ErrorCategory::Machine,
            _ => ErrorCategory::Trial,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unknown { engines, .. } => format!("the engines are {}", engines.join(", ")),
            Self::Parameters { .. } => "docs/guides/add-a-workload.md has the parameters".to_owned(),
            Self::NotPaced { .. } => {
                "leave out --rate, or name workloads that can: `fsarena list workloads`".to_owned()
            }
            Self::OneCache { .. } => {
                "leave out --cache, or name workloads that read: `fsarena list workloads`".to_owned()
            }
            Self::Fio(error) => return error.hint(),
            Self::StaysInMemory { .. } => "a file system in memory has no cold files: leave it out of this".to_owned(),
            Self::NoLibrary { .. } | Self::TooManyFiles { .. } => {
                "give libraries workloads of the engine `sequence`, such as --workload axvisor".to_owned()
            }
            Self::NoProgram { lack: Lack::File, .. } => "correct its path".to_owned(),
            Self::NoProgram { lack: Lack::Permission, program, .. } => {
                format!("chmod +x {program}, or write the program that runs it in front: sh {program}")
            }
            Self::NoProgram { package: "", .. } => {
                "install it, or name it by its path; a built-in of a shell needs the shell: sh -c '…'".to_owned()
            }
            Self::NoProgram { package, .. } if package.starts_with("https://") => how_to_install(&[package]),
            Self::NoProgram { package, .. } => {
                format!("apt-get install {package}; `make apps` installs those of all suites and starts no service")
            }
            _ => return None,
        })
    }
}
