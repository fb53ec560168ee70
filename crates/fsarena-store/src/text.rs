//! How closed sets and JSON are written in columns.

use fsarena_model::{Severity, Status};
use serde::Serialize;

/// A status as the column `run.status` has it.
pub fn of_status(status: Status) -> &'static str {
    match status {
        Status::Complete => "complete",
        Status::Interrupted => "interrupted",
    }
}

/// Anything but `complete` is a run that did not end.
pub fn status(text: &str) -> Status {
    match text {
        "complete" => Status::Complete,
        _ => Status::Interrupted,
    }
}

/// A severity as the column `note.severity` has it.
pub fn of_severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Failure => "failure",
    }
}

/// A word that is unknown here is worth a warning.
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
