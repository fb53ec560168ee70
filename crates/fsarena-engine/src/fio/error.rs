//! The errors of fio and of its job files.

use fsarena_model::{ErrorCategory, Explained};

/// An error of fio or of one of its job files.
#[derive(Debug, thiserror::Error)]
pub enum FioError {
    /// A job file cannot be read.
    #[error("read `{file}`: {source}")]
    Read {
        /// The file.
        file: String,
        /// The reason.
        source: std::io::Error,
    },
    /// A line of a job file is not allowed, or makes no sense.
    #[error("`{file}`, line {line}: {what}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The problem.
        what: String,
        /// How to solve it.
        hint: String,
    },
    /// fio does not accept a job file, with its message.
    #[error("`{file}`: {words}")]
    NotUnderstood {
        /// The file.
        file: String,
        /// The message of fio, with the line if it is known.
        words: String,
    },
    /// A workload needs something that fio does not support.
    #[error("workload `{workload}`: fio cannot {what}")]
    Cannot {
        /// The workload.
        workload: String,
        /// What fio cannot do, as the end of a sentence.
        what: String,
    },
    /// The program is not installed.
    #[error("{wanted_by} needs the program `fio`, which is not installed")]
    Missing {
        /// A workload or a file.
        wanted_by: String,
    },
    /// The program failed, with its message.
    #[error("fio: {0}")]
    Failed(String),
}

impl Explained for FioError {
    fn category(&self) -> ErrorCategory {
        match self {
            Self::Missing { .. } => ErrorCategory::Machine,
            Self::Failed(_) => ErrorCategory::Trial,
            _ => ErrorCategory::Use,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Read { .. } | Self::Failed(_) => return None,
            Self::Line { hint, .. } => hint.clone(),
            Self::NotUnderstood { .. } => "`fio --cmdhelp=all` lists the options that fio knows".to_owned(),
            Self::Cannot { .. } => "run it natively (--engine native), or name others with --workload".to_owned(),
            Self::Missing { .. } => "apt-get install fio".to_owned(),
        })
    }
}
