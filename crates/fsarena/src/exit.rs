//! Error messages and exit codes.

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use fsarena_articles::ArticleError;
use fsarena_model::visible::shell;
use fsarena_model::{Contender, ErrorCategory, Explained};
use fsarena_place::{Refusals, code, note, note::tell, words};
use fsarena_store::StoreError;
use fsarena_sys::child;

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
pub fn usage(mut error: clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let of_mkfs = of_mkfs(&error);
    if of_mkfs.is_some() {
        error.remove(ContextKind::Suggested);
    }
    // Not printed by clap, which does not escape control characters in arguments.
    tell(&error.render().to_string().replace("invalid digit found in string", "it is no whole number"));
    if let Some(word) = of_mkfs {
        note!("hint: a contender and the options of its mkfs are one word: {word}");
    }
    ExitCode::from(2)
}

/// The word that is meant if an unknown short option follows a contender, as in `ext4 -O ^has_journal` without quotes.
fn of_mkfs(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else { return None };
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let kind = |word: &String| fsarena_lane::kind(&word.parse::<Contender>().ok()?.kind);
    let place = words.iter().position(|word| word.starts_with(option.as_str()))?;
    let before = words[..place].last()?;
    kind(before).filter(|kind| kind.ground.has_lane() && !option.starts_with("--"))?;
    let value = words.get(place + 1).filter(|word| !word.starts_with('-') && kind(word).is_none());
    let meant = [Some(before), words.get(place), value].into_iter().flatten().cloned().collect::<Vec<_>>();
    Some(shell(&meant.join(" ")))
}

/// Prints an error once, with its hint, or several of them, and returns the exit code. What fails because a signal has
/// stopped it is an interruption.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if child::has_given_up() {
        note!("interrupted");
        return Ended::Interrupted.into();
    }
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
    let is_use = matches!(
        error,
        StoreError::NoSuchRun { .. }
            | StoreError::Missing { .. }
            | StoreError::NoFile { .. }
            | StoreError::Unsafe { .. }
    );
    (if is_use { ErrorCategory::Use } else { ErrorCategory::Machine }, error.hint())
}
