//! HTML: one self-contained page, made from the templates in `templates/`.

use fsarena_model::Comparison;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error, HtmlEscape, Output, State, UndefinedBehavior, Value, escape_formatter};
use serde::Serialize;

use crate::report::{Additions, Medium, Report};
use crate::{sections, visible};

/// The Content-Security-Policy of a page: nothing from outside, no scripts.
pub const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The templates; `page.html` and `runs.html` use the others. Values are escaped in all whose names end in `.html`.
const TEMPLATES: &[(&str, &str)] = &[
    ("page.html", include_str!("../templates/page.html")),
    ("runs.html", include_str!("../templates/runs.html")),
    ("head.html", include_str!("../templates/head.html")),
    ("style.css", include_str!("../templates/style.css")),
    ("blocks.html", include_str!("../templates/blocks.html")),
];

/// The report as one HTML page.
pub fn render(comparison: &Comparison, additions: Additions) -> String {
    of_report(sections::report(comparison, additions))
}

/// Any report as one HTML page.
pub fn of_report(report: Report) -> String {
    linked(report, &[])
}

/// A link to another page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Its address.
    pub address: String,
    /// Its text.
    pub text: String,
}

/// Like [`of_report`], with links to other pages at the top.
pub fn linked(report: Report, links: &[Link]) -> String {
    let mut environment = environment();
    environment.add_global("links", Serde(links));
    rendered(&environment, "page.html", report.on(Medium::Page))
}

/// The runs of a store, for a page that leads to others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Runs {
    /// The title.
    pub title: String,
    /// Where the store is.
    pub store: String,
    /// The version of the program.
    pub version: String,
    /// The runs, in the order of the page.
    pub runs: Vec<RunLine>,
    /// The histories of workloads.
    pub workloads: Vec<Link>,
}

/// A run in a list of runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunLine {
    /// Its number; its page is `/runs/NUMBER`.
    pub run: i64,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// How far it has come.
    pub status: String,
    /// Rounds that were finished.
    pub rounds: u32,
    /// The suite or profile.
    pub work: String,
    /// The labels of the contenders.
    pub contenders: String,
    /// The tags.
    pub tags: String,
}

/// The page of a store: a form asks for `/diff?before=NUMBER&after=NUMBER`.
pub fn runs(runs: &Runs) -> String {
    rendered(&environment(), "runs.html", runs)
}

fn rendered(environment: &Environment<'_>, template: &str, value: impl Serialize) -> String {
    let page = environment.get_template(template).expect("it is among the templates");
    page.render(Serde(value)).expect("the templates ask only for what there is")
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_formatter(write_value);
    environment.add_filter("attribute", attribute);
    environment.add_global("policy", Value::from_safe_string(POLICY.to_owned()));
    environment.set_syntax(syntax.expect("the delimiters are the usual ones"));
    for (name, source) in TEMPLATES {
        environment.add_template(name, source).expect("the templates are fixed and tested");
    }
    environment
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
