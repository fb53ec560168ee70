//! `fsarena reproduce --published-only`: an article, and the contradictions in its own figures.

use anyhow::Result;
use fsarena_report::TerminalStyle;

use crate::cli::DataFormat;
use crate::commands::{data_format, write};
use crate::exit::Ended;

/// Prints the article `name` as text or JSON; runs nothing.
pub fn run(name: &str, format: Option<&str>, style: TerminalStyle) -> Result<Ended> {
    let format = data_format(format, "an article")?;
    let article = fsarena_articles::article(name)?;
    let findings = fsarena_articles::judge(&article);
    let text = match format {
        DataFormat::Json => fsarena_articles::article_as_json(&article, &findings),
        DataFormat::Text => fsarena_articles::article_as_text(&article, &findings, style),
    };
    write(text.as_bytes())?;
    Ok(Ended::Well)
}
