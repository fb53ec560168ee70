//! HTML: one page that needs nothing but itself, made from the templates in `templates/`.

mod grids;
mod latencies;
mod matrix;
mod page;
mod place;
mod reading;
mod repeat;
mod reproduction;
mod rounds;
mod section;
mod suite;

use fsarena_model::Comparison;
pub use repeat::shell;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};

/// The templates; the page includes the others. Values are escaped in all that end in `.html`.
const TEMPLATES: &[(&str, &str)] = &[
    ("page.html", include_str!("../templates/page.html")),
    ("style.css", include_str!("../templates/style.css")),
    ("matrix.html", include_str!("../templates/matrix.html")),
    ("mix.html", include_str!("../templates/mix.html")),
    ("suite.html", include_str!("../templates/suite.html")),
    ("workload.html", include_str!("../templates/workload.html")),
    ("explained.html", include_str!("../templates/explained.html")),
    ("grids.html", include_str!("../templates/grids.html")),
    ("latencies.html", include_str!("../templates/latencies.html")),
    ("contenders.html", include_str!("../templates/contenders.html")),
    ("place.html", include_str!("../templates/place.html")),
    ("reproduction.html", include_str!("../templates/reproduction.html")),
    ("reading.html", include_str!("../templates/reading.html")),
];

/// The report as one HTML page.
pub fn render(comparison: &Comparison) -> String {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the delimiters are the usual ones"));
    for (name, source) in TEMPLATES {
        environment.add_template(name, source).expect("the templates are fixed and tested");
    }
    let page = environment.get_template("page.html").expect("the page is among the templates");
    page.render(Serde(page::Page::new(comparison))).expect("the templates ask only for what the page has")
}
