//! JSON: a value as it is. That of a comparison is `format` 1 of the interface.

use serde::Serialize;

use fsarena_model::visible::is_ruling;

/// Any value as indented JSON. Control characters in its strings are escaped.
pub fn indented(value: &impl Serialize) -> String {
    let json = serde_json::to_string_pretty(value);
    let json = json.expect("there are string keys only, and a number that is none becomes null") + "\n";
    // Such characters occur in strings only, where JSON allows escapes.
    let show = |c: char| if c != '\n' && is_ruling(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    json.chars().map(show).collect()
}
