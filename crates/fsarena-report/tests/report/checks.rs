//! Checks of any report: foreign texts in it are harmless, and a page is well-formed and self-contained.

use std::collections::BTreeSet;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Escape sequences, a bell, a C1 control character, a separate line, and a change of the reading direction.
pub const EVIL: &str = "\u{1b}[31mred\u{1b}]0;title\u{7}\u{9b}2J\nFORGED \r\u{202e}ltr\u{2066}\u{200f}\u{2028}";

pub fn is_ruling(c: char) -> bool {
    c.is_control() || ('\u{2028}'..='\u{202e}').contains(&c) || "\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}".contains(c)
}

/// The value with `EVIL` appended to every string that may be any text. Strings of closed sets are unchanged.
pub fn evil<T: Serialize + DeserializeOwned>(original: &T) -> T {
    let mut json = serde_json::to_value(original).unwrap();
    let mut keys = BTreeSet::new();
    visit(&mut json, "", &mut |key, _| {
        keys.insert(key.to_owned());
    });
    for wanted in keys {
        let mut spoiled = json.clone();
        visit(&mut spoiled, "", &mut |key, text| {
            if key == wanted {
                text.push_str(EVIL)
            }
        });
        if serde_json::from_value::<T>(spoiled.clone()).is_ok() {
            json = spoiled;
        }
    }
    serde_json::from_value(json).unwrap()
}

/// Calls `see` for all strings, each with its key.
fn visit(value: &mut Value, key: &str, see: &mut dyn FnMut(&str, &mut String)) {
    match value {
        Value::String(text) => see(key, text),
        Value::Array(values) => values.iter_mut().for_each(|value| visit(value, key, see)),
        Value::Object(fields) => fields.iter_mut().for_each(|(key, value)| visit(value, key, see)),
        _ => {}
    }
}

/// Checks that no foreign text controls a terminal or begins a line.
pub fn assert_harmless(format: &str, report: &str) {
    let ruling: Vec<&str> = report.lines().filter(|line| line.contains(is_ruling)).collect();
    assert_eq!(ruling, Vec::<&str>::new(), "{format}");
    assert!(format == "json" || report.contains(r"\u{1b}") || report.contains(r"\\u{1b}"), "{format}");
    // Words are wrapped, so a line may begin with one, after the `/` that replaces a line end.
    let forged = report.replace("/\nFORGED", "").lines().any(|line| line.starts_with("FORGED"));
    assert!(!forged, "{format}");
}

/// The page without what is in its elements `style` and `script`, and without their hashes.
pub fn content(page: &str) -> String {
    let without = |text: &str, begin: &str, end: &str| match text.split_once(begin) {
        Some((before, after)) => format!("{before}{begin}{end}{}", after.split_once(end).unwrap().1),
        None => text.to_owned(),
    };
    let page = without(&without(page, "<style>", "</style>"), "<script>", "</script>");
    let hashes = page.split("'sha256-").skip(1).map(|part| part.split('\'').next().unwrap());
    hashes.fold(page.clone(), |page, hash| page.replace(hash, "…"))
}

/// The tags of a page in their order, without comments and declarations.
fn tags(page: &str) -> impl Iterator<Item = &str> {
    page.split('<')
        .skip(1)
        .map(|part| part.split_once('>').unwrap_or_else(|| panic!("open tag: {part}")).0)
        .filter(|tag| !tag.starts_with('!'))
}

/// Checks that every opened tag is closed, in the right order.
pub fn is_balanced(page: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let content = content(page);
    for tag in tags(&content) {
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap_or_default();
        match tag {
            _ if tag.starts_with('/') => match open.pop() {
                Some(opened) if opened == name => {}
                other => return Err(format!("</{name}> closes {other:?}")),
            },
            _ if tag.ends_with('/') || ["meta", "wbr"].contains(&name) => {}
            _ => open.push(name),
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("never closed: {open:?}")) }
}

/// Checks that a page loads nothing, and that its only script is its own.
pub fn assert_self_contained(page: &str) {
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("url("), "loads something");
    let content = content(page);
    assert_eq!(tags(&content).filter(|tag| tag.starts_with("script")).collect::<Vec<_>>(), ["script"]);
    for tag in tags(&content) {
        let name = tag.split(' ').next().unwrap_or_default();
        assert!(!["link", "img", "iframe", "object"].contains(&name), "<{tag}>");
        assert!(!tag.contains(" src=") || name == "meta", "<{tag}>");
    }
}
