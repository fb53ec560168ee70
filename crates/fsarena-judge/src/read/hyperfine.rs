//! hyperfine's `--export-json`: each command is a contender, and its times are its rows.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use fsarena_lane::kind::named_in;
use fsarena_model::joined;
use serde_json::Value;

use super::doubts::{folder, is_file, placed};
use super::options::{size, with_word, without_label, without_mounts};
use super::{File, ReadError, positive};
use crate::measured::{Clock, InputFacts, Measured};

/// Names of parameters that say which contender it is.
const CONTENDER: [&str; 24] = [
    "fs", "filesystem", "file_system", "fstype", "kind", "contender", "label", "dir", "directory", "path", "mount",
    "mountpoint", "target", "device", "disk", "dev", "opt", "opts", "options", "mount_options", "mkfs", "scheduler",
    "elevator", "kernel",
];

pub fn knows(value: &Value) -> bool {
    value["results"][0]["times"].as_array().is_some() && value["results"][0]["command"].as_str().is_some()
}

/// `  Time (mean ± σ):      1.2 ms ±   0.1 ms    [User: 0.5 ms, System: 0.6 ms]`.
pub fn is_for_people(file: &File<'_>) -> bool {
    file.text.lines().any(|line| line.trim_start().starts_with("Time (") && line.contains("[User:"))
}

/// Whether a text has the head of a table: `command,mean,stddev,…` of `--export-csv`, or `| Command | Mean [ms] | …`.
pub fn is_table(file: &File<'_>) -> bool {
    let cells: Vec<&str> = file.text.split('|').map(str::trim).collect();
    file.text.lines().any(|line| line.starts_with("command,mean,stddev,"))
        || cells.windows(2).any(|cells| cells[0] == "Command" && cells[1].starts_with("Mean ["))
}

/// The times of each command. hyperfine does all runs of a command before those of the next one, so the time of a row
/// follows from the rows before it. When the file was made is not recorded, so this orders only its own rows.
pub fn read(file: &File<'_>, value: &Value) -> Result<Vec<Measured>, ReadError> {
    let mut rows = Vec::new();
    let mut clock = 0.0;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let results = || value["results"].as_array().into_iter().flatten();
    let commands: BTreeSet<&str> = results().filter_map(|result| result["command"].as_str()).collect();
    // If each command has a file system of its own, these are compared, and the rest of a command is work.
    let kinds: BTreeSet<String> = commands.iter().filter_map(|command| place(command)).collect();
    let are_kinds = kinds.len() > 1 && kinds.len() == commands.len();
    for result in results() {
        let command = result["command"].as_str().unwrap_or_default();
        let (contender, work) = described(file, &parameters(result), command, place(command).filter(|_| are_kinds));
        for (number, time) in result["times"].as_array().into_iter().flatten().enumerate() {
            // A command may be there several times.
            let count = counts.entry(command).or_default();
            *count += 1;
            let source = format!("{}, `{command}`, run {count}", file.name);
            let time = positive(time).ok_or_else(|| ReadError::malformed(&source, "its time is no number above 0"))?;
            // No code (null): it did not end by itself.
            if result["exit_codes"].get(number).is_some_and(|code| code.as_f64() != Some(0.0)) {
                return Err(ReadError::malformed(&source, "the command failed, so its time is of no work"));
            }
            rows.push(Measured {
                source,
                recorded: place(command),
                contender: contender.clone(),
                work: work.clone().into(),
                time: Some(clock),
                clock: Clock::OfFile(file.name.to_owned()),
                ..file.row(1, Measured::seconds("time", time))
            });
            clock += time;
        }
    }
    Ok(rows)
}

/// The file system of a command: what its last path names, since the others may be of what it reads, and no other path
/// names another.
fn place(command: &str) -> Option<String> {
    let is_place = |word: &&str| word.contains('/') && word.contains("/dev/") == word.contains("/dev/shm");
    let paths = || command.split_whitespace().skip(1).filter(is_place);
    placed(paths().last().map(folder)).and_then(|_| placed(paths().map(folder)))
}

/// A command with `{label}` for a label, its file system and mount points, whatever the folders above it are.
fn without_places(command: &str, label: &str) -> String {
    let command = command.replace("/dev/shm", "/mnt/shm");
    let general = without_mounts(&with_word(&without_label(&command, label), &format!("/{label}"), "/{label}"));
    let of = |word: &str| {
        let place = word.find("{label}").unwrap_or_default();
        let above = word[..place].find('/').unwrap_or(place);
        format!("{}{}", &word[..above], &word[place..])
    };
    general.split_inclusive(' ').map(of).collect()
}

/// The values of the parameters of a command by name.
fn parameters(result: &Value) -> InputFacts {
    let all = result["parameters"].as_object().into_iter().flatten();
    let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    all.map(|(name, own)| (name.to_string(), value(own))).collect()
}

/// A command with the names of parameters in place of their values; those that are no words of it, as in `{size}k`, are
/// replaced anywhere.
fn template(command: &str, parameters: &InputFacts) -> String {
    let mut values: Vec<(&String, &String)> = parameters.iter().filter(|(_, value)| !value.is_empty()).collect();
    // A value may be a part of another.
    values.sort_by_key(|(_, value)| Reverse(value.len()));
    values.into_iter().fold(command.to_owned(), |text, (name, value)| {
        let name = format!("{{{name}}}");
        let general = with_word(&text, value, &name);
        if general == text { text.replace(value, &name) } else { general }
    })
}

/// Which contender a command is of, and what defines the work. The contender is in parameters (`--parameter-list`,
/// `--parameter-scan`), the label, or the command itself. The other parameters define the work, and so does a command
/// that is no contender: its template, with `{label}` for a label, its file system and mount points. `kind` is the
/// file system of a command, if that is what is compared.
fn described(file: &File<'_>, parameters: &InputFacts, command: &str, kind: Option<String>) -> (String, InputFacts) {
    let is_contender = |(name, value): &(&String, &String)| {
        CONTENDER.contains(&name.to_lowercase().as_str())
            || named_in(folder(value)).is_some()
            || (value.starts_with('/') && !is_file(value))
    };
    let (contender, work): (Vec<_>, Vec<_>) = parameters.iter().partition(is_contender);
    let general = template(command, parameters);
    let general = if file.is_labelled { without_places(&general, file.label) } else { general };
    let mut of_work: InputFacts = work.into_iter().map(|(name, value)| (name.clone(), size(value))).collect();
    let contender = joined(contender.into_iter().map(|(_, value)| value), " ");
    let contender = match (contender.is_empty(), file.is_labelled) {
        (true, false) => {
            of_work.extend(kind.map(|kind| ("command".to_owned(), without_places(command, &kind))));
            return (command.to_owned(), of_work);
        }
        (true, true) => file.label.to_owned(),
        (false, _) => contender,
    };
    of_work.insert("command".to_owned(), general);
    (contender, of_work)
}
