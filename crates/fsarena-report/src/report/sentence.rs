//! Texts whose phrases have roles.

use std::fmt;

use fsarena_model::{Severity, Verdict};
use serde::Serialize;

/// A piece of text with its role.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Phrase {
    /// The text.
    pub text: String,
    /// Its role.
    pub role: Role,
    /// What it means, for a reader who points at it; empty if there is nothing to explain.
    pub explanation: &'static str,
}

/// The role of a phrase. Colour only repeats what the text says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", content = "value", rename_all = "kebab-case")]
pub enum Role {
    /// Normal text.
    Plain,
    /// A heading within a line.
    Strong,
    /// Text for a machine.
    Code,
    /// The interval of the figure before it; left out of a table that would be too wide for a terminal.
    Interval,
    /// Text for few readers.
    Faint,
    /// Small print, which only a page shows; the other formats have footnotes or lines of their own.
    Aside,
    /// What one contender of a pair guarantees and the other does not; an aside too.
    Guarantee,
    /// A class of validity.
    Flag,
    /// A share with its name.
    Share,
    /// A contender that none is proved to beat.
    Leader,
    /// The severity of a note.
    Severity(Severity),
    /// A verdict.
    Verdict(Shade),
    /// An example of the colour of a verdict.
    Key(Shade),
    /// The name of a section of a page.
    Link(String),
    /// The address of another page.
    Page(String),
}

/// A verdict, or what follows from all verdicts on a contender, as it is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shade {
    /// The first of a pair is faster.
    Faster,
    /// The second of a pair is faster.
    Slower,
    /// A tie is shown.
    Equivalent,
    /// Nothing is shown.
    Undecided,
    /// Nothing is shown, but the pair's own interval excludes 1.
    Leaning,
    /// The figures cannot be compared.
    Invalid,
    /// Faster than another contender, and slower than none.
    Best,
    /// Faster than one and slower than another.
    Between,
    /// Slower than another contender, and faster than none.
    Worst,
}

/// Its name in JSON.
impl fmt::Display for Shade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl From<Verdict> for Shade {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Faster => Self::Faster,
            Verdict::Slower => Self::Slower,
            Verdict::Equivalent => Self::Equivalent,
            Verdict::Undecided => Self::Undecided,
            Verdict::Invalid => Self::Invalid,
        }
    }
}

/// A text of one or several phrases.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Sentence(pub Vec<Phrase>);

impl Sentence {
    /// A text of one phrase.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self::default().and(role, text)
    }

    /// The text with another phrase. An empty phrase is left out.
    pub fn and(self, role: Role, text: impl Into<String>) -> Self {
        self.and_explained(role, text, "")
    }

    /// The text with another phrase and its explanation.
    pub fn and_explained(mut self, role: Role, text: impl Into<String>, explanation: &'static str) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.0.push(Phrase { text, role, explanation });
        }
        self
    }

    /// The words without their roles, and without asides.
    pub fn words(&self) -> String {
        let is_shown = |phrase: &&Phrase| !matches!(phrase.role, Role::Aside | Role::Guarantee);
        self.0.iter().filter(is_shown).map(|phrase| phrase.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

impl<T: Into<String>> From<T> for Sentence {
    fn from(text: T) -> Self {
        Self::new(Role::Plain, text)
    }
}
