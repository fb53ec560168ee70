//! The page of `fsarena doctor`: sections of lines, each with a word for its state.

use std::fmt::Write;

use serde_json::{Value, json};

/// Maximum line length, however wide the terminal is.
const WIDEST: usize = 120;
const NARROWEST: usize = 60;

/// A longer subject gets a row of its own, so that it does not shift all texts to the right.
const LONGEST_SUBJECT: usize = 20;

/// The state of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Everything is in order.
    Ok,
    /// Not installed, but available.
    Missing,
    /// Not possible on this machine.
    No,
    /// Worth knowing.
    Note,
}

impl Word {
    fn text(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Missing => "missing",
            Self::No => "no",
            Self::Note => "note",
        }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    word: Word,
    subject: String,
    texts: Vec<String>,
}

impl Line {
    /// A finding about `subject`.
    pub fn new(word: Word, subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self { word, subject: subject.into(), texts: vec![text.into()] }
    }

    /// Adds a text on a line of its own.
    pub fn and(mut self, text: impl Into<String>) -> Self {
        self.texts.push(text.into());
        self
    }

    /// Adds a hint.
    pub fn hint(self, way_out: impl std::fmt::Display) -> Self {
        self.and(format!("hint: {way_out}"))
    }
}

/// Findings on one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The section's title.
    pub title: &'static str,
    /// The findings.
    pub lines: Vec<Line>,
}

impl Section {
    /// Whether the section has no missing and no impossible finding.
    pub fn is_fine(&self) -> bool {
        self.lines.iter().all(|line| matches!(line.word, Word::Ok | Word::Note))
    }

    /// The section for programs.
    pub fn json(&self) -> Value {
        let line = |line: &Line| json!({ "state": line.word.text(), "subject": line.subject, "texts": line.texts });
        json!({ "title": self.title, "lines": self.lines.iter().map(line).collect::<Vec<_>>() })
    }
}

/// All sections as text; subjects and texts each have a column.
pub fn render(sections: &[Section], width: usize) -> String {
    let width = width.clamp(NARROWEST, WIDEST);
    let parts: Vec<String> = sections.iter().map(|section| render_section(section, width)).collect();
    parts.join("\n")
}

fn render_section(section: &Section, width: usize) -> String {
    let subjects = section.lines.iter().map(|line| line.subject.chars().count()).filter(|it| *it <= LONGEST_SUBJECT);
    let column = subjects.max().unwrap_or(0);
    let indent = 2 + "missing".len() + 2 + column + 2;
    let mut text = format!("{}\n", section.title);
    for line in &section.lines {
        let mut rows = line.texts.iter().flat_map(|text| wrap(text, width.saturating_sub(indent)));
        let has_own_row = line.subject.chars().count() > LONGEST_SUBJECT;
        let first = if has_own_row { String::new() } else { rows.next().unwrap_or_default() };
        let row = format!("  {:<7}  {:<column$}  {first}", line.word.text(), line.subject);
        let _ = writeln!(text, "{}", row.trim_end());
        for row in rows {
            let _ = writeln!(text, "{:indent$}{row}", "");
        }
    }
    text
}

/// Rows of at most `width` characters, broken at spaces; a longer word has a row of its own.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut rows: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let row = rows.last_mut().expect("there is always a row");
        let length = row.chars().count();
        match length > 0 && length + 1 + word.chars().count() > width {
            true => rows.push(format!("  {word}")),
            false if length == 0 => row.push_str(word),
            false => {
                row.push(' ');
                row.push_str(word);
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let lines = vec![
            Line::new(Word::Ok, "root", "yes").and("more"),
            Line::new(Word::Missing, "mkfs.xfs", "not installed").hint("apt-get install xfsprogs"),
        ];
        let text = render(&[Section { title: "Rights", lines }], 100);
        let expected = "Rights\n  ok       root      yes\n                     more\n\
                        \x20 missing  mkfs.xfs  not installed\n                     hint: apt-get install xfsprogs\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_long_subject_has_a_row_of_its_own() {
        let lines =
            vec![Line::new(Word::Ok, "/a/rather/long/path/of/images", "text"), Line::new(Word::Ok, "short", "x")];
        let text = render(&[Section { title: "Places", lines }], 100);
        let expected =
            "Places\n  ok       /a/rather/long/path/of/images\n                  text\n  ok       short  x\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn long_texts_are_broken_at_spaces() {
        assert_eq!(wrap("one two three", 9), ["one two", "  three"]);
        assert_eq!(wrap("unbreakable", 4), ["unbreakable"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
