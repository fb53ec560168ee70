//! An article by itself: its published figures, the rules' findings in them, and the outcomes of its claims.

use fsarena_model::Better;
use fsarena_report::report::{ColumnKind, List, ListLook, Paragraph, Report, Section, Table, TableLook, TableOf, Tone};
use fsarena_report::{TerminalStyle, json, report_text};
use serde::Serialize;

use crate::Finding;
use crate::article::{
    Article, Claim, ClaimOutcome, Counterpart, Figure, Precision, PublishedContender, PublishedMetric, PublishedTest,
    Source, StatedOrder, at_place,
};

/// An article as text for a terminal, with the rules' findings.
pub fn article_as_text(article: &Article, findings: &[Finding], style: TerminalStyle) -> String {
    report_text(report(article, findings), style)
}

fn report(article: &Article, findings: &[Finding]) -> Report {
    let original = format!("{} ({}, {})", article.title, article.name, article.language);
    let stated = article.machine.iter().map(|(name, what)| format!("{name}: {what}"));
    let limits = article.limits.iter().map(|limit| format!("limit: {}", limit.why));
    let mut sections = vec![
        Section::default().with(Paragraph::plain(original)).with(Paragraph::plain(&article.source)),
        Section::titled("Machine and method").with(List::new(ListLook::Notes, stated.chain(limits))),
        Section::titled("Contenders").with(List::new(ListLook::Notes, article.contenders.iter().map(contender))),
        Section::default().with(found(findings, None)),
    ];
    sections.extend(article.tests.iter().map(|test| of_test(article, test, findings)));
    sections.push(Section::titled("Claims").with_all(article.claims.iter().map(of_claim)));
    sections.push(
        Section::titled("What a reproduction does otherwise, and what it has no test for")
            .with(List::new(ListLook::Notes, differences(article))),
    );
    sections.push(Section::default().with(Paragraph::plain(counts(article, findings))));
    Report { sections, ..Report::new(&article.english, &article.english, env!("CARGO_PKG_VERSION")) }
}

/// An article and the findings of the rules in it, as indented JSON with the keys `article` and `findings`.
pub fn article_as_json(article: &Article, findings: &[Finding]) -> String {
    json(&JudgedClaims { article, findings })
}

#[derive(Serialize)]
struct JudgedClaims<'a> {
    article: &'a Article,
    findings: &'a [Finding],
}

fn contender(contender: &PublishedContender) -> String {
    let here = match contender.here.is_empty() {
        true => "cannot be had here".to_owned(),
        false => format!("here: {}", contender.here.join(" or ")),
    };
    let differs = contender.differs.as_ref().map(|differs| format!(". {differs}")).unwrap_or_default();
    format!("{}: {}; {here}{differs}", contender.name, contender.about)
}

/// What a reproduction does otherwise, and what corresponds to what the article has apart from its tests.
fn differences(article: &Article) -> impl Iterator<Item = String> {
    let further = article.further.iter().map(|further| match &further.counterpart {
        Counterpart::Here(here) => format!("{}; here: {here}", further.what),
        Counterpart::Nothing(why) => format!("{}; nothing here: {why}", further.what),
    });
    article.differences.iter().cloned().chain(further)
}

fn of_test(article: &Article, test: &PublishedTest, findings: &[Finding]) -> Section {
    let remark = test.remark.as_ref().map(|remark| format!("remark: {remark}"));
    let facts = given_again(test).into_iter().chain(orders(test)).chain(remark);
    let sources = [sources("here as published", &test.as_published), sources("here properly", &test.properly)];
    Section::titled(format!("{} ({})", test.title, test.name))
        .with(Paragraph::plain(format!("{}, {}: {}", test.original, test.shown, test.method)))
        .with(figures(article, test))
        .with(List::new(ListLook::Notes, facts))
        .with(found(findings, Some(&test.name)))
        .with(List::new(ListLook::Notes, sources.into_iter().flatten()).in_tone(Tone::Legend))
}

/// The findings about a test, or about several tests if `test` is `None`.
fn found(findings: &[Finding], test: Option<&str>) -> List {
    let of_it = findings.iter().filter(|finding| finding.violation.test.as_deref() == test);
    let line = |Finding { rule, violation }: &Finding| {
        let of = violation.metric.as_ref().map(|metric| format!(", {metric}")).unwrap_or_default();
        format!("! {rule}{of}: {}", violation.sentence)
    };
    List::new(ListLook::Notes, of_it.map(line)).in_tone(Tone::Alarm)
}

fn sources(what: &str, sources: &[Source]) -> Option<String> {
    let source = |source: &Source| {
        let synced = if source.synced { ", synced" } else { "" };
        match source.steps.is_empty() {
            true => format!("{}{synced}", source.workload),
            false => format!("{} ({}){synced}", source.workload, source.steps.join(" + ")),
        }
    };
    let all: Vec<String> = sources.iter().map(source).collect();
    (!all.is_empty()).then(|| format!("{what}: {}", all.join(", else ")))
}

fn of_claim(claim: &Claim) -> Section {
    let lines = [claim.text.clone(), format!("\"{}\"", claim.original), claim.why.clone()];
    Section::titled(format!("{} ({}): {}", claim.name, claim.kind, claim.outcome))
        .with(List::new(ListLook::Notes, lines))
}

/// The number of tests, figures, orders, findings and claims, in one sentence.
fn counts(article: &Article, findings: &[Finding]) -> String {
    let outcomes = ClaimOutcome::ALL.map(|outcome| format!("{outcome} {}", article.count_of_claims(outcome)));
    format!(
        "{} tests, {} figures, {} orders; {} findings of rules; {} claims: {}.",
        article.tests.len(),
        article.count_of_figures(),
        article.count_of_rankings(),
        findings.len(),
        article.claims.len(),
        outcomes.join(", ")
    )
}

/// The table of a test: one row for each metric with figures, one column for each contender with a figure.
fn figures(article: &Article, test: &PublishedTest) -> Table {
    let rows: Vec<&PublishedMetric> = test.metrics.iter().filter(|metric| !metric.figures.is_empty()).collect();
    let has = |name: &&str| rows.iter().any(|metric| !figures_of(metric, name).is_empty());
    let contenders: Vec<&str> = article.contenders.iter().map(|contender| &*contender.name).filter(has).collect();
    let contenders = contenders.into_iter().map(|name| (name.to_owned(), name));
    TableOf::new(TableLook::Full, &rows)
        .column(ColumnKind::Name, "metric", |metric| &metric.name)
        .column(ColumnKind::Words, "unit", |metric| &metric.unit)
        .column(ColumnKind::Words, "better", |metric| if metric.better == Better::Higher { "higher" } else { "lower" })
        .columns(ColumnKind::Figure, contenders, |metric, name| figures_of(metric, name))
        .done()
}

/// The figures of a contender in a metric, as the article writes them.
fn figures_of(metric: &PublishedMetric, name: &str) -> String {
    let figures = metric.figures.iter().filter(|figure| figure.contender == name);
    figures.map(written).collect::<Vec<_>>().join(", ")
}

fn written(figure: &Figure) -> String {
    let bound = match figure.precision {
        Precision::Exact => "",
        Precision::About => "≈ ",
        Precision::AtMost => "≤ ",
        Precision::AtLeast => "≥ ",
    };
    format!("{bound}{}{}", figure.text, at_place(figure.at.as_ref()))
}

/// Other places in the article with figures of a test, and their texts there.
fn given_again(test: &PublishedTest) -> Option<String> {
    let figures = test.metrics.iter().flat_map(|metric| metric.figures.iter().map(move |figure| (metric, figure)));
    let again = figures.flat_map(|(metric, figure)| {
        let start = format!("{}, {}", metric.name, figure.contender);
        figure.again.iter().map(move |again| format!("{start}: {} ({})", again.text, again.place))
    });
    let again: Vec<String> = again.collect();
    (!again.is_empty()).then(|| format!("given again: {}", again.join("; ")))
}

/// The orders that the article states, with their metric if the test has several.
fn orders(test: &PublishedTest) -> impl Iterator<Item = String> {
    test.metrics.iter().flat_map(|metric| {
        let of = if test.metrics.len() > 1 { format!(" by {}", metric.name) } else { String::new() };
        metric.rankings.iter().map(move |ranking| order(ranking, &of))
    })
}

fn order(ranking: &StatedOrder, of: &str) -> String {
    let at = at_place(ranking.at.as_ref());
    let groups: Vec<String> = ranking.order.iter().map(|group| group.join(" = ")).collect();
    let unfinished = match ranking.did_not_finish.is_empty() {
        true => String::new(),
        false => format!("; did not finish: {}", ranking.did_not_finish.join(", ")),
    };
    format!("order{of}{at}: {}{unfinished} \"{}\"", groups.join(" > "), ranking.original)
}
