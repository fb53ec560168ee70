//! One line of a job file.

use super::{Entry, first_name};

/// The content of a line.
pub enum Line {
    /// Empty, or a comment.
    Nothing,
    /// `[name]`.
    Section(String),
    /// `key` or `key=value`.
    Option(Entry),
}

/// The problem, and how to solve it.
pub type Mismatch = (String, &'static str);

/// Maximum length of an option, bytes. fio 3.33 reads the part of a line beyond about 8190 bytes as another line (tried
/// out).
const LONGEST: usize = 1000;

/// Parses a line as fio does: a comment begins at `;` or `#`, `${…}` is replaced.
pub fn line(text: &str, number: usize, variable: &dyn Fn(&str) -> Option<String>) -> Result<Line, Mismatch> {
    let text = text.split([';', '#']).next().unwrap_or_default().trim();
    if text.is_empty() {
        return Ok(Line::Nothing);
    }
    if let Some(rest) = text.strip_prefix('[') {
        let name = rest.split_once(']').map(|(name, _)| name.trim()).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| (format!("`{text}` is not a section"), "a section is [name]"))?;
        return Ok(Line::Section(name.to_owned()));
    }
    if text.split_whitespace().next() == Some("include") {
        return Err(("`include` is not followed".to_owned(), "put the other file's lines here"));
    }
    let (key, value) = text.split_once('=').map_or((text, None), |(key, value)| (key.trim(), Some(value.trim())));
    if key.is_empty() || !key.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter)) {
        return Err((format!("`{key}` is not the name of an option"), "an option is name or name=value"));
    }
    let value = value.map(|value| expand(value, variable)).transpose()?;
    if key.len() + value.as_ref().map_or(0, String::len) > LONGEST {
        return Err((format!("the value of `{key}` is too long"), "at most 1000 letters"));
    }
    Ok(Line::Option(Entry { key: first_name(key), value, line: number }))
}

fn expand(value: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, Mismatch> {
    let mut left = value;
    let mut done = String::new();
    while let Some((before, after)) = left.split_once("${") {
        let (name, rest) = after.split_once('}').ok_or((format!("`{value}`: `${{` without `}}`"), "${NAME}"))?;
        let hint = "set it: NAME=value fsarena …, without signs that mean something to fio";
        let text = variable(name).ok_or((format!("the variable `{name}` is not set"), hint))?;
        if text.contains(['\n', '\r', ';', '#', '$', '[', ']']) {
            return Err((format!("the variable `{name}` has a sign in it that a value cannot have"), hint));
        }
        done += &format!("{before}{text}");
        left = rest;
    }
    Ok(done + left)
}
