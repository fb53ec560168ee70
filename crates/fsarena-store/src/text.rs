//! How enums and JSON are written in columns.

use fsarena_model::{Severity, Status};
use serde::Serialize;

/// The text of a status in the column `run.status`.
pub fn of_status(status: Status) -> &'static str {
    match status {
        Status::Complete => "complete",
        Status::Interrupted => "interrupted",
    }
}

/// Any text but `complete` means that the run did not end.
pub fn status(text: &str) -> Status {
    match text {
        "complete" => Status::Complete,
        _ => Status::Interrupted,
    }
}

/// The text of a severity in the column `note.severity`.
pub fn of_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Failure => "failure",
    }
}

/// An unknown text counts as a warning.
pub fn severity(text: &str) -> Severity {
    match text {
        "info" => Severity::Info,
        "failure" => Severity::Failure,
        _ => Severity::Warning,
    }
}

/// The JSON of a value of the model.
pub fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the model's values have string keys, and JSON takes any number as null")
}
