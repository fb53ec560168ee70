//! JSON: a value as it is. That of a comparison is `format` 1 of the interface.

use std::collections::BTreeMap;

use fsarena_model::Comparison;
use fsarena_model::visible::is_ruling;
use serde::Serialize;
use serde_json::Value;

use crate::report::Additions;

/// A comparison with what another crate adds.
pub fn with_members(comparison: &Comparison, additions: &Additions) -> String {
    #[derive(Serialize)]
    struct WithMembers<'a> {
        #[serde(flatten)]
        comparison: &'a Comparison,
        #[serde(flatten)]
        members: &'a BTreeMap<&'static str, Value>,
    }
    indented(&WithMembers { comparison, members: &additions.members })
}

/// Any value as indented JSON. Control characters in its strings are escaped.
pub fn indented(value: &impl Serialize) -> String {
    let json = serde_json::to_string_pretty(value);
    let json = json.expect("there are string keys only, and a number that is none becomes null") + "\n";
    // Such characters occur in strings only, where JSON allows escapes.
    let show = |c: char| if c != '\n' && is_ruling(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    json.chars().map(show).collect()
}
