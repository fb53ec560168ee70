//! The store as pages: what is where, and how errors look.

mod http;

use anyhow::Result;
use fsarena_analyse::assess;
use fsarena_articles::additions;
use fsarena_model::{ErrorCategory, Status as RunStatus};
use fsarena_place::{Refusal, words};
use fsarena_report::{Link, RunLine, Runs, report::Report};
use fsarena_store::RunRow;

use crate::cli::Global;
use crate::commands::{difference, history_of};
use crate::exit::explain;
use crate::places;

pub use http::Server;
use http::{Answer, Request, Status, encoded};

/// What pages may load and do: that of each page, and only its own forms, in no frame.
pub fn policy() -> String {
    format!("{}; frame-ancestors 'none'", fsarena_report::policy())
}

/// The answer to a request; reads the store at that moment.
pub fn answer(global: &Global, request: &Request) -> Answer {
    match page(global, request) {
        Ok(Some(page)) => Answer { status: Status::OK, page },
        Ok(None) => failed(Status::NOT_FOUND, "There is no such page.", None),
        Err(error) => {
            let (category, hint) = explain(&error);
            let is_use = category == ErrorCategory::Use;
            let status = if is_use { Status::BAD_REQUEST } else { Status::INTERNAL_SERVER_ERROR };
            failed(status, &words(&error), hint)
        }
    }
}

/// The page at an address; `None` if there is none.
fn page(global: &Global, request: &Request) -> Result<Option<String>> {
    let parts: Vec<&str> = request.path.split('/').skip(1).collect();
    Ok(match parts[..] {
        [""] => Some(runs(global)?),
        ["runs", number] => Some(run(global, number)?),
        ["diff"] => Some(diff(global, request)?),
        ["history"] => Some(history(global, request)?),
        _ => None,
    })
}

fn runs(global: &Global) -> Result<String> {
    let store = places::store_to_read(global)?;
    let history = |name: String| Link { address: format!("/history?workload={}", encoded(&name)), text: name };
    Ok(fsarena_report::runs(&Runs {
        title: "Runs".to_owned(),
        store: store.path().display().to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        runs: store.runs()?.into_iter().rev().map(line).collect(),
        workloads: store.workloads()?.into_iter().map(history).collect(),
    }))
}

fn line(row: RunRow) -> RunLine {
    let labels: Vec<&str> = row.contenders.iter().map(|label| label.0.as_str()).collect();
    RunLine {
        run: row.run,
        started: row.started,
        status: if row.status == RunStatus::Complete { "complete" } else { "interrupted" }.to_owned(),
        rounds: row.rounds,
        work: row.suite.unwrap_or_default(),
        contenders: labels.join(", "),
        tags: row.tags.join(", "),
    }
}

fn run(global: &Global, number: &str) -> Result<String> {
    let record = places::store_to_read(global)?.load(parsed(number)?)?;
    let comparison = assess(&record);
    let additions = additions(&record, &comparison)?;
    Ok(linked(fsarena_report::comparison(&comparison, additions)))
}

/// Sides are numbers only: other names would be those of files.
fn diff(global: &Global, request: &Request) -> Result<String> {
    let side = |name| parsed(asked(request, name)?).map(|run| run.to_string());
    let difference = difference(global, &side("before")?, &side("after")?, None)?;
    Ok(linked(fsarena_report::difference(&difference, env!("CARGO_PKG_VERSION"))))
}

fn history(global: &Global, request: &Request) -> Result<String> {
    let history = history_of(global, asked(request, "workload")?, None)?;
    Ok(linked(fsarena_report::history(&history, env!("CARGO_PKG_VERSION"))))
}

fn asked<'a>(request: &'a Request, name: &str) -> Result<&'a str> {
    let refusal = || Refusal::wrong_use(format!("the address has no `{name}=`"), "follow the links of the first page");
    Ok(request.value(name).ok_or_else(refusal)?)
}

fn parsed(number: &str) -> Result<i64> {
    let refusal = |_| Refusal::wrong_use(format!("`{number}` is not a run's number"), "the first page lists the runs");
    Ok(number.parse().map_err(refusal)?)
}

fn linked(report: Report) -> String {
    fsarena_report::linked(report, &[Link { address: "/".to_owned(), text: "All runs".to_owned() }])
}

/// The page that says what went wrong.
fn failed(status: Status, text: &str, hint: Option<String>) -> Answer {
    let page = linked(Report {
        facts: Vec::new(),
        alarms: vec![text.to_owned()],
        answer: hint.into_iter().map(Into::into).collect(),
        ..Report::new(status.0, String::new(), env!("CARGO_PKG_VERSION"))
    });
    Answer { status, page }
}
