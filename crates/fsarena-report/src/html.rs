//! HTML: one self-contained page, made from the templates in `templates/`.

use fsarena_model::Comparison;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error, HtmlEscape, Output, State, UndefinedBehavior, Value, escape_formatter};

use crate::report::{Additions, Medium, Report};
use crate::{sections, visible};

/// The templates; the page uses the others. Values are escaped in all whose names end in `.html`.
const TEMPLATES: &[(&str, &str)] = &[
    ("page.html", include_str!("../templates/page.html")),
    ("style.css", include_str!("../templates/style.css")),
    ("blocks.html", include_str!("../templates/blocks.html")),
];

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
    let page = environment.get_template("page.html").expect("the page is among the templates");
    let report = report.on(Medium::Page);
    page.render(Serde(report)).expect("the templates ask only for what a report has")
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
