//! What can be listed, for programs.

use anyhow::Result;
use fsarena_articles::Article;
use fsarena_catalog::{Profile, Suite};
use fsarena_lane::{KINDS, Kind};
use fsarena_model::Workload;
use fsarena_place::ENGINES;
use serde_json::{Value, json};

use super::sought::{self, Sought};
use super::{Availability, availability, can_keep_a_rate, nothing};
use crate::commands::FORMAT;

/// A category, what has a name, or what mentions a word; everything without either.
pub fn listed(what: Option<&str>) -> Result<Value> {
    let (profiles, suites) = (fsarena_catalog::profiles()?, fsarena_catalog::suites()?);
    let (workloads, articles) = (fsarena_catalog::workloads()?, fsarena_articles::articles()?);
    let all = [
        Category::new("kinds", KINDS.iter().copied(), kind_json, sought::of_kind),
        Category::new("workloads", &workloads, workload_json, sought::of_workload),
        Category::new("validation", &validation(what)?, workload_json, sought::of_workload),
        Category::new("suites", &suites, suite_json, sought::of_suite),
        Category::new("profiles", &profiles, profile_json, sought::of_profile),
        Category::new("published", &articles, article_json, sought::of_article),
    ];
    let is_category = |name: &str| all.iter().any(|category| category.name == name);
    let named = |entry: &SearchEntry| what.is_some_and(|name| entry.value["name"] == name);
    let is_name = all.iter().flat_map(|category| &category.entries).any(named);
    let sought = Sought::new(what.unwrap_or_default());
    let is_wanted = |category: &str, entry: &SearchEntry| match what {
        None => true,
        Some(word) if is_category(word) => category == word,
        Some(_) if is_name && !sought.has_topic() => named(entry),
        Some(_) => named(entry) || sought.is_in(&entry.texts),
    };
    let kept = |Category { name, entries }: &Category| {
        let entries = entries.iter().filter(|entry| is_wanted(name, entry));
        ((*name).to_owned(), entries.map(|entry| entry.value.clone()).collect())
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
    entries: Vec<SearchEntry>,
}

/// One thing, and the texts in which a word is looked for.
struct SearchEntry {
    value: Value,
    texts: Vec<String>,
}

impl Category {
    fn new<'a, Listed: 'a>(
        name: &'static str,
        all: impl IntoIterator<Item = &'a Listed>,
        value: fn(&Listed) -> Value,
        texts: fn(&Listed) -> Vec<String>,
    ) -> Self {
        let entries = all.into_iter().map(|one| SearchEntry { value: value(one), texts: texts(one) });
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

fn profile_json(profile: &Profile) -> Value {
    json!({
        "name": profile.name, "about": profile.about, "why": profile.why, "source": profile.source,
        "weights": profile.mix,
    })
}

fn article_json(article: &Article) -> Value {
    json!({ "name": article.name, "title": article.title, "tests": article.tests.len() })
}
