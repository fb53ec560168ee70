//! JSON: the comparison as it is, which is `format` 1 of the interface; and articles as they are stored.

use fsarena_articles::Finding;
use fsarena_model::{Article, Comparison};
use serde::Serialize;

use crate::visible::is_ruling;

/// The comparison as indented JSON.
pub fn render(comparison: &Comparison) -> String {
    indented(comparison)
}

/// An article and the findings of the rules in it, as indented JSON with the keys `article` and `findings`.
pub fn article(article: &Article, findings: &[Finding]) -> String {
    indented(&Judged { article, findings })
}

#[derive(Serialize)]
struct Judged<'a> {
    article: &'a Article,
    findings: &'a [Finding],
}

fn indented(value: &impl Serialize) -> String {
    let json = serde_json::to_string_pretty(value);
    let json = json.expect("there are string keys only, and a number that is none becomes null") + "\n";
    // Such characters occur in strings only, where JSON allows escapes.
    let show = |c: char| if c != '\n' && is_ruling(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    json.chars().map(show).collect()
}
