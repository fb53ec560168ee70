//! What can go wrong with fio and its job files.

use fsarena_model::{Blame, Explained};

/// What can go wrong with fio and its job files.
#[derive(Debug, thiserror::Error)]
pub enum FioError {
    /// A job file cannot be read.
    #[error("read `{file}`: {source}")]
    Read {
        /// The file.
        file: String,
        /// Why.
        source: std::io::Error,
    },
    /// A job file says something that is not allowed, or that makes no sense.
    #[error("`{file}`, line {line}: {what}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
        /// The way out.
        hint: String,
    },
    /// A job file that makes no sense to fio, in its words.
    #[error("`{file}`: {words}")]
    NotUnderstood {
        /// The file.
        file: String,
        /// fio's words, with the line where it is known.
        words: String,
    },
    /// A workload has something that fio does not.
    #[error("workload `{workload}`: fio cannot {what}")]
    Cannot {
        /// The workload.
        workload: String,
        /// What it cannot.
        what: String,
    },
    /// The program is not there.
    #[error("{wanted_by} needs the program `fio`, which is not installed")]
    Missing {
        /// A workload or a file.
        wanted_by: String,
    },
    /// The program ended with an error, in its words.
    #[error("fio: {0}")]
    Failed(String),
}

impl Explained for FioError {
    fn blame(&self) -> Blame {
        match self {
            Self::Missing { .. } => Blame::Machine,
            Self::Failed(_) => Blame::Trial,
            _ => Blame::Use,
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
