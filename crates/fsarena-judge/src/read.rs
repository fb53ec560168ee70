//! Reads the files of other tools. A new tool is one file and one line in [`JSON`].

mod csv;
mod fio;
mod hyperfine;
mod kdevops;

use serde_json::Value;

pub use csv::{CsvColumns, read as csv};

use crate::Measured;

/// Why a file was not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON.
    #[error("{name} is not JSON: {why}")]
    NotJson {
        /// The file.
        name: String,
        /// The parser's words.
        why: String,
    },
    /// It is the JSON of no tool that is known.
    #[error("{name} is JSON of a tool that is not known here")]
    UnknownTool {
        /// The file.
        name: String,
    },
    /// A part of it is missing or not as expected.
    #[error("{place}: {why}")]
    Malformed {
        /// The file, and the place in it.
        place: String,
        /// What is wrong.
        why: String,
    },
}

impl ReadError {
    fn malformed(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Malformed { place: place.into(), why: why.into() }
    }
}

/// A tool whose results are JSON.
struct Tool {
    /// Whether a file is one of its results.
    knows: fn(&Value) -> bool,
    /// Reads a result. The label is what the user calls the file.
    read: fn(label: &str, &Value) -> Result<Vec<Measured>, ReadError>,
}

const JSON: [Tool; 3] = [
    Tool { knows: fio::knows, read: fio::read },
    Tool { knows: hyperfine::knows, read: hyperfine::read },
    Tool { knows: kdevops::knows, read: kdevops::read },
];

/// The rows of a JSON file: of fio, hyperfine, or kdevops' Milvus workflow. `label` names the contender where the file
/// itself does not.
///
/// # Errors
/// [`ReadError`] says what is not understood.
pub fn json(label: &str, text: &str) -> Result<Vec<Measured>, ReadError> {
    // fio prints warnings before its JSON.
    let text = text.find(['{', '[']).map_or(text, |start| &text[start..]);
    let value: Value = serde_json::from_str(text)
        .map_err(|error| ReadError::NotJson { name: label.to_owned(), why: error.to_string() })?;
    let tool = JSON.iter().find(|tool| (tool.knows)(&value));
    let rows = (tool.ok_or_else(|| ReadError::UnknownTool { name: label.to_owned() })?.read)(label, &value)?;
    match rows.is_empty() {
        true => Err(ReadError::malformed(label, "it has no result")),
        false => Ok(rows),
    }
}

/// A positive number.
fn positive(value: &Value) -> Option<f64> {
    value.as_f64().filter(|value| value.is_finite() && *value > 0.0)
}
