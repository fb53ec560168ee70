//! Articles, and workloads at the size that those had.

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

/// The workload at the size of the work that it stands for: its table `published` takes the place of what it has.
///
/// # Errors
/// If that table has what a workload has not.
pub fn at_published_scale(workload: Workload) -> Result<Workload, CatalogError> {
    let Some(published) = workload.published.clone() else { return Ok(workload) };
    let name = workload.name.clone();
    let mut value = serde_json::to_value(workload).map_err(|error| malformed(&name, &error.to_string()))?;
    merge(&mut value, &published);
    let of_value = serde_json::from_value(value).map_err(|error| malformed(&name, &error.to_string()));
    of_value.map(|workload: Workload| Workload { scaled: None, published: None, ..workload })
}

/// Tables are merged; everything else is replaced.
fn merge(into: &mut Value, other: &Value) {
    match (into, other) {
        (Value::Object(into), Value::Object(other)) => {
            for (key, value) in other {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, other) => *into = other.clone(),
    }
}
