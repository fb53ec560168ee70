//! The command that repeats a run.

use fsarena_model::Comparison;
use serde::Serialize;

use crate::visible::shell;

/// How to repeat the run.
#[derive(Serialize)]
pub struct Repeat {
    command: String,
    plan_hash: String,
}

/// The command for the same schedule, offsets, names and bytes.
pub fn repeat(comparison: &Comparison) -> Repeat {
    let words: Vec<String> = comparison.command.iter().map(|word| shell(word)).collect();
    Repeat { command: words.join(" "), plan_hash: comparison.plan_hash.clone() }
}
