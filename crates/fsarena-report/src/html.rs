//! HTML: one self-contained page, made from the templates in `templates/`.

use base64::prelude::{BASE64_STANDARD as STANDARD, Engine};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error, Output, State, UndefinedBehavior, Value, escape_formatter};
use sha2::{Digest, Sha256};

use crate::report::{OutputMedium, Report, Sentence};
use crate::svg::escaped;

/// The templates. Values are escaped in all whose names end in `.html`.
const TEMPLATES: &[(&str, &str)] =
    &[("page.html", include_str!("../templates/page.html")), ("blocks.html", include_str!("../templates/blocks.html"))];

const STYLE: &str = include_str!("../templates/style.css");
const SCRIPT: &str = include_str!("../templates/page.js");

/// The content security policy of a page: its own style and script, by their hashes, and nothing else.
fn policy() -> String {
    format!(
        "default-src 'none'; style-src {}; script-src {}; img-src blob:; base-uri 'none'; form-action 'none'",
        source_expression(STYLE),
        source_expression(SCRIPT)
    )
}

/// Any report as one HTML page.
pub fn of_report(report: Report) -> String {
    linked(report, &Sentence::default())
}

/// Like [`of_report`], with links to other pages at the top.
pub fn linked(report: Report, links: &Sentence) -> String {
    let mut environment = environment();
    environment.add_global("links", Serde(links));
    let page = environment.get_template("page.html").expect("it is among the templates");
    page.render(Serde(report.on(OutputMedium::Page))).expect("the template asks only for what there is")
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_formatter(write_value);
    environment.add_filter("attribute", attribute);
    environment.add_filter("breakable", breakable);
    for (name, text) in [("policy", policy()), ("style", STYLE.to_owned()), ("script", SCRIPT.to_owned())] {
        environment.add_global(name, Value::from_safe_string(text));
    }
    environment.set_syntax(syntax.expect("the delimiters are the usual ones"));
    for (name, source) in TEMPLATES {
        environment.add_template(name, source).expect("the templates are fixed and tested");
    }
    environment
}

/// The source expression of a text in a content security policy: `sha256-` and the hash in base64 (W3C, Content
/// Security Policy Level 3, 2.3.1).
fn source_expression(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)))
}

/// Writes a value to the page; no other function does. Control characters become visible, and text in right-to-left
/// scripts is isolated from the text around it.
fn write_value(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.as_str().filter(|_| !value.is_safe()) {
        None => escape_formatter(out, state, value),
        Some(text) if text.contains(is_right_to_left) => Ok(write!(out, "<bdi>{}</bdi>", escaped(text))?),
        Some(text) => Ok(write!(out, "{}", escaped(text))?),
    }
}

/// Escapes a value for places without elements: attributes and the title.
fn attribute(text: &str) -> Value {
    Value::from_safe_string(escaped(text))
}

/// A text that a narrow page may break after a comma, as lists of options have them without spaces.
fn breakable(text: &str) -> Value {
    Value::from_safe_string(escaped(text).replace(',', ",<wbr>"))
}

/// Letters of Hebrew, Arabic and other right-to-left scripts (DerivedBidiClass.txt of the Unicode Character Database).
fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
        || matches!(c, '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_expression_is_that_of_the_standard() {
        // The example of the MDN page on script-src: the text `alert('Hello, world.');`.
        assert_eq!(
            source_expression("alert('Hello, world.');"),
            "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"
        );
    }
}
