//! `fsarena reproduce`: runs an article's tests and compares the results with the published ones.

use anyhow::Result;

use super::{compare, data_format, write};
use crate::cli::{DataFormat, Global, Reproduce};
use crate::exit::Ended;
use crate::{places, plan};

/// Runs the article's tests and prints the reproduction; or prints the article, and the contradictions in its own
/// figures.
pub fn run(global: &Global, options: &Reproduce) -> Result<Ended> {
    if !options.published_only {
        return compare::carry_out(global, plan::of_article(options)?, &options.setup);
    }
    let format = data_format(options.setup.shown.format.as_deref(), "an article")?;
    let article = fsarena_articles::article(&options.article)?;
    let findings = fsarena_articles::judge(&article);
    let text = match format {
        DataFormat::Json => fsarena_articles::article_as_json(&article, &findings),
        DataFormat::Text => fsarena_articles::article_as_text(&article, &findings, places::style(global)),
    };
    write(text.as_bytes())?;
    Ok(Ended::Well)
}
