//! The command that repeats a run.

use fsarena_model::Comparison;
use serde::Serialize;

use crate::visible::is_ruling;

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

/// `text` as one word of a POSIX shell. Control characters become their bytes (dollar-single-quotes, POSIX.1-2024).
pub fn shell(text: &str) -> String {
    if text.contains(is_ruling) {
        return format!("$'{}'", text.chars().map(quoted).collect::<String>());
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-:=,/+@%^".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

fn quoted(c: char) -> String {
    match c {
        '\'' | '\\' => format!("\\{c}"),
        _ if is_ruling(c) => c.to_string().bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
        _ => c.to_string(),
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
        assert_eq!(shell("dir:/it's\u{1b}a\n"), r"$'dir:/it\'s\x1ba\x0a'");
    }
}
