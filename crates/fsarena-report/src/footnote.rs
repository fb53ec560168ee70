//! Footnotes: one for each class of validity, and one for each other reason.

use fsarena_model::comparison::{Cell, PairVerdict};
use fsarena_model::{Comparison, ValidityClass};

use crate::group;

/// The footnotes of a report, in the order in which its figures refer to them.
#[derive(Debug, Default)]
pub struct Footnotes(Vec<Footnote>);

#[derive(Debug)]
enum Footnote {
    /// A class, with its cells and what was seen in them.
    Class(ValidityClass, Vec<(String, String)>),
    /// Another sentence.
    Sentence(String),
}

impl Footnotes {
    /// The marks of a cell, which count from 1.
    pub fn of_cell(&mut self, cell: &Cell) -> Vec<usize> {
        let place = format!("{}, {}", cell.workload, cell.contender);
        cell.validity.iter().map(|flaw| self.of_class(flaw.class, (place.clone(), flaw.text.clone()))).collect()
    }

    /// The marks of a pair: those of its cells, and one of its reason if the reason says more.
    pub fn of_pair(&mut self, comparison: &Comparison, pair: &PairVerdict) -> Vec<usize> {
        let cell = |label| group::cell(comparison, &pair.workload, label);
        let cells: Vec<&Cell> = [cell(&pair.a), cell(&pair.b)].into_iter().flatten().collect();
        let mut marks: Vec<usize> = cells.iter().flat_map(|cell| self.of_cell(cell)).collect();
        marks.sort_unstable();
        marks.dedup();
        if !pair.reason.is_empty() && !names_flags_only(&pair.reason, &cells) {
            marks.push(self.of_sentence(pair.reason.clone()));
        }
        marks
    }

    /// The mark of a sentence; equal sentences have one mark.
    pub fn of_sentence(&mut self, sentence: String) -> usize {
        let is_it = |note: &Footnote| matches!(note, Footnote::Sentence(other) if *other == sentence);
        match self.0.iter().position(is_it) {
            Some(index) => index + 1,
            None => self.push(Footnote::Sentence(sentence)),
        }
    }

    /// The footnotes in the order of their marks.
    pub fn sentences(&self) -> Vec<String> {
        self.0.iter().map(Footnote::sentence).collect()
    }

    fn of_class(&mut self, class: ValidityClass, seen: (String, String)) -> usize {
        let known = self.0.iter_mut().enumerate().find_map(|(index, note)| match note {
            Footnote::Class(other, all) if *other == class => Some((index, all)),
            _ => None,
        });
        match known {
            Some((index, all)) => {
                if !all.contains(&seen) {
                    all.push(seen);
                }
                index + 1
            }
            None => self.push(Footnote::Class(class, vec![seen])),
        }
    }

    fn push(&mut self, note: Footnote) -> usize {
        self.0.push(note);
        self.0.len()
    }
}

impl Footnote {
    fn sentence(&self) -> String {
        match self {
            Self::Sentence(sentence) => sentence.clone(),
            Self::Class(class, seen) => seen_as(*class, seen),
        }
    }
}

/// What was seen, and where. Of different sentences only the first is shown, because they differ in figures.
fn seen_as(class: ValidityClass, seen: &[(String, String)]) -> String {
    let Some((place, text)) = seen.first() else { return class.to_string() };
    let differ = seen.iter().any(|(_, other)| other != text);
    match seen.len() {
        1 => format!("{class} ({place}): {text}"),
        count if differ => format!("{class} ({count} figures; here {place}): {text}"),
        count => format!("{class} ({count} figures): {text}"),
    }
}

/// Whether `reason` only repeats the cells' own marks, as `label: class, label: class`.
fn names_flags_only(reason: &str, cells: &[&Cell]) -> bool {
    let flags: Vec<String> = cells
        .iter()
        .flat_map(|cell| cell.validity.iter().map(|flaw| format!("{}: {}", cell.contender, flaw.class)))
        .collect();
    reason.split(", ").all(|part| flags.iter().any(|flag| flag == part))
}
