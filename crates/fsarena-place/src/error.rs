//! Errors, and their kinds and hints.

pub use fsarena_execute::Refusal;
use fsarena_model::{ErrorCategory, Explained};

/// Reasons not to begin that were found together, so that a user sees all of them at once. Each is kept once.
#[derive(Debug, Default, thiserror::Error)]
#[error("{}", in_a_row(.0))]
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

    /// Adds a refusal unless something is as it has to be.
    pub fn require(&mut self, is_good: bool, refusal: impl FnOnce() -> Refusal) {
        if !is_good {
            self.add(refusal());
        }
    }

    /// All of them.
    pub fn all(&self) -> &[anyhow::Error] {
        &self.0
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
fn in_a_row(errors: &[anyhow::Error]) -> String {
    let text = |error: &anyhow::Error| match explain(error).1 {
        Some(hint) => format!("{} ({hint})", words(error)),
        None => words(error),
    };
    errors.iter().map(text).collect::<Vec<_>>().join("; ")
}

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
#[error("{name} ended without a result")]
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
        .or_else(|| of::<fsarena_model::MatrixError>(error))
        .or_else(|| of::<fsarena_lane::LaneError>(error))
        .or_else(|| of::<fsarena_guest::GuestError>(error))
        .or_else(|| of::<Lost>(error))
        .or_else(|| of::<fsarena_engine::EngineError>(error))
        .or_else(|| of::<fsarena_execute::RunError>(error))
        .unwrap_or((ErrorCategory::Machine, None))
}
