//! Error messages and exit codes.

use std::process::ExitCode;

use fsarena_model::{ErrorCategory, Explained};
use fsarena_store::StoreError;

use crate::note::{note, tell};

/// The outcome of a command that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// An error of the binary itself, with a hint.
#[derive(Debug)]
pub struct Refusal {
    text: String,
    category: ErrorCategory,
    hint: Option<String>,
}

impl Refusal {
    /// The call is wrong: exit code 2.
    pub fn wrong_use(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { text: text.into(), category: ErrorCategory::Use, hint: Some(hint.into()) }
    }

    /// The failure of an agent.
    pub fn of_agent(text: String, hint: Option<String>, category: ErrorCategory) -> Self {
        Self { text, category, hint }
    }

    /// Something that was tried did not work: exit code 3.
    pub fn trial(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { text: text.into(), category: ErrorCategory::Trial, hint: Some(hint.into()) }
    }

    /// This machine lacks something: exit code 4.
    pub fn machine(text: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { text: text.into(), category: ErrorCategory::Machine, hint: Some(hint.into()) }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Refusal {}

impl Explained for Refusal {
    fn category(&self) -> ErrorCategory {
        self.category
    }

    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}

/// Reasons not to begin that were found together, so that a user sees all of them at once. Each is kept once.
#[derive(Debug, Default)]
pub struct Refusals(Vec<anyhow::Error>);

impl Refusals {
    /// The value of a result; its error, or each of its errors, is kept.
    pub fn take<T>(&mut self, result: Result<T, impl Into<anyhow::Error>>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    /// Adds an error, or each of its errors.
    pub fn add(&mut self, error: impl Into<anyhow::Error>) {
        let found = match error.into().downcast::<Self>() {
            Ok(Self(several)) => several,
            Err(error) => vec![error],
        };
        for error in found {
            if !self.0.iter().any(|known| words(known) == words(&error)) {
                self.0.push(error);
            }
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Ends the collection.
    ///
    /// # Errors
    /// The only one, or all of them.
    pub fn end(mut self) -> Result<(), anyhow::Error> {
        match self.0.len() {
            0 => Ok(()),
            1 => Err(self.0.remove(0)),
            _ => Err(self.into()),
        }
    }
}

/// One after the other, each with its hint.
impl std::fmt::Display for Refusals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = |error: &anyhow::Error| match explain(error).1 {
            Some(hint) => format!("{} ({hint})", words(error)),
            None => words(error),
        };
        f.write_str(&self.0.iter().map(text).collect::<Vec<_>>().join("; "))
    }
}

impl std::error::Error for Refusals {}

/// Wrong arguments come first: after they are corrected, what this machine lacks may not be needed.
impl Explained for Refusals {
    fn category(&self) -> ErrorCategory {
        let categories = self.0.iter().map(|error| explain(error).0);
        categories.min_by_key(|category| code(*category)).unwrap_or(ErrorCategory::Machine)
    }

    fn hint(&self) -> Option<String> {
        None
    }
}

/// The connection ended before the run did.
#[derive(Debug, thiserror::Error)]
#[error("`{name}` ended without a result")]
pub struct Lost {
    /// What started the agent.
    pub name: String,
    /// Whether the run had begun.
    pub has_begun: bool,
}

impl Explained for Lost {
    fn category(&self) -> ErrorCategory {
        ErrorCategory::Machine
    }

    fn hint(&self) -> Option<String> {
        let hint = match self.has_begun {
            true => "what was measured before is kept: `fsarena runs` lists it",
            false => "try the command alone: it has to print the version of fsarena and wait",
        };
        Some(hint.to_owned())
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
    let several = error.downcast_ref().map_or(std::slice::from_ref(error), |Refusals(several)| several);
    for error in several {
        note!("error: {}", words(error));
        if let Some(hint) = explain(error).1 {
            note!("hint: {hint}");
        }
    }
    ExitCode::from(code(explain(error).0))
}

/// The exit code of a failure.
pub fn code(category: ErrorCategory) -> u8 {
    match category {
        ErrorCategory::Use => 2,
        ErrorCategory::Trial => 3,
        ErrorCategory::Machine => 4,
    }
}

/// The error and its causes; a cause is left out if the text before it already contains it.
pub fn words(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| match text.as_str() {
        "" => cause,
        _ if text.contains(&cause) => text,
        _ => format!("{text}: {cause}"),
    })
}

/// The kind of an error and its hint. An error of unknown type counts as the machine's.
pub fn explain(error: &anyhow::Error) -> (ErrorCategory, Option<String>) {
    fn of<E: Explained + std::error::Error + Send + Sync + 'static>(
        error: &anyhow::Error,
    ) -> Option<(ErrorCategory, Option<String>)> {
        error.downcast_ref::<E>().map(|error| (error.category(), error.hint()))
    }
    of::<Refusal>(error)
        .or_else(|| of::<Refusals>(error))
        .or_else(|| of::<fsarena_catalog::CatalogError>(error))
        .or_else(|| of::<fsarena_articles::ArticleError>(error))
        .or_else(|| of::<fsarena_lane::LaneError>(error))
        .or_else(|| of::<fsarena_guest::GuestError>(error))
        .or_else(|| of::<Lost>(error))
        .or_else(|| of::<fsarena_engine::EngineError>(error))
        .or_else(|| of::<fsarena_execute::RunError>(error))
        .or_else(|| error.downcast_ref::<StoreError>().map(of_store))
        .unwrap_or((ErrorCategory::Machine, None))
}

fn of_store(error: &StoreError) -> (ErrorCategory, Option<String>) {
    let is_use = matches!(error, StoreError::NoSuchRun { .. } | StoreError::Missing { .. } | StoreError::Unsafe { .. });
    (if is_use { ErrorCategory::Use } else { ErrorCategory::Machine }, error.hint())
}
