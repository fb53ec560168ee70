//! The formats of reports: those of every comparison, and those that articles add.

use std::path::Path;

use anyhow::{Context, Result};
use fsarena_report::Format;

/// All formats, the default first.
pub fn all() -> impl Iterator<Item = &'static Format> {
    fsarena_report::FORMATS.iter().chain(fsarena_articles::FORMATS)
}

/// The format that was asked for; else that of the file's extension, or else the usual one.
///
/// # Errors
/// If there is no such format.
pub fn chosen(name: Option<&str>, file: Option<&Path>, usual: &str) -> Result<&'static Format> {
    named(name.or_else(|| of_file(file?)).unwrap_or(usual))
}

/// The name of the first format whose files have this one's extension.
pub fn of_file(file: &Path) -> Option<&'static str> {
    all().find(|format| file.extension().is_some_and(|found| found == format.extension)).map(|format| format.name)
}

pub fn named(name: &str) -> Result<&'static Format> {
    all().find(|format| format.name == name).with_context(|| format!("there is no format `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_says_its_format_unless_one_is_given() {
        let name = |given, file| chosen(given, file, "text").map(|format| format.name).ok();
        for (file, expected) in [
            ("a.html", "html"),
            ("a.json", "json"),
            ("a.md", "markdown"),
            ("a.csv", "csv"),
            ("a.txt", "text"),
            ("a", "text"),
        ] {
            assert_eq!(name(None, Some(Path::new(file))), Some(expected), "{file}");
        }
        assert_eq!(name(Some("csv"), Some(Path::new("a.html"))), Some("csv"));
        assert_eq!([name(None, None), name(Some("none"), None)], [Some("text"), None]);
    }
}
