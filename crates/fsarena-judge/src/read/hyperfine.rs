//! hyperfine's `--export-json`: each command is a contender, and its times are its rows.

use std::collections::BTreeMap;
use std::rc::Rc;

use fsarena_lane::kind::named_in;

use super::json::Value;
use super::options::size;
use super::{File, ReadError, ResultFigure, positive};
use crate::{InputFacts, Measured};

/// Names of parameters that say which contender it is.
const CONTENDER: [&str; 16] = [
    "fs",
    "filesystem",
    "file_system",
    "fstype",
    "kind",
    "contender",
    "label",
    "dir",
    "directory",
    "path",
    "mount",
    "mountpoint",
    "target",
    "device",
    "disk",
    "dev",
];

pub fn knows(value: &Value) -> bool {
    value["results"][0]["times"].as_array().is_some() && value["results"][0]["command"].as_str().is_some()
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
        let (contender, work) = parameters(result);
        let times = result["times"].as_array().unwrap_or_default();
        let codes = result["exit_codes"].as_array().unwrap_or_default();
        for (number, time) in times.iter().enumerate() {
            let source = format!("{}, `{command}`, run {}", file.name, number + 1);
            let time = positive(time).ok_or_else(|| ReadError::malformed(&source, "its time is no number above 0"))?;
            if codes.get(number).and_then(Value::as_f64).is_some_and(|code| code != 0.0) {
                return Err(ReadError::malformed(&source, "the command failed, so its time is of no work"));
            }
            rows.push(Measured {
                source,
                contender: contender.clone().unwrap_or_else(|| command.to_owned()),
                work: work.clone(),
                time: Some(clock),
                ..file.row(1, ResultFigure::seconds("time", time))
            });
            clock += time;
        }
    }
    Ok(rows)
}

/// The values of the parameters of a command (`--parameter-list`, `--parameter-scan`) that say which contender it is,
/// `None` if it has none, and the other parameters: they define the work.
fn parameters(result: &Value) -> (Option<String>, InputFacts) {
    let all = result["parameters"].as_object().into_iter().flatten();
    let all = all.map(|(name, value)| (name, value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    let is_contender = |(name, value): &(&Rc<str>, String)| {
        CONTENDER.contains(&name.to_lowercase().as_str()) || named_in(value).is_some() || value.starts_with('/')
    };
    let (contender, work): (Vec<_>, Vec<_>) = all.partition(is_contender);
    let contender: Vec<String> = contender.into_iter().map(|(_, value)| value).collect();
    let work = BTreeMap::from_iter(work.into_iter().map(|(name, value)| (name.to_string(), size(&value))));
    (Some(contender.join(" ")).filter(|name| !name.is_empty()), work.into())
}
