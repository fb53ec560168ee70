//! The page of `fsarena doctor`: topics with lines, each with a word for its state.

use fsarena_report::report::{Report, Section, Table, TableLook};
use serde::Serialize;

/// A longer subject precedes its texts, so that it does not shift all texts to the right.
const LONGEST_SUBJECT: usize = 20;

/// The state of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DoctorLine {
    #[serde(rename = "state")]
    word: Word,
    subject: String,
    texts: Vec<String>,
}

impl DoctorLine {
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

    /// Its rows in a table of states, subjects and texts.
    fn rows(&self) -> Vec<Vec<String>> {
        let Self { word, subject, texts } = self;
        let (subject, long) =
            if subject.chars().count() > LONGEST_SUBJECT { ("", Some(subject)) } else { (&**subject, None) };
        let heads = [[word.text(), subject]].into_iter().chain(std::iter::repeat(["", ""]));
        let rows = heads.zip(long.into_iter().chain(texts));
        rows.map(|([word, subject], text)| [word, subject, text].map(str::to_owned).to_vec()).collect()
    }
}

/// Findings on one subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Topic {
    /// The title.
    pub title: &'static str,
    /// The findings.
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

/// All topics as a report.
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
            DoctorLine::new(Word::Ok, "root", "yes").and("more"),
            DoctorLine::new(Word::Missing, "mkfs.xfs", "not installed").hint("apt-get install xfsprogs"),
        ];
        let expected = "Topic\nok       root      yes\n                   more\n\
                        missing  mkfs.xfs  not installed\n                   hint: apt-get install xfsprogs\n";
        assert_eq!(text(lines), expected);
    }

    #[test]
    fn a_long_subject_has_a_row_of_its_own() {
        let lines = vec![
            DoctorLine::new(Word::Ok, "/a/rather/long/path/of/images", "text"),
            DoctorLine::new(Word::Ok, "short", "x"),
        ];
        assert_eq!(text(lines), "Topic\nok         /a/rather/long/path/of/images\n           text\nok  short  x\n");
    }

    #[test]
    fn long_texts_are_wrapped_beside_their_subject() {
        let line = DoctorLine::new(Word::Ok, "other programs", "quiet: no core is busy with other programs");
        let style = fsarena_report::TerminalStyle { color: false, width: 50 };
        let text = fsarena_report::report_text(report(&[Topic { title: "Noise", lines: vec![line] }]), style);
        assert!(
            text.ends_with("ok  other programs  quiet: no core is busy with\n                      other programs\n")
        );
    }
}
