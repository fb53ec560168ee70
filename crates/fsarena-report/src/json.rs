//! JSON: the interface's `format` 1, which is the comparison as it stands.

use fsarena_model::Comparison;

/// The comparison as indented JSON.
pub fn render(comparison: &Comparison) -> String {
    let json = serde_json::to_string_pretty(comparison);
    json.expect("a comparison has string keys, and a number that is none becomes null") + "\n"
}
