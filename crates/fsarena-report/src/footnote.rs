//! Footnotes of a report: one for each class of validity, and one for each other reason.

use fsarena_model::comparison::{Cell, PairVerdict, Reason};
use fsarena_model::{Comparison, Validity, ValidityClass};

use crate::finding;
use crate::words::{self, counted};

/// What a footnote says about an entry of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remark {
    Flag(Flag),
    Sentence(String),
}

/// A class of validity in a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    class: ValidityClass,
    /// The workload and the contender.
    place: String,
    /// What was seen.
    text: String,
    /// The share that the class is about, in percent; `None` if it is about none.
    percent: Option<u32>,
}

/// Of a figure whose rounds are all excluded.
const UNCOUNTED: &str = "no round counts: the figure is of rounds under another load";

pub fn of_cell(cell: &Cell) -> Vec<Remark> {
    let place = format!("{}, {}", cell.workload, cell.contender);
    let flag = |flag: &Validity| {
        Remark::Flag(Flag {
            class: flag.class,
            place: place.clone(),
            text: finding::sentence(&flag.finding),
            percent: finding::share(&flag.finding).map(|share| (share * 100.0).round() as u32),
        })
    };
    let others = (cell.rounds == 0 && cell.figure.median.is_some()).then(|| Remark::Sentence(UNCOUNTED.to_owned()));
    cell.validity.iter().map(flag).chain(others).collect()
}

/// The flags of a pair's cells, and what else is a reason for its verdict.
pub fn of_pair(comparison: &Comparison, pair: &PairVerdict) -> Vec<Remark> {
    let cell = |label| comparison.cell(&pair.workload, label);
    let cells: Vec<&Cell> = [cell(&pair.a), cell(&pair.b)].into_iter().flatten().collect();
    let others = pair.reasons.iter().filter(|reason| !matches!(reason, Reason::Validity { .. }));
    let others = others.map(|reason| Remark::Sentence(reason.to_string()));
    cells.iter().flat_map(|cell| of_cell(cell)).chain(others).collect()
}

/// The footnotes of a report, in the order in which its tables refer to them.
#[derive(Debug, Default)]
pub struct Footnotes(Vec<Footnote>);

#[derive(Debug)]
enum Footnote {
    /// A class, and where it was seen.
    Class(ValidityClass, Vec<Flag>),
    Sentence(String),
}

impl Footnotes {
    /// The numbers of some remarks, from 1 on. Flags of one class share a number, and so do equal sentences.
    pub fn marks(&mut self, remarks: &[Remark]) -> Vec<usize> {
        let mut marks: Vec<usize> = remarks.iter().map(|remark| self.mark(remark)).collect();
        marks.sort_unstable();
        marks.dedup();
        marks
    }

    fn mark(&mut self, remark: &Remark) -> usize {
        let is_same = |note: &Footnote| match (note, remark) {
            (Footnote::Class(class, _), Remark::Flag(flag)) => *class == flag.class,
            (Footnote::Sentence(known), Remark::Sentence(sentence)) => known == sentence,
            _ => false,
        };
        let index = self.0.iter().position(is_same).unwrap_or_else(|| {
            self.0.push(match remark {
                Remark::Flag(flag) => Footnote::Class(flag.class, Vec::new()),
                Remark::Sentence(sentence) => Footnote::Sentence(sentence.clone()),
            });
            self.0.len() - 1
        });
        if let (Footnote::Class(_, seen), Remark::Flag(flag)) = (&mut self.0[index], remark)
            && !seen.contains(flag)
        {
            seen.push(flag.clone());
        }
        index + 1
    }

    /// The footnotes in the order of their numbers; of most classes only what they mean.
    pub fn short(&self) -> Vec<String> {
        let short = |note: &Footnote| match note {
            Footnote::Class(class @ (ValidityClass::DidNotFinish | ValidityClass::Impossible), seen) => {
                seen_as(*class, seen)
            }
            Footnote::Class(class, seen) => {
                let figures = counted(seen.len(), "figure");
                format!("{class} ({figures}{}): {}", shares(seen), words::validity(*class))
            }
            Footnote::Sentence(sentence) => sentence.clone(),
        };
        self.0.iter().map(short).collect()
    }

    /// The footnotes in the order of their numbers.
    pub fn sentences(&self) -> Vec<String> {
        let sentence = |note: &Footnote| match note {
            Footnote::Class(class, seen) => seen_as(*class, seen),
            Footnote::Sentence(sentence) => sentence.clone(),
        };
        self.0.iter().map(sentence).collect()
    }
}

/// `, 34 % to 100 %`: the shares of the flags; empty if they have none.
fn shares(seen: &[Flag]) -> String {
    let all = || seen.iter().filter_map(|flag| flag.percent);
    match all().min().zip(all().max()) {
        Some((least, most)) if least < most => format!(", {least} % to {most} %"),
        Some((only, _)) => format!(", {only} %"),
        None => String::new(),
    }
}

/// What was seen, and where. Of different sentences only the first is shown, because they differ in figures; the causes
/// of work that did not finish are in the list of failures.
fn seen_as(class: ValidityClass, seen: &[Flag]) -> String {
    let Some(Flag { place, text, .. }) = seen.first() else { return class.to_string() };
    let differ = seen.iter().any(|other| other.text != *text);
    match seen.len() {
        1 => format!("{class} ({place}): {text}"),
        count if differ && class == ValidityClass::DidNotFinish => {
            format!("{class} ({count} figures): for several reasons, which are among the checks and notes")
        }
        count if differ => format!("{class} ({count} figures; here {place}): {text}"),
        count => format!("{class} ({count} figures): {text}"),
    }
}
