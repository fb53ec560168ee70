//! The tables of a reproduction.

use std::collections::BTreeSet;

use fsarena_model::comparison::Cell;
use fsarena_model::{Comparison, StepRow};
use fsarena_report::number::{self, DASH};
use fsarena_report::report::{Paragraph, Section, Table};

use super::{FigureForm, FoundFigure, UNFINISHED, distinct, printed, times};
use crate::article::Claim;
use crate::reproduction::{
    Agreement, ClaimHere, RatioOfArticle, ReproducedFigure, Reproduction, SummaryRow, Winner, Wins,
};

/// A table with its title and explanation.
fn explained(title: impl Into<String>, table: Table, meaning: impl Into<String>) -> Section {
    Section::titled(title).with(table).with(Paragraph::legend(meaning.into()))
}

/// The published figures, and those measured as published.
pub fn as_published(reproduction: &Reproduction) -> Section {
    let has = |name: &&str| {
        let mut own = reproduction.figures.iter().filter(|figure| figure.name.as_deref() == Some(name));
        own.any(|figure| FigureForm::Published.of(figure).is_some())
    };
    let names = reproduction.article.contenders.iter().map(|contender| contender.name.as_str()).filter(has);
    let columns = names
        .map(|name| (FigureForm::Published, name))
        .chain(measured(reproduction, FigureForm::AsPublished))
        .collect();
    let meaning = "Published: as the article prints it, on its own machine. Then the same test, done in the same way, \
        on this machine.";
    explained("As it was published", figures(reproduction, columns), meaning)
}

/// The figures that are measured properly.
pub fn properly(reproduction: &Reproduction) -> Section {
    let columns = measured(reproduction, FigureForm::Properly).collect();
    let meaning = "In one process, what is written durable within its time, what is read cold where that was meant; \
        the median over rounds. A figure with a question mark is of a cell that allows no verdict (see the notes); it \
        enters no order.";
    explained("As it should be measured", figures(reproduction, columns), meaning)
}

/// The contenders here that have a figure of this form, in the order of their first figures.
fn measured(reproduction: &Reproduction, form: FigureForm) -> impl Iterator<Item = (FigureForm, &str)> {
    let figures = reproduction.figures.iter().filter(|figure| form.of(figure).is_some());
    distinct(figures.filter_map(|figure| Some((form, form.label(figure)?)))).into_iter()
}

/// The table of these contenders, each in a form: a row for each metric of a test at a place on its axis.
fn figures(reproduction: &Reproduction, columns: Vec<(FigureForm, &str)>) -> Table {
    let column = |(form, label): &(FigureForm, &str)| match form {
        FigureForm::Published => format!("{label} published"),
        FigureForm::AsPublished | FigureForm::Properly => (*label).to_owned(),
    };
    let head = ["test", "figure", "unit"].map(str::to_owned).into_iter().chain(columns.iter().map(column));
    let row = |own: &[ReproducedFigure]| {
        let place = own[0].at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default();
        let words = [own[0].test.clone(), format!("{}{place}", own[0].metric), own[0].unit.clone()];
        let is_in = |(form, _): &&(FigureForm, &str)| own.iter().any(|figure| form.of(figure).is_some());
        let mut filled = columns.iter().filter(is_in).map(|(form, _)| *form);
        let is_shown = filled.any(|form| form != FigureForm::Published || could_be_taken(reproduction, &own[0]));
        is_shown.then(|| words.into_iter().chain(columns.iter().map(|column| entry(own, column))).collect())
    };
    let own = reproduction.figures.chunk_by(|a, b| (&a.test, &a.metric, &a.at) == (&b.test, &b.metric, &b.at));
    Table::from_rows(head, own.filter_map(row), 3)
}

/// Whether this figure can be measured here, if its contender takes part.
fn could_be_taken(reproduction: &Reproduction, figure: &ReproducedFigure) -> bool {
    let metrics = reproduction.article.test(&figure.test).into_iter().flat_map(|test| &test.metrics);
    metrics.filter(|one| one.name == figure.metric).any(|one| one.quantity.is_some())
}

fn entry(own: &[ReproducedFigure], (form, label): &(FigureForm, &str)) -> String {
    let figure = own.iter().find(|figure| form.label(figure) == Some(label));
    match figure.and_then(|figure| form.of(figure)) {
        None => DASH.to_owned(),
        Some(FoundFigure::Unfinished) => UNFINISHED.to_owned(),
        Some(FoundFigure::Figure { text, is_valid, .. }) => text + if is_valid { "" } else { " ?" },
    }
}

/// One row per test: the speed-up as published, and its parts as measured here.
pub fn factors(reproduction: &Reproduction) -> Section {
    let base = reproduction.article.base.clone().unwrap_or_default();
    let row = |factor: &RatioOfArticle| {
        let parts = [factor.published, factor.as_published, factor.harness, factor.plainly, factor.properly];
        [factor.test.clone(), factor.name.clone()].into_iter().chain(parts.map(times)).collect()
    };
    let is_known = |factor: &&RatioOfArticle| factor.as_published.is_some() || factor.properly.is_some();
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
    explained(format!("What the speed-ups over {base} consist of"), table, meaning)
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
    explained("Over all tests", table, meaning)
}

/// One row per test: the published winner, and whether it wins here.
pub fn winners(reproduction: &Reproduction) -> Section {
    let row = |winner: &Winner| {
        vec![
            winner.test.clone() + &winner.at.as_ref().map(|at| format!(" at {at}")).unwrap_or_default(),
            winner.published.join(", "),
            words(winner.as_published).to_owned(),
            words(winner.properly).to_owned(),
            winner.tau.map_or_else(|| DASH.to_owned(), |tau| agreement(&tau)),
        ]
    };
    let is_known = |winner: &&Winner| [winner.as_published, winner.properly].iter().any(|wins| *wins != Wins::Unknown);
    let table = Table::from_rows(
        ["test", "published winner", "as published", "properly", "tau, properly [95 %]"],
        reproduction.winners.iter().filter(is_known).map(row),
        4,
    );
    let meaning = "A contender wins if its median differs from those of the others by more than the margin and the \
        95 % intervals do not overlap. Without intervals (fewer than three rounds), one has to be twice the other. \
        Published figures within 1 % of each other are equal: where several win, all of them must win. Tau: \
        Kendall's rank agreement (tau-b), 1 where all pairs are in the published order, less where the article has \
        ties and here there are none, −1 where all are turned round; its interval here is over rounds, from six on, \
        that of all tests together over tests.";
    explained("Does the published winner win here?", table, meaning)
}

fn words(wins: Wins) -> &'static str {
    match wins {
        Wins::Yes => "wins",
        Wins::No => "another wins",
        Wins::NotToldApart => "not distinguished",
        Wins::Tie => "a tie there",
        Wins::Unknown => "no figures to tell",
    }
}

/// Tau with its interval: `0.33 [−0.20, 0.80]`.
pub fn agreement(agreement: &Agreement) -> String {
    let number = |value: f64| format!("{value:.2}").replace('-', "−");
    match (agreement.low, agreement.high) {
        (Some(low), Some(high)) => format!("{} [{}, {}]", number(agreement.tau), number(low), number(high)),
        _ => number(agreement.tau),
    }
}

/// The claims, one per row.
pub fn claims(reproduction: &Reproduction) -> Section {
    let claims = reproduction.article.claims.iter().zip(&reproduction.claims);
    let row = |(claim, here): (&Claim, &ClaimHere)| {
        let by = if here.checked { "measured here" } else { "" };
        vec![claim.kind.to_string(), claim.text.clone(), here.outcome.to_string(), here.why.clone(), by.to_owned()]
    };
    let table = Table::from_rows(["kind", "claim", "outcome", "why", "by"], claims.map(row), 5);
    let meaning = "Those that figures of this run can show or refute were checked by them, properly measured; the \
        others are judged from the article's own data and from what is known of its software.";
    explained("What became of its claims", table, meaning)
}

/// Maximum number of further steps of a workload. A workload with more of them has them for another purpose.
const MOST: usize = 8;

/// Steps that belong to no test of the article, by contender.
pub fn further(comparison: &Comparison, reproduction: &Reproduction) -> Section {
    let mut head: Vec<String> = ["workload", "step"].map(str::to_owned).to_vec();
    head.extend(comparison.contenders.iter().map(|row| row.label.to_string()));
    let rows = comparison.workloads.iter().flat_map(|workload| {
        let names = names_of_further(comparison, reproduction, &workload.name);
        names.into_iter().map(|name| row(comparison, &workload.name, name))
    });
    let table = Table::from_rows(head, rows, 2);
    let meaning = "Seconds, with those of the sync after it; in brackets what the step wrote to the device, which for \
        an unmount is what had not been written before. Steps named true only start /bin/true that many times: they \
        do not use a file system.";
    explained("Steps outside of the tests", table, meaning)
}

fn row(comparison: &Comparison, workload: &str, name: &str) -> Vec<String> {
    let step = |cell: &Cell| cell.steps.iter().find(|step| step.name == name).map(of_step);
    let figures = comparison
        .contenders
        .iter()
        .map(|row| comparison.cell(workload, &row.label).and_then(step).unwrap_or_else(|| DASH.to_owned()));
    [workload.to_owned(), name.to_owned()].into_iter().chain(figures).collect()
}

fn of_step(step: &StepRow) -> String {
    let synced = step.synced.map(|seconds| format!(" + {}", number::seconds(seconds))).unwrap_or_default();
    let written = step.written.map(|bytes| format!(" [{}]", number::bytes(bytes as f64))).unwrap_or_default();
    format!("{}{synced}{written}", number::seconds(step.seconds))
}

fn names_of_further<'a>(comparison: &'a Comparison, reproduction: &Reproduction, workload: &str) -> Vec<&'a str> {
    let tests = &reproduction.article.tests;
    let sources = tests.iter().flat_map(|test| test.as_published.iter().chain(&test.properly));
    let metrics = tests.iter().flat_map(|test| &test.metrics);
    let steps = sources.flat_map(|source| &source.steps).chain(metrics.flat_map(|metric| &metric.steps));
    let known: BTreeSet<&str> = steps.map(String::as_str).collect();
    let own = comparison.cells.iter().filter(|cell| cell.workload == workload).flat_map(|cell| &cell.steps);
    let names = distinct(own.map(|step| step.name.as_str()).filter(|name| !known.contains(name)));
    if names.len() > MOST { Vec::new() } else { names }
}
