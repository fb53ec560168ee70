//! The parts of published speed-ups, and figures over all tests.

use crate::reproduction::Reproduction;
use crate::reproduction::{Factor, SummaryRow};

use super::{printed, times};
use fsarena_report::number::DASH;
use fsarena_report::report::{Paragraph, Section, Table};

/// One row per test: the speed-up as published, and its parts as measured here.
pub fn sheet(reproduction: &Reproduction) -> Section {
    let base = reproduction.article.base.clone().unwrap_or_default();
    let row = |factor: &Factor| {
        let parts = [factor.published, factor.as_published, factor.harness, factor.plainly, factor.properly];
        [factor.test.clone(), factor.name.clone()].into_iter().chain(parts.map(times)).collect()
    };
    let is_known = |factor: &&Factor| factor.as_published.is_some() || factor.properly.is_some();
    let table = Table::from_rows(
        ["test", "", "published", "as published", "= harness", "× file system", "properly"],
        reproduction.factors.iter().filter(is_known).map(row),
        2,
    );
    let meaning = format!(
        "How many times better than {base}. As published: {base} through a shell that starts a program for each \
            operation, the other in one process. Harness: how many times longer {base} takes so than in one process. \
            File system: both in one process, nothing synced; below 1 {base} is faster. Harness times file system is \
            the speed-up as published. Properly: both in one process, with the sync."
    );
    Section::titled(format!("What the speed-ups over {base} consist of")).with(table).with(Paragraph::legend(meaning))
}

/// Totals and means over all tests.
pub fn summaries(reproduction: &Reproduction) -> Section {
    let row = |row: &SummaryRow| {
        let whose = match (&row.name, &row.contender) {
            (Some(name), Some(label)) => format!("{name}: {label}"),
            (Some(name), None) => name.clone(),
            (None, Some(label)) => label.to_string(),
            (None, None) => DASH.to_owned(),
        };
        let figures = [row.published, row.as_published, row.properly].map(|value| printed(value, &row.unit));
        let words = [row.title.clone(), whose, row.unit.clone()];
        let stated = row.stated.clone().unwrap_or_else(|| DASH.to_owned());
        words.into_iter().chain([stated]).chain(figures).collect()
    };
    let table = Table::from_rows(
        ["figure", "whose", "unit", "stated", "its own figures", "as published", "properly"],
        reproduction.summaries.iter().map(row),
        3,
    );
    let meaning = "Stated: what the article says; its own figures: what its table comes to; the others: what was \
        measured here, where every test was.";
    Section::titled("Over all tests").with(table).with(Paragraph::legend(meaning))
}
