//! Mistakes in TOML and JSON, in words of these files instead of words of Rust.

/// The message of an error of serde in one line of plain words: `-1 is not a whole number`.
pub fn in_words(message: &str) -> String {
    let message = message.trim().replace('\n', ", ");
    let (before, after) = message.split_once(", expected ").unwrap_or((&message, ""));
    let others = after.strip_prefix("one of ").unwrap_or(after);
    let but = if others.is_empty() || others.starts_with("there ") { String::new() } else { format!(", but {others}") };
    if let Some(key) = before.strip_prefix("missing field ") {
        format!("{key} is missing")
    } else if let Some(key) = before.strip_prefix("unknown field ") {
        format!("there is no key {key}{but}")
    } else if let Some(value) = before.strip_prefix("unknown variant ") {
        format!("there is no {value}{but}")
    } else if let Some(found) = before.strip_prefix("invalid type: ").or(before.strip_prefix("invalid value: ")) {
        format!("{} is not {}", value(found), kind(after))
    } else {
        message
    }
}

/// What was found.
fn value(found: &str) -> &str {
    match found {
        "map" => "a table",
        _ if found.starts_with("seq") => "a list",
        "null" => "nothing",
        _ => {
            let kinds = ["integer ", "floating point ", "string ", "boolean "];
            kinds.iter().find_map(|kind| found.strip_prefix(kind)).unwrap_or(found)
        }
    }
}

/// What belongs there.
fn kind(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" => "a text",
        "a boolean" => "true or false",
        _ if expected.starts_with("a seq") => "a list",
        "a map" => "a table",
        _ if expected.starts_with("struct ") => "a table",
        _ => expected,
    }
}
