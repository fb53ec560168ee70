//! An article by itself: its published figures, the rules' findings in them, and the outcomes of its claims.

mod figures;

use std::fmt::Write;

use crate::article::{Article, Claim, ClaimOutcome, Counterpart, PublishedContender, PublishedTest, Source};
use fsarena_report::layout::{TextTone, painted, table, wrapped};
use fsarena_report::report::Table;
use fsarena_report::{TerminalStyle, json};
use serde::Serialize;

use crate::Finding;

/// Indentation below a heading.
const INDENT: &str = "  ";

/// An article as text for a terminal, with the rules' findings.
pub fn article_as_text(article: &Article, findings: &[Finding], style: TerminalStyle) -> String {
    let mut blocks = vec![head(article, style), machine(article, style), contenders(article, style)];
    blocks.extend(found(findings, None, style));
    blocks.extend(article.tests.iter().map(|test| of_test(article, test, findings, style)));
    blocks.push(painted("Claims", TextTone::Strong, style.color));
    blocks.extend(article.claims.iter().map(|claim| of_claim(claim, style)));
    blocks.extend(differences(article, style));
    blocks.push(wrapped(&counts(article, findings), "", style.width));
    blocks.retain(|block| !block.is_empty());
    blocks.join("\n\n") + "\n"
}

/// An article and the findings of the rules in it, as indented JSON with the keys `article` and `findings`.
pub fn article_as_json(article: &Article, findings: &[Finding]) -> String {
    json(&Judged { article, findings })
}

#[derive(Serialize)]
struct Judged<'a> {
    article: &'a Article,
    findings: &'a [Finding],
}

fn head(article: &Article, style: TerminalStyle) -> String {
    let title = painted(&article.english, TextTone::Strong, style.color);
    let original = format!("{} ({}, {})", article.title, article.name, article.language);
    [title, wrapped(&original, "", style.width), wrapped(&article.source, "", style.width)].join("\n")
}

fn machine(article: &Article, style: TerminalStyle) -> String {
    let stated = article.machine.iter().map(|(name, what)| paragraph(&format!("{name}: {what}"), style));
    let limits = article.limits.iter().map(|limit| paragraph(&format!("limit: {}", limit.why), style));
    let lines: Vec<String> = stated.chain(limits).collect();
    heading("Machine and method", style) + &lines.join("\n")
}

fn contenders(article: &Article, style: TerminalStyle) -> String {
    let line = |contender: &PublishedContender| {
        let here = match contender.here.is_empty() {
            true => "cannot be had here".to_owned(),
            false => format!("here: {}", contender.here.join(" or ")),
        };
        let differs = contender.differs.as_ref().map(|differs| format!(". {differs}")).unwrap_or_default();
        paragraph(&format!("{}: {}; {here}{differs}", contender.name, contender.about), style)
    };
    heading("Contenders", style) + &article.contenders.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What a reproduction does otherwise, and what corresponds to what the article has apart from its tests.
fn differences(article: &Article, style: TerminalStyle) -> Option<String> {
    let further = article.further.iter().map(|further| match &further.counterpart {
        Counterpart::Here(here) => format!("{}; here: {here}", further.what),
        Counterpart::Nothing(why) => format!("{}; nothing here: {why}", further.what),
    });
    let lines = article.differences.iter().cloned().chain(further).map(|line| paragraph(&line, style));
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty())
        .then(|| heading("What a reproduction does otherwise, and what it has no test for", style) + &lines.join("\n"))
}

fn of_test(article: &Article, test: &PublishedTest, findings: &[Finding], style: TerminalStyle) -> String {
    let mut lines = vec![painted(&format!("{} ({})", test.title, test.name), TextTone::Strong, style.color)];
    lines.push(paragraph(&format!("{}, {}: {}", test.original, test.shown, test.method), style));
    lines.extend(figures::of_test(article, test, style));
    lines.extend(figures::again(test, style));
    lines.extend(figures::orders(test, style));
    lines.extend(test.remark.as_ref().map(|remark| paragraph(&format!("remark: {remark}"), style)));
    lines.extend(found(findings, Some(&test.name), style));
    lines.extend(sources("here as published", &test.as_published, style));
    lines.extend(sources("here properly", &test.properly, style));
    lines.join("\n")
}

/// The findings about a test, or about several tests if `test` is `None`.
fn found(findings: &[Finding], test: Option<&str>, style: TerminalStyle) -> Option<String> {
    let of_it = findings.iter().filter(|finding| finding.violation.test.as_deref() == test);
    let line = |Finding { rule, violation }: &Finding| {
        let of = violation.metric.as_ref().map(|metric| format!(", {metric}")).unwrap_or_default();
        painted(&paragraph(&format!("! {rule}{of}: {}", violation.sentence), style), TextTone::Bad, style.color)
    };
    let lines: Vec<String> = of_it.map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn sources(what: &str, sources: &[Source], style: TerminalStyle) -> Option<String> {
    let source = |source: &Source| {
        let synced = if source.synced { ", synced" } else { "" };
        match source.steps.is_empty() {
            true => format!("{}{synced}", source.workload),
            false => format!("{} ({}){synced}", source.workload, source.steps.join(" + ")),
        }
    };
    let all: Vec<String> = sources.iter().map(source).collect();
    (!all.is_empty())
        .then(|| painted(&paragraph(&format!("{what}: {}", all.join(", else ")), style), TextTone::Faint, style.color))
}

fn of_claim(claim: &Claim, style: TerminalStyle) -> String {
    let tone = match claim.outcome {
        ClaimOutcome::Holds => TextTone::Decided,
        ClaimOutcome::NotTestable => TextTone::Open,
        ClaimOutcome::DoesNotHold | ClaimOutcome::Unsupported | ClaimOutcome::Contradiction => TextTone::Bad,
    };
    let outcome = painted(&claim.outcome.to_string(), tone, style.color);
    let lines = [claim.text.clone(), format!("\"{}\"", claim.original), claim.why.clone()];
    let lines = lines.map(|line| paragraph(&line, style));
    format!("{} ({}): {outcome}\n{}", claim.name, claim.kind, lines.join("\n"))
}

/// The number of tests, figures, orders, findings and claims, in one sentence.
fn counts(article: &Article, findings: &[Finding]) -> String {
    let mut text = format!(
        "{} tests, {} figures, {} orders; {} findings of rules; {} claims:",
        article.tests.len(),
        article.count_of_figures(),
        article.count_of_rankings(),
        findings.len(),
        article.claims.len()
    );
    for outcome in ClaimOutcome::ALL {
        write!(text, " {outcome} {},", article.count_of_claims(outcome)).expect("a string takes it");
    }
    text.trim_end_matches(',').to_owned() + "."
}

fn heading(text: &str, style: TerminalStyle) -> String {
    painted(text, TextTone::Strong, style.color) + "\n"
}

/// An indented paragraph in lines that fit.
fn paragraph(text: &str, style: TerminalStyle) -> String {
    let further = INDENT.repeat(2);
    format!("{INDENT}{}", wrapped(text, &further, style.width.saturating_sub(INDENT.len())))
}

/// An indented table.
fn indented(wide: &Table, style: TerminalStyle) -> String {
    let lines = table(wide, style.color);
    lines.lines().map(|line| format!("{INDENT}{line}")).collect::<Vec<_>>().join("\n")
}
