//! The tables of a reproduction.

use std::collections::BTreeSet;

use fsarena_model::comparison::Cell;
use fsarena_model::{Comparison, Label, StepRow, distinct};
use fsarena_report::number::{self, DASH, or_dash};
use fsarena_report::report::ColumnKind::{Figure, Name, Words};
use fsarena_report::report::{Content, Paragraph, Section, Table, TableLook, TableOf};

use super::{FigureForm, FoundFigure, printed, times};
use crate::article::{Claim, at_place};
use crate::reproduction::{
    Agreement, ClaimHere, RatioOfArticle, ReproducedFigure, Reproduction, SummaryRow, Winner, Wins,
};

/// A table with its title and explanation.
fn explained(title: impl Into<String>, table: impl Into<Content>, meaning: impl Into<String>) -> Section {
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
        let metric = format!("{}{}", own[0].metric, at_place(own[0].at.as_ref()));
        let words = [own[0].test.clone(), metric, own[0].unit.clone()];
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
    let metric = reproduction.article.test(&figure.test).and_then(|test| test.metric(Some(&figure.metric)));
    metric.is_some_and(|metric| metric.quantity.is_some())
}

fn entry(own: &[ReproducedFigure], (form, label): &(FigureForm, &str)) -> String {
    let figure = own.iter().find(|figure| form.label(figure) == Some(label));
    match figure.and_then(|figure| form.of(figure)) {
        None => DASH.to_owned(),
        Some(FoundFigure { text, is_valid, .. }) => text + if is_valid { "" } else { " ?" },
    }
}

/// One row per test: the speed-up as published, and its parts as measured here.
pub fn factors(reproduction: &Reproduction) -> Section {
    let base = reproduction.article.base.clone().unwrap_or_default();
    let is_known = |factor: &&RatioOfArticle| factor.as_published.is_some() || factor.properly.is_some();
    let factors: Vec<&RatioOfArticle> = reproduction.factors.iter().filter(is_known).collect();
    let table = TableOf::new(TableLook::Full, &factors)
        .column(Name, "test", |factor| &factor.test)
        .column(Words, "", |factor| &factor.name)
        .column(Figure, "published", |factor| times(factor.published))
        .column(Figure, "as published", |factor| times(factor.as_published))
        .column(Figure, "= harness", |factor| times(factor.harness))
        .column(Figure, "× file system", |factor| times(factor.plainly))
        .column(Figure, "properly", |factor| times(factor.properly));
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
    let whose = |row: &SummaryRow| match (&row.name, &row.contender) {
        (Some(name), Some(label)) => format!("{name}: {label}"),
        (Some(name), None) => name.clone(),
        (None, Some(label)) => label.to_string(),
        (None, None) => DASH.to_owned(),
    };
    let table = TableOf::new(TableLook::Full, &reproduction.summaries)
        .column(Name, "figure", |row| &row.title)
        .column(Words, "whose", whose)
        .column(Words, "unit", |row| &row.unit)
        .column(Figure, "stated", |row| or_dash(row.stated.clone()))
        .column(Figure, "its own figures", |row| printed(row.published, &row.unit))
        .column(Figure, "as published", |row| printed(row.as_published, &row.unit))
        .column(Figure, "properly", |row| printed(row.properly, &row.unit));
    let meaning = "Stated: what the article says; its own figures: what its table comes to; the others: what was \
        measured here, where every test was.";
    explained("Over all tests", table, meaning)
}

/// One row per test: the published winner, and whether it wins here.
pub fn winners(reproduction: &Reproduction) -> Section {
    let is_known = |winner: &&Winner| [winner.as_published, winner.properly].iter().any(|wins| *wins != Wins::Unknown);
    let rows: Vec<&Winner> = reproduction.winners.iter().filter(is_known).collect();
    let table = TableOf::new(TableLook::Full, &rows)
        .column(Name, "test", |winner| format!("{}{}", winner.test, at_place(winner.at.as_ref())))
        .column(Words, "published winner", |winner| winner.published.join(", "))
        .column(Words, "as published", |winner| words(winner.as_published))
        .column(Words, "properly", |winner| words(winner.properly))
        .column(Figure, "tau, properly [95 %]", |winner| or_dash(winner.tau.as_ref().map(agreement)));
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
    let claims: Vec<(&Claim, &ClaimHere)> = reproduction.article.claims.iter().zip(&reproduction.claims).collect();
    let table = TableOf::new(TableLook::Full, &claims)
        .column(Name, "kind", |(claim, _)| claim.kind.to_string())
        .column(Words, "claim", |(claim, _)| &claim.text)
        .column(Words, "outcome", |(_, here)| here.outcome.to_string())
        .column(Words, "why", |(_, here)| &here.why)
        .column(Words, "by", |(_, here)| if here.checked { "measured here" } else { "" });
    let meaning = "Those that figures of this run can show or refute were checked by them, properly measured; the \
        others are judged from the article's own data and from what is known of its software.";
    explained("What became of its claims", table, meaning)
}

/// Maximum number of further steps of a workload. A workload with more of them has them for another purpose.
const MOST: usize = 8;

/// Steps that belong to no test of the article, by contender.
pub fn further(comparison: &Comparison, reproduction: &Reproduction) -> Section {
    let steps = comparison.workloads.iter().flat_map(|workload| {
        let names = names_of_further(comparison, reproduction, &workload.name);
        names.into_iter().map(|name| (workload.name.as_str(), name))
    });
    let steps: Vec<(&str, &str)> = steps.collect();
    let figure = |(workload, name): &(&str, &str), label: &Label| {
        let step = |cell: &Cell| cell.steps.iter().find(|step| step.name == *name).map(of_step);
        or_dash(comparison.cell(workload, label).and_then(step))
    };
    let labels = comparison.contenders.iter().map(|row| (row.label.to_string(), &row.label));
    let table = TableOf::new(TableLook::Full, &steps)
        .column(Name, "workload", |(workload, _)| *workload)
        .column(Words, "step", |(_, name)| *name)
        .columns(Figure, labels, |step, label| figure(step, label));
    let meaning = "Seconds, with those of the sync after it; in brackets what the step wrote to the device, which for \
        an unmount is what had not been written before. Steps named true only start /bin/true that many times: they \
        do not use a file system.";
    explained("Steps outside of the tests", table, meaning)
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
