//! Makes foreign text harmless. Paths, labels, workloads from files and the output of programs can contain characters
//! that control a terminal or change the order of the letters around them. They are shown as escapes, such as `\u{1b}`.
//!
//! Each format calls this in the one place where it outputs text.

use std::borrow::Cow;

use crate::joined;

/// Whether `c` is a control character, a line end, or changes the direction of text (Unicode Standard Annex #9).
pub fn is_ruling(c: char) -> bool {
    let is_formatting = matches!(c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    c.is_control() || is_formatting
}

/// `text` on one line, with each such character as an escape.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_ruling)
}

/// Like [`visible`], but line ends stay: for text that is already laid out in lines.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\n' && is_ruling(c))
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let show = |c: char| if is_escaped(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(show).collect())
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

/// These words as a line that a POSIX shell takes.
pub fn shell_line(words: &[String]) -> String {
    joined(words.iter().map(|word| shell(word)), " ")
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
    fn control_and_direction_characters_are_shown_as_escapes() {
        assert_eq!(visible("a\u{1b}[31m\u{9b}0m\u{7}\n\u{202e}b"), r"a\u{1b}[31m\u{9b}0m\u{7}\n\u{202e}b");
        assert_eq!(visible_lines("a\n\rb\u{2028}"), "a\n\\rb\\u{2028}");
        assert_eq!(visible("µs ± 1 %, 文件, שלום"), "µs ± 1 %, 文件, שלום");
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(shell("btrfs:compress=zstd"), "btrfs:compress=zstd");
        assert_eq!(shell("dir:/mnt/my disk"), "'dir:/mnt/my disk'");
        assert_eq!(shell("it's"), r"'it'\''s'");
        assert_eq!(shell("dir:/it's\u{1b}a\n"), r"$'dir:/it\'s\x1ba\x0a'");
    }
}
