//! Errors that end a whole run, as opposed to a part of it.

use fsarena_engine::EngineError;
use fsarena_lane::LaneError;
use fsarena_model::{ErrorCategory, Explained};

use crate::Refusal;

/// An error that ends a run.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum RunError {
    /// A contender could not be made before anything was measured.
    #[error("contender `{contender}`: {error}")]
    Contender { contender: String, error: Refusal },
    /// The machine failed before anything was measured.
    #[error(transparent)]
    Lane(#[from] LaneError),
    /// A workload cannot run as it is defined.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The [`Listener`](crate::Listener) could not store an event.
    #[error("{0}")]
    Listener(String),
    /// A stored run cannot continue: the machine or a contender has changed.
    #[error("further rounds would not be comparable: {0}")]
    Unlike(String),
    /// The budget is too short for one round.
    #[error("a budget of {budget} is too short: the first round takes about {round}, with what is made before it")]
    Budget { budget: fsarena_model::Nanos, round: fsarena_model::Nanos },
}

impl Explained for RunError {
    fn category(&self) -> ErrorCategory {
        match self {
            Self::Contender { error, .. } => error.category,
            Self::Lane(error) => error.category(),
            Self::Engine(error) => error.category(),
            Self::Listener(_) | Self::Unlike(_) => ErrorCategory::Machine,
            Self::Budget { .. } => ErrorCategory::Use,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Contender { error, .. } => error.hint.clone(),
            Self::Lane(error) => error.hint(),
            Self::Engine(error) => error.hint(),
            Self::Listener(_) => Some(
                "what was stored before is kept; `fsarena runs` lists it, `fsarena resume RUN` continues it".to_owned(),
            ),
            Self::Unlike(_) => None,
            Self::Budget { round, .. } => {
                let seconds = round.as_seconds().ceil();
                let time =
                    if seconds < 120.0 { format!("{seconds}s") } else { format!("{}m", (seconds / 60.0).ceil()) };
                Some(format!("--budget {time} has room for one round"))
            }
        }
    }
}
