//! Colour for a terminal. It only repeats what the words say.

use fsarena_model::Verdict;

use crate::visible::visible_lines;

/// The role of a text, which determines its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Normal text.
    Plain,
    /// A heading.
    Strong,
    /// Text for few readers.
    Faint,
    /// A difference was shown.
    Decided,
    /// A tie was shown.
    Even,
    /// Nothing was shown.
    Open,
    /// Something went wrong.
    Bad,
}

impl From<Option<Verdict>> for Tone {
    fn from(verdict: Option<Verdict>) -> Self {
        match verdict {
            None => Self::Plain,
            Some(Verdict::Faster | Verdict::Slower) => Self::Decided,
            Some(Verdict::Equivalent) => Self::Even,
            Some(Verdict::Undecided) => Self::Open,
            Some(Verdict::Invalid) => Self::Bad,
        }
    }
}

/// The parameters of ECMA-48 "select graphic rendition".
fn rendition(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Plain => None,
        Tone::Strong => Some("1"),
        Tone::Faint => Some("2"),
        Tone::Decided => Some("32"),
        Tone::Even => Some("36"),
        Tone::Open => Some("33"),
        Tone::Bad => Some("31"),
    }
}

/// `text` in its tone, each line separately, if `color` is set. It has no other escape sequences.
pub fn painted(text: &str, tone: Tone, color: bool) -> String {
    let text = visible_lines(text);
    match rendition(tone).filter(|_| color) {
        Some(code) => text.lines().map(|line| format!("\x1b[{code}m{line}\x1b[0m")).collect::<Vec<_>>().join("\n"),
        None => text.into_owned(),
    }
}
