//! Error messages and exit codes.

use std::process::ExitCode;

use fsarena_articles::ArticleError;
use fsarena_model::{ErrorCategory, Explained};
use fsarena_place::{Refusals, code, note, note::tell, words};
use fsarena_store::StoreError;

/// The outcome of a command that did not fail. Of several outcomes the last one here counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// No failure; undecided pairs are not failures.
    Well,
    /// A regression holds.
    WithRegression,
    /// A trial did not finish, or a check found damage.
    WithFailures,
    /// A signal stopped the run.
    Interrupted,
}

impl From<Ended> for ExitCode {
    fn from(ended: Ended) -> Self {
        Self::from(match ended {
            Ended::Well => 0,
            Ended::WithRegression => 1,
            Ended::WithFailures => 3,
            Ended::Interrupted => 130,
        })
    }
}

/// Handles clap's result: a usage error, or the help text that the user asked for.
pub fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    // Not printed by clap, which does not escape control characters in arguments.
    tell(&error.render().to_string());
    ExitCode::from(2)
}

/// Prints an error once, with its hint, or several of them, and returns the exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    let several = error.downcast_ref().map_or(std::slice::from_ref(error), Refusals::all);
    for error in several {
        note!("error: {}", words(error));
        if let Some(hint) = explain(error).1 {
            note!("hint: {hint}");
        }
    }
    ExitCode::from(code(explain(error).0))
}

/// The kind of an error and its hint. An error of unknown type counts as the machine's.
pub fn explain(error: &anyhow::Error) -> (ErrorCategory, Option<String>) {
    let of_article = |error: &ArticleError| (error.category(), error.hint());
    let own = error.downcast_ref().map(of_store).or_else(|| error.downcast_ref().map(of_article));
    own.unwrap_or_else(|| fsarena_place::explain(error))
}

fn of_store(error: &StoreError) -> (ErrorCategory, Option<String>) {
    let is_use = matches!(error, StoreError::NoSuchRun { .. } | StoreError::Missing { .. } | StoreError::Unsafe { .. });
    (if is_use { ErrorCategory::Use } else { ErrorCategory::Machine }, error.hint())
}
