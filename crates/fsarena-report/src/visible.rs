//! Texts of others made harmless: paths, labels, workloads from files, and what programs print can hold characters that
//! rule a terminal or turn the order of letters around them. They are shown as their escape, such as `\u{1b}`.
//!
//! Each format calls this in the one place where its text leaves.

use std::borrow::Cow;

/// Control characters, ends of lines, and what changes the direction of text (Unicode Standard Annex #9).
pub fn is_ruling(c: char) -> bool {
    let is_formatting = matches!(c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    c.is_control() || is_formatting
}

/// `text` on one line, with every ruling character as its escape.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, is_ruling)
}

/// As [`visible`], but the ends of lines stay: for text that was laid out in lines already.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rules_a_terminal_or_the_order_of_letters_is_shown() {
        assert_eq!(visible("a\u{1b}[31m\u{9b}0m\u{7}\n\u{202e}b"), r"a\u{1b}[31m\u{9b}0m\u{7}\n\u{202e}b");
        assert_eq!(visible_lines("a\n\rb\u{2028}"), "a\n\\rb\\u{2028}");
        assert_eq!(visible("µs ± 1 %, 文件, שלום"), "µs ± 1 %, 文件, שלום");
    }
}
