//! hyperfine's `--export-json`: each command is a contender, and its times are its rows.

use serde_json::Value;

use super::{Figure, File, ReadError, positive};
use crate::Measured;

pub fn knows(value: &Value) -> bool {
    value["results"][0]["times"].is_array() && value["results"][0]["command"].is_string()
}

/// `  Time (mean ± σ):      1.2 ms ±   0.1 ms    [User: 0.5 ms, System: 0.6 ms]`.
pub fn is_for_people(file: &File<'_>) -> bool {
    file.text.lines().any(|line| line.trim_start().starts_with("Time (") && line.contains("[User:"))
}

/// The times of each command. hyperfine does all runs of a command before those of the next one, so the time of a row
/// follows from the rows before it.
pub fn read(file: &File<'_>, value: &Value) -> Result<Vec<Measured>, ReadError> {
    let mut rows = Vec::new();
    let mut clock = 0.0;
    for result in value["results"].as_array().into_iter().flatten() {
        let command = result["command"].as_str().unwrap_or_default();
        let times = result["times"].as_array().map(Vec::as_slice).unwrap_or_default();
        let codes = result["exit_codes"].as_array().map(Vec::as_slice).unwrap_or_default();
        for (number, time) in times.iter().enumerate() {
            let source = format!("{}, `{command}`, run {}", file.name, number + 1);
            let time = positive(time).ok_or_else(|| ReadError::malformed(&source, "its time is no number above 0"))?;
            if codes.get(number).and_then(Value::as_i64).is_some_and(|code| code != 0) {
                return Err(ReadError::malformed(&source, "the command failed, so its time is of no work"));
            }
            rows.push(Measured {
                source,
                contender: command.to_owned(),
                time: Some(clock),
                ..file.row(1, Figure::seconds("time", time))
            });
            clock += time;
        }
    }
    Ok(rows)
}
