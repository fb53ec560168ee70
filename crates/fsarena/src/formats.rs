//! The formats of reports: those of every comparison, and those that articles add.

use anyhow::{Context, Result};
use fsarena_report::Format;

/// All formats, the default first.
pub fn all() -> impl Iterator<Item = &'static Format> {
    fsarena_report::FORMATS.iter().chain(fsarena_articles::FORMATS)
}

/// The format with this name.
pub fn named(name: &str) -> Result<&'static Format> {
    all().find(|format| format.name == name).with_context(|| format!("there is no format `{name}`"))
}
