//! HTML: one self-contained page, made from the templates in `templates/`.

use fsarena_model::Comparison;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error, HtmlEscape, Output, State, UndefinedBehavior, Value, escape_formatter};
use sha2::{Digest, Sha256};

use crate::report::{Additions, Medium, Report};
use crate::{sections, visible};

/// The templates; the page uses the others. Values are escaped in all whose names end in `.html`.
const TEMPLATES: &[(&str, &str)] =
    &[("page.html", include_str!("../templates/page.html")), ("blocks.html", include_str!("../templates/blocks.html"))];

/// What the page has in its elements `style` and `script`. Its content security policy allows these two by their
/// hashes, and nothing else.
const INLINE: &[(&str, &str)] =
    &[("style", include_str!("../templates/style.css")), ("script", include_str!("../templates/page.js"))];

/// The report as one HTML page.
pub fn render(comparison: &Comparison, additions: Additions) -> String {
    of_report(sections::report(comparison, additions))
}

/// Any report as one HTML page.
pub fn of_report(report: Report) -> String {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_formatter(write_value);
    environment.add_filter("attribute", attribute);
    environment.set_syntax(syntax.expect("the delimiters are the usual ones"));
    for (name, source) in TEMPLATES {
        environment.add_template(name, source).expect("the templates are fixed and tested");
    }
    for (name, text) in INLINE {
        environment.add_global(*name, Value::from_safe_string((*text).to_owned()));
        environment.add_global(format!("{name}_source"), Value::from_safe_string(source_expression(text)));
    }
    let page = environment.get_template("page.html").expect("the page is among the templates");
    let report = report.on(Medium::Page);
    page.render(Serde(report)).expect("the templates ask only for what a report has")
}

/// The source expression of a text in a content security policy: `sha256-` and the hash in base64 (W3C, Content
/// Security Policy Level 3, 2.3.1).
fn source_expression(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text)))
}

/// Base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |group: &[u8]| {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let letter = |place: usize| char::from(LETTERS[(bits >> (18 - 6 * place) & 63) as usize]);
        let letters: String = (0..=group.len()).map(letter).collect();
        format!("{letters:=<4}")
    };
    bytes.chunks(3).map(group).collect()
}

/// Writes a value to the page; no other function does. Control characters become visible, and text in right-to-left
/// scripts is isolated from the text around it.
fn write_value(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    match value.as_str().filter(|_| !value.is_safe()) {
        None => escape_formatter(out, state, value),
        Some(text) if text.contains(is_right_to_left) => Ok(write!(out, "<bdi>{}</bdi>", HtmlEscape(&visible(text)))?),
        Some(text) => Ok(write!(out, "{}", HtmlEscape(&visible(text)))?),
    }
}

/// Escapes a value for places without elements: attributes and the title.
fn attribute(text: &str) -> Value {
    Value::from_safe_string(HtmlEscape(&visible(text)).to_string())
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
    fn base64_is_that_of_the_rfc() {
        let encoded = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn a_source_expression_is_that_of_the_standard() {
        // The example of the MDN page on script-src: the text `alert('Hello, world.');`.
        assert_eq!(
            source_expression("alert('Hello, world.');"),
            "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"
        );
    }
}
