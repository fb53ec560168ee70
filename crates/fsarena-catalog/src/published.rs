//! Articles, and workloads at the scale of the articles.

use fsarena_model::reproduction::Scale;
use fsarena_model::{Article, Workload};
use serde_json::Value;

use crate::{ARTICLES, CatalogError, find, malformed, parse, same_name};

/// The article `name` of the catalogue.
///
/// # Errors
/// If there is none.
pub fn article(name: &str) -> Result<Article, CatalogError> {
    let (name, text) = find(ARTICLES, name).ok_or_else(|| CatalogError::NoArticle(name.to_owned()))?;
    let article: Article = parse(name, text)?;
    same_name(name, &article.name).map(|()| article)
}

/// All articles of the catalogue, by name.
///
/// # Errors
/// If one is malformed, which a test rules out.
pub fn articles() -> Result<Vec<Article>, CatalogError> {
    ARTICLES.iter().map(|(name, _)| article(name)).collect()
}

/// The workload at `scale`: the values of its table `smoke` or `published` replace its usual values.
///
/// # Errors
/// If that table has a key that a workload does not have, or one that a scale cannot change.
pub fn at_scale(workload: Workload, scale: Scale) -> Result<Workload, CatalogError> {
    let other = match scale {
        Scale::Smoke => workload.smoke.clone(),
        Scale::Standard => None,
        Scale::Published => workload.published.clone().map(without_remark),
    };
    let Some(other) = other else { return Ok(workload) };
    let name = workload.name.clone();
    if let Some(identity) = IDENTITY.iter().find(|key| other.get(key).is_some()) {
        return Err(malformed(&name, &format!("the table of a scale cannot change `{identity}`")));
    }
    let mut value = serde_json::to_value(workload).map_err(|error| malformed(&name, &error.to_string()))?;
    merge(&mut value, &other);
    let of_value = serde_json::from_value(value).map_err(|error| malformed(&name, &error.to_string()));
    of_value.map(|workload: Workload| Workload { smoke: None, published: None, ..workload })
}

/// Keys that a scale cannot change, because it would be another workload.
const IDENTITY: [&str; 3] = ["name", "version", "engine"];

/// A workload at its published scale is not `scaled`, unless its table says so.
fn without_remark(mut published: Value) -> Value {
    if let Value::Object(fields) = &mut published {
        fields.entry("scaled").or_insert(Value::Null);
    }
    published
}

/// Which of `tables` has the name of `table`.
fn named(tables: &[Value], table: &Value) -> Option<usize> {
    let name = table.get("name")?;
    tables.iter().position(|known| known.get("name") == Some(name))
}

/// Tables are merged, also those in lists that have the same name; everything else is replaced.
fn merge(into: &mut Value, other: &Value) {
    match (into, other) {
        (Value::Object(into), Value::Object(other)) => {
            for (key, value) in other {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (Value::Array(into), Value::Array(other)) if other.iter().any(|table| named(into, table).is_some()) => {
            for table in other {
                match named(into, table) {
                    Some(index) => merge(&mut into[index], table),
                    None => into.push(table.clone()),
                }
            }
        }
        (into, other) => *into = other.clone(),
    }
}
