//! The page of `fsarena doctor`: topics with lines, each with a word for its state.

use std::fmt;

use fsarena_report::report::{Report, Section, Table, TableLook};
use serde::Serialize;

/// A longer subject precedes its texts, so that it does not shift all texts to the right.
const LONGEST_SUBJECT: usize = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    /// Everything is in order.
    Ok,
    /// Not installed, but available.
    Missing,
    /// Not possible on this machine.
    No,
    /// Worth knowing.
    Note,
}

/// Its name in JSON.
impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorLine {
    #[serde(rename = "state")]
    word: Word,
    subject: String,
    texts: Vec<String>,
}

impl DoctorLine {
    pub fn ok(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self { word: Word::Ok, subject: subject.into(), texts: vec![text.into()] }
    }

    pub fn note(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self { word: Word::Note, ..Self::ok(subject, text) }
    }

    pub fn no(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self { word: Word::No, ..Self::ok(subject, text) }
    }

    pub fn missing(subject: impl Into<String>, text: impl Into<String>) -> Self {
        Self { word: Word::Missing, ..Self::ok(subject, text) }
    }

    /// Adds a text on a line of its own.
    pub fn and(mut self, text: impl Into<String>) -> Self {
        self.texts.push(text.into());
        self
    }

    pub fn hint(self, way_out: impl std::fmt::Display) -> Self {
        self.and(format!("hint: {way_out}"))
    }

    /// Adds the hint of an error, if it has one.
    pub fn explained(self, hint: Option<String>) -> Self {
        match hint {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Its rows in a table of states, subjects and texts.
    fn rows(&self) -> Vec<Vec<String>> {
        let is_long = self.subject.chars().count() > LONGEST_SUBJECT;
        let (subject, long) = if is_long { ("", Some(&self.subject)) } else { (self.subject.as_str(), None) };
        let row = |(index, text): (usize, &String)| match index {
            0 => vec![self.word.to_string(), subject.to_owned(), text.clone()],
            _ => vec![String::new(), String::new(), text.clone()],
        };
        long.into_iter().chain(&self.texts).enumerate().map(row).collect()
    }
}

/// Findings on one subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Topic {
    pub title: &'static str,
    pub lines: Vec<DoctorLine>,
}

impl Topic {
    /// Whether there is no missing and no impossible finding.
    pub fn is_fine(&self) -> bool {
        self.lines.iter().all(|line| matches!(line.word, Word::Ok | Word::Note))
    }

    fn section(&self) -> Section {
        let table = Table::from_rows(["", "", ""], self.lines.iter().flat_map(DoctorLine::rows), 3);
        Section::titled(self.title).with(Table { look: TableLook::Listing, ..table })
    }
}

pub fn report(topics: &[Topic]) -> Report {
    let head = "What this machine can do, how noisy it is, and where lanes are best";
    Report {
        sections: topics.iter().map(Topic::section).collect(),
        ..Report::new("doctor", head, env!("CARGO_PKG_VERSION"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: Vec<DoctorLine>) -> String {
        let text = fsarena_report::report_text(report(&[Topic { title: "Topic", lines }]), fsarena_report::PLAIN);
        text.split_once("\n\n").expect("a head").1.to_owned()
    }

    #[test]
    fn columns_are_aligned() {
        let lines = vec![
            DoctorLine::ok("root", "yes").and("more"),
            DoctorLine::missing("mkfs.xfs", "not installed").hint("apt-get install xfsprogs"),
        ];
        let expected = "Topic\nok       root      yes\n                   more\n\
                        missing  mkfs.xfs  not installed\n                   hint: apt-get install xfsprogs\n";
        assert_eq!(text(lines), expected);
    }

    #[test]
    fn a_long_subject_has_a_row_of_its_own() {
        let lines = vec![DoctorLine::ok("/a/rather/long/path/of/images", "text"), DoctorLine::ok("short", "x")];
        assert_eq!(text(lines), "Topic\nok         /a/rather/long/path/of/images\n           text\nok  short  x\n");
    }
}
