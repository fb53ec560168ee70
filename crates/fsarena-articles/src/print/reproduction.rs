//! A reproduction as sentences and tables, for every format.

mod after;
mod bars;
mod charts;
mod claims;
mod differences;
mod factors;
mod figures;
mod matrix;
mod winners;

use crate::reproduction::Reproduction;
use crate::reproduction::{Measured, ReproducedFigure, StandIn};
use fsarena_model::Comparison;
use fsarena_report::number;
use fsarena_report::report::{Fold, List, ListLook, Role, Section, Sentence, Shown, Table};

/// The section about a reproduction: its sentences, the curves of a page, the tables, and a page's charts
/// of each test.
pub fn section(comparison: &Comparison, reproduction: &Reproduction) -> Section {
    let tables = [
        figures::as_published(reproduction),
        figures::properly(reproduction),
        factors::sheet(reproduction),
        factors::summaries(reproduction),
        winners::sheet(reproduction),
        after::sheet(comparison, reproduction),
        scales(reproduction),
    ];
    let mut sentences = vec![format!(
        "{} ({}), {}: measured as it was published, and as it should have been.",
        reproduction.article.english, reproduction.article.title, reproduction.article.source
    )];
    sentences.extend(scaled(reproduction));
    sentences.extend(stand_ins(reproduction));
    sentences.extend(differences::sentences(comparison, reproduction));
    sentences.extend(reproduction.remarks.iter().cloned());
    let section = Section::titled(format!("{}, reproduced", reproduction.article.english))
        .with(List::new(ListLook::Paragraphs, sentences))
        .with_shown(Shown::Terminal, List::new(ListLook::Paragraphs, outcomes(reproduction)))
        .with(List::new(ListLook::Paragraphs, after::verified(comparison)))
        .with_shown(Shown::Page, matrix::matrix(reproduction))
        .with_shown(Shown::Page, charts::curves(reproduction));
    let tables = tables.map(|table| (Shown::Everywhere, table)).into_iter();
    let tables = tables.chain([(Shown::Documents, claims::sheet(reproduction))]);
    let tables = tables.filter(|(_, table)| table.has_rows());
    let section = tables.fold(section, |section, (shown, table)| section.with_shown(shown, table.folded(Fold::Closed)));
    let section = match differences::section(reproduction) {
        Some(differences) => section.with(differences.folded(Fold::Closed)),
        None => section,
    };
    section.with_shown(Shown::Page, charts::charts(reproduction))
}

/// What a reproduction adds to the answer of documents: how often the published winners win here, and the claims.
pub fn answer(reproduction: &Reproduction) -> Sentence {
    let name = format!("{}, reproduced:", reproduction.article.english);
    Sentence::new(Role::Strong, name).and(Role::Plain, outcomes(reproduction).join(" "))
}

/// How often the published winners win here, and what became of the claims.
fn outcomes(reproduction: &Reproduction) -> Vec<String> {
    winners::sentences(reproduction).into_iter().chain(claims::sentence(reproduction)).collect()
}

/// A sentence about workloads that do less than was published.
fn scaled(reproduction: &Reproduction) -> Option<String> {
    let count = reproduction.scaled.len();
    let workloads = if count == 1 { "1 workload does".to_owned() } else { format!("{count} workloads do") };
    (count > 0).then(|| {
        format!("Scaled: {workloads} less than was published, as listed below; --scale published does all of it.")
    })
}

/// What is less than published. Workloads with the same text share a row.
fn scales(reproduction: &Reproduction) -> Section {
    let mut by_text: Vec<(&String, Vec<&str>)> = Vec::new();
    for (workload, words) in &reproduction.scaled {
        match by_text.iter_mut().find(|(text, _)| *text == words) {
            Some((_, workloads)) => workloads.push(workload),
            None => by_text.push((words, vec![workload])),
        }
    }
    let table = Table::from_rows(
        ["workload", "how"],
        by_text.into_iter().map(|(text, workloads)| vec![workloads.join(", "), text.clone()]),
        2,
    );
    Section::titled("What is scaled").with(table)
}

/// A sentence about the contenders that stand in for the article's.
fn stand_ins(reproduction: &Reproduction) -> Option<String> {
    let of = |one: &StandIn| {
        let (first, second) = (one.as_published.as_ref()?, one.properly.as_ref()?);
        let own = first == second && first.0 == one.name;
        let words = if first == second { first.to_string() } else { format!("{first}, and properly {second}") };
        (!own).then(|| format!("{} is {words}", one.name))
    };
    let all: Vec<String> = reproduction.stand_ins.iter().filter_map(of).collect();
    (!all.is_empty()).then(|| format!("Here {}.", all.join("; ")))
}

/// Shown instead of a figure of a contender that did not finish.
const UNFINISHED: &str = "did not finish";

/// How a figure is measured here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    AsPublished,
    Properly,
}

/// A figure, or that there is none because the contender did not finish.
enum Found {
    Figure(Measured),
    Unfinished,
}

impl Form {
    /// A figure in this form; `None` if it was not measured.
    fn of(self, figure: &ReproducedFigure) -> Option<Found> {
        let (is_unfinished, measured) = match self {
            Self::AsPublished => (figure.unfinished.as_published, figure.as_published),
            Self::Properly => (figure.unfinished.properly, figure.properly),
        };
        if is_unfinished { Some(Found::Unfinished) } else { measured.map(Found::Figure) }
    }
}

/// A figure in its unit, to three digits; a dash if it is missing.
fn printed(value: Option<f64>, unit: &str) -> String {
    value.map_or_else(|| number::DASH.to_owned(), |value| number::value(value, unit))
}

/// `3.40×`; a dash if it is missing.
fn times(value: Option<f64>) -> String {
    value.map_or_else(|| number::DASH.to_owned(), |value| format!("{}×", number::three_digits(value)))
}
