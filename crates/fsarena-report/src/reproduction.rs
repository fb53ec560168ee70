//! A reproduction as sentences and tables, for every format.

mod after;
mod claims;
mod factors;
mod figures;
mod winners;

use fsarena_model::Comparison;
use fsarena_model::Reproduction;
use fsarena_model::reproduction::StandIn;
use serde::Serialize;

use crate::number;

/// A table with its title and explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sheet {
    /// What it shows.
    pub title: String,
    /// The columns' titles.
    pub head: Vec<String>,
    /// The rows, with one cell per column. A sheet without rows is left out.
    pub rows: Vec<Vec<String>>,
    /// Number of columns, from the left, that contain words. The others contain figures.
    pub words: usize,
    /// What its figures are, and what follows from them.
    pub meaning: String,
}

/// A reproduction without its charts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct View {
    /// The article's title in English.
    pub title: String,
    /// Sentences about its source, what was scaled, and its results.
    pub sentences: Vec<String>,
    /// Tables for all formats.
    pub sheets: Vec<Sheet>,
    /// Tables for the HTML page only.
    pub further: Vec<Sheet>,
}

/// The view of a comparison's reproduction; `None` if it has none.
pub fn view(comparison: &Comparison) -> Option<View> {
    let reproduction = comparison.reproduction.as_deref()?;
    let claims = claims::sheet(reproduction);
    let sheets = [
        figures::as_published(reproduction),
        figures::properly(reproduction),
        factors::sheet(reproduction),
        factors::summaries(reproduction),
        winners::sheet(reproduction),
        after::sheet(comparison, reproduction),
        scales(reproduction),
    ];
    let sheets = sheets.into_iter().filter(|sheet| !sheet.rows.is_empty()).collect();
    let mut sentences = vec![format!(
        "{} ({}), {}: measured as it was published, and as it should have been.",
        reproduction.article.english, reproduction.article.title, reproduction.article.source
    )];
    sentences.extend(scaled(reproduction));
    sentences.extend(stand_ins(reproduction));
    sentences.extend(libraries(comparison));
    sentences.extend(winners::sentences(reproduction));
    sentences.extend(claims::sentence(reproduction));
    sentences.extend(after::verified(comparison));
    let title = format!("{}, reproduced", reproduction.article.english);
    Some(View { title, sentences, sheets, further: vec![claims] })
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
fn scales(reproduction: &Reproduction) -> Sheet {
    let mut by_text: Vec<(&String, Vec<&str>)> = Vec::new();
    for (workload, words) in &reproduction.scaled {
        match by_text.iter_mut().find(|(text, _)| *text == words) {
            Some((_, workloads)) => workloads.push(workload),
            None => by_text.push((words, vec![workload])),
        }
    }
    Sheet {
        title: "What is scaled".to_owned(),
        head: ["workload", "how"].map(str::to_owned).to_vec(),
        rows: by_text.into_iter().map(|(text, workloads)| vec![workloads.join(", "), text.clone()]).collect(),
        words: 2,
        meaning: String::new(),
    }
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

/// A sentence about contenders that are libraries, and what has no part in their figures.
fn libraries(comparison: &Comparison) -> Option<String> {
    let is_library = |kind: &str| kind.starts_with("rsext4");
    let labels = comparison.contenders.iter().filter(|row| is_library(&row.kind)).map(|row| row.label.to_string());
    let labels: Vec<String> = labels.collect();
    let has = if labels.len() == 1 { "is a library" } else { "are libraries" };
    (!labels.is_empty()).then(|| {
        format!(
            "{} {has} within fsarena's process: no system call is crossed by its operations, and neither AxVisor's virtual file system \
             nor its driver has a part in them.",
            labels.join(" and ")
        )
    })
}

/// A figure in its unit, to three digits; a dash if it is missing.
fn printed(value: Option<f64>, unit: &str) -> String {
    value.map_or_else(|| number::DASH.to_owned(), |value| number::value(value, unit))
}

/// `3.40×`; a dash if it is missing.
pub fn times(value: Option<f64>) -> String {
    value.map_or_else(|| number::DASH.to_owned(), |value| format!("{}×", number::three_digits(value)))
}
