//! The command that repeats a run, as far as the comparison tells it.

use fsarena_model::Comparison;
use fsarena_model::comparison::ContenderRow;
use serde::Serialize;

use crate::number;

/// How to run it again.
#[derive(Serialize)]
pub struct Repeat {
    command: String,
    /// Contenders whose options the command does not say.
    incomplete: String,
    plan_hash: String,
}

/// The command for the same schedule, offsets, names and bytes.
pub fn repeat(comparison: &Comparison) -> Repeat {
    let contenders = comparison.contenders.iter().map(argument);
    let work = match &comparison.suite {
        Some(suite) => vec![format!("--suite {}", shell(suite))],
        None => comparison.workloads.iter().map(|row| format!("--workload {}", shell(&row.name))).collect(),
    };
    let margin = number::percent(comparison.margin).replace(' ', "");
    let rest = [
        format!("--rounds {}", comparison.rounds),
        format!("--margin {margin}"),
        format!("--seed {}", shell(&comparison.seed)),
    ];
    let parts: Vec<_> = ["fsarena compare".to_owned()].into_iter().chain(contenders).chain(work).chain(rest).collect();
    let incomplete = comparison.contenders.iter().filter(|row| !is_as_typed(row)).map(|row| &row.label);
    Repeat {
        command: parts.join(" "),
        incomplete: crate::remark::listed(incomplete),
        plan_hash: comparison.plan_hash.clone(),
    }
}

/// The default label is the argument itself; another one hides it.
fn is_as_typed(row: &ContenderRow) -> bool {
    row.label.0.strip_prefix(&row.kind).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

fn argument(row: &ContenderRow) -> String {
    match is_as_typed(row) {
        true => shell(&row.label.0),
        false => shell(&format!("{}={}", row.label, row.kind)),
    }
}

/// `text` as one word of a POSIX shell.
pub fn shell(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-:=,/+@%^".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(shell("btrfs:compress=zstd"), "btrfs:compress=zstd");
        assert_eq!(shell("dir:/mnt/my disk"), "'dir:/mnt/my disk'");
        assert_eq!(shell("it's"), r"'it'\''s'");
    }
}
