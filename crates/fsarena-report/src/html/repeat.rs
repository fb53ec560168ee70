//! The command that repeats a run.

use fsarena_model::Comparison;
use serde::Serialize;

/// How to run it again.
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
