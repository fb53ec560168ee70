//! Footnotes of a report: one for each class of validity, and one for each other reason.

use fsarena_model::comparison::{Cell, PairVerdict, Reason};
use fsarena_model::{Comparison, Validity, ValidityClass};

use crate::finding;

/// What a footnote says about an entry of a table: a class of validity in a cell, or another reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    class: Option<ValidityClass>,
    /// The workload and the contender of a class.
    place: String,
    /// What was seen, or the reason.
    text: String,
}

impl Remark {
    /// A reason without a class.
    pub fn of(text: String) -> Self {
        Self { class: None, place: String::new(), text }
    }
}

/// Of a figure whose rounds are all excluded.
const UNCOUNTED: &str = "no round counts: the figure is of rounds under another load";

pub fn of_cell(cell: &Cell) -> Vec<Remark> {
    let place = format!("{}, {}", cell.workload, cell.contender);
    let flag = |flag: &Validity| Remark {
        class: Some(flag.class),
        place: place.clone(),
        text: finding::sentence(&flag.finding),
    };
    let others = (cell.rounds == 0 && cell.figure.median.is_some()).then(|| Remark::of(UNCOUNTED.to_owned()));
    cell.validity.iter().map(flag).chain(others).collect()
}

/// The flags of a pair's cells, and what else is a reason for its verdict.
pub fn of_pair(comparison: &Comparison, pair: &PairVerdict) -> Vec<Remark> {
    let cell = |label| comparison.cell(&pair.workload, label);
    let cells: Vec<&Cell> = [cell(&pair.a), cell(&pair.b)].into_iter().flatten().collect();
    let others = pair.reasons.iter().filter(|reason| !matches!(reason, Reason::Validity { .. }));
    let others = others.map(|reason| Remark::of(reason.to_string()));
    cells.iter().flat_map(|cell| of_cell(cell)).chain(others).collect()
}

/// The footnotes of a report, in the order in which its tables refer to them: the remarks that share a number.
#[derive(Debug, Default)]
pub struct Footnotes(Vec<Vec<Remark>>);

impl Footnotes {
    /// The numbers of some remarks, from 1 on. Remarks on one class share a number, and so do equal sentences.
    pub fn marks(&mut self, remarks: &[Remark]) -> Vec<usize> {
        let mut marks: Vec<usize> = remarks.iter().map(|remark| self.mark(remark)).collect();
        marks.sort_unstable();
        marks.dedup();
        marks
    }

    fn mark(&mut self, remark: &Remark) -> usize {
        let is_same = |known: &Remark| match remark.class {
            Some(class) => known.class == Some(class),
            None => known == remark,
        };
        let index = self.0.iter().position(|seen| seen.iter().any(is_same)).unwrap_or(self.0.len());
        self.0.resize_with(self.0.len().max(index + 1), Vec::new);
        if !self.0[index].contains(remark) {
            self.0[index].push(remark.clone());
        }
        index + 1
    }

    /// The footnotes in the order of their numbers.
    pub fn sentences(&self) -> Vec<String> {
        self.0.iter().map(|seen| sentence(seen)).collect()
    }
}

/// What was seen, and where. Of different sentences only the first is shown, because they differ in figures; the causes
/// of work that did not finish are in the list of failures.
fn sentence(seen: &[Remark]) -> String {
    let Remark { class, place, text } = &seen[0];
    let Some(class) = class else { return text.clone() };
    let differ = seen.iter().any(|other| other.text != *text);
    match seen.len() {
        1 => format!("{class} ({place}): {text}"),
        count if differ && *class == ValidityClass::DidNotFinish => {
            format!("{class} ({count} figures): for several reasons, which are among the checks and notes")
        }
        count if differ => format!("{class} ({count} figures; here {place}): {text}"),
        count => format!("{class} ({count} figures): {text}"),
    }
}
