//! What can be listed, for programs.

use anyhow::Result;
use fsarena_catalog::Suite;
use fsarena_lane::{KINDS, Kind};
use fsarena_model::{Article, Workload};
use serde_json::{Value, json};

use super::{Availability, availability, can_keep_a_rate, nothing};
use crate::commands::FORMAT;
use crate::engines::ENGINES;

/// A category, what has a name, or what mentions a word; everything without either.
pub fn listed(what: Option<&str>) -> Result<Value> {
    let all = [
        Category::new("kinds", KINDS.iter().map(|kind| kind_json(kind))),
        Category::new("workloads", fsarena_catalog::workloads()?.iter().map(workload_json)),
        Category::new("validation", validation(what)?.iter().map(workload_json)),
        Category::new("suites", fsarena_catalog::suites()?.iter().map(suite_json)),
        Category::new("published", fsarena_catalog::articles()?.iter().map(article_json)),
    ];
    let is_category = |name: &str| all.iter().any(|category| category.name == name);
    let named = |entry: &Value| what.is_some_and(|name| entry["name"] == name);
    let is_name = all.iter().flat_map(|category| &category.entries).any(named);
    let mentions = |entry: &Value, word: &str| {
        let texts = entry.as_object().into_iter().flat_map(|entry| entry.values()).filter_map(Value::as_str);
        texts.map(str::to_lowercase).any(|text| text.contains(&word.to_lowercase()))
    };
    let is_wanted = |category: &str, entry: &Value| match what {
        None => true,
        Some(word) if is_category(word) => category == word,
        Some(_) if is_name => named(entry),
        Some(word) => mentions(entry, word),
    };
    let kept = |Category { name, entries }: &Category| {
        let entries: Vec<&Value> = entries.iter().filter(|entry| is_wanted(name, entry)).collect();
        ((*name).to_owned(), json!(entries))
    };
    let kept: serde_json::Map<String, Value> = all.iter().map(kept).collect();
    let is_empty = kept.values().all(|entries| entries.as_array().is_none_or(Vec::is_empty));
    if let Some(word) = what.filter(|_| is_empty) {
        return Err(nothing(word)?);
    }
    let format = ("format".to_owned(), json!(FORMAT));
    Ok(Value::Object(std::iter::once(format).chain(kept).collect()))
}

/// The programs that validate profiles, if they are asked for: by their category, or one by its name.
fn validation(what: Option<&str>) -> Result<Vec<Workload>> {
    let is_wanted = |program: &Workload| what == Some("validation") || what == Some(program.name.as_str());
    Ok(fsarena_catalog::validation()?.into_iter().filter(is_wanted).collect())
}

/// What is listed below one name.
struct Category {
    name: &'static str,
    entries: Vec<Value>,
}

impl Category {
    fn new(name: &'static str, entries: impl Iterator<Item = Value>) -> Self {
        Self { name, entries: entries.collect() }
    }
}

fn kind_json(kind: &Kind) -> Value {
    let found = availability(kind);
    let obstacle = (found != Availability::Here).then(|| found.to_string());
    json!({ "name": kind.name, "about": kind.about, "here": obstacle.is_none(), "obstacle": obstacle })
}

fn workload_json(workload: &Workload) -> Value {
    let missing = ENGINES.missing(workload);
    let is_known = ENGINES.named(&workload.engine).is_some();
    json!({
        "name": workload.name.to_string(), "version": workload.version, "engine": workload.engine,
        "unit": workload.metric.unit, "better": workload.metric.better, "measures": workload.measures,
        "why": workload.why, "rate": can_keep_a_rate(workload), "here": is_known && missing.is_empty(),
        "missing": missing,
    })
}

fn suite_json(suite: &Suite) -> Value {
    json!({
        "name": suite.name, "about": suite.about, "workloads": suite.workloads, "contenders": suite.contenders,
        "groups": suite.groups,
    })
}

fn article_json(article: &Article) -> Value {
    json!({ "name": article.name, "title": article.title, "tests": article.tests.len() })
}
