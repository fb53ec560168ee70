//! hyperfine's `--export-json`: each command is a contender, and its times are its rows.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use fsarena_lane::kind::named_in;

use super::doubts::{folder, is_file, placed};
use super::json::Value;
use super::options::{places_of, size, with_word, without_label, without_mounts};
use super::{File, ReadError, ResultFigure, positive};
use crate::{InputFacts, Measured};

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
    let command = |result: &'_ Value| result["command"].as_str().unwrap_or_default().to_owned();
    let commands: BTreeSet<String> = results().map(command).collect();
    // If each command has a file system of its own, these are compared, and the rest of a command is work.
    let kinds: BTreeSet<String> = commands.iter().filter_map(|command| place(command)).collect();
    let are_kinds = kinds.len() > 1 && kinds.len() == commands.len();
    let all: Vec<(String, Parameters)> = results().map(|result| (command(result), parameters(result))).collect();
    for (result, (command, own)) in results().zip(&all) {
        let general = template(command, own, &all);
        let (contender, work) = described(file, own, command, general, place(command).filter(|_| are_kinds));
        let times = result["times"].as_array().unwrap_or_default();
        let codes = result["exit_codes"].as_array().unwrap_or_default();
        for (number, time) in times.iter().enumerate() {
            // A command may be there several times.
            let count = counts.entry(command.as_str()).or_default();
            *count += 1;
            let source = format!("{}, `{command}`, run {count}", file.name);
            let time = positive(time).ok_or_else(|| ReadError::malformed(&source, "its time is no number above 0"))?;
            // No code (null): it did not end by itself.
            if codes.get(number).is_some_and(|code| code.as_f64() != Some(0.0)) {
                return Err(ReadError::malformed(&source, "the command failed, so its time is of no work"));
            }
            rows.push(Measured {
                source,
                recorded: place(command),
                contender: contender.clone(),
                work: work.clone(),
                time: Some(clock),
                is_time_of_run: true,
                ..file.row(1, ResultFigure::seconds("time", time))
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
type Parameters = BTreeMap<String, String>;

fn parameters(result: &Value) -> Parameters {
    let all = result["parameters"].as_object().into_iter().flatten();
    let value = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    all.map(|(name, own)| (name.to_string(), value(own))).collect()
}

/// A command with the names of parameters in place of their values: in all places, unless other choices of places give
/// more of the commands, since a value may also be in a path that all of them have.
fn template(command: &str, own: &Parameters, all: &[(String, Parameters)]) -> String {
    /// The most places of which all choices are tried, and the most commands that they are tried on.
    const MOST_PLACES: usize = 8;
    const MOST_COMMANDS: usize = 64;
    let mut values: Vec<(&String, &String)> = own.iter().filter(|(_, value)| !value.is_empty()).collect();
    // A value may be a part of another.
    values.sort_by_key(|(_, value)| Reverse(value.len()));
    let mut places: BTreeMap<usize, (&String, &String)> = BTreeMap::new();
    for (name, value) in values {
        let is_free = |place: &usize| {
            let mut others = places.iter().map(|(begin, (_, other))| *begin..begin + other.len());
            others.all(|other| place + value.len() <= other.start || *place >= other.end)
        };
        let mut found: Vec<usize> = places_of(command, value).filter(is_free).collect();
        if found.is_empty() {
            // As in `{size}k`.
            found = command.match_indices(value.as_str()).map(|(place, _)| place).filter(is_free).collect();
        }
        places.extend(found.into_iter().map(|place| (place, (name, value))));
    }
    let every = (1_u32 << places.len().min(31)) - 1;
    let given = |choice: u32, new: &dyn Fn(&str) -> Option<String>| {
        let (mut text, mut end) = (String::new(), 0);
        let is_chosen = |(number, _): &(usize, _)| places.len() > MOST_PLACES || choice & (1 << number) > 0;
        for (_, (place, (name, value))) in places.iter().enumerate().filter(is_chosen) {
            text = text + &command[end..*place] + &new(name)?;
            end = place + value.len();
        }
        Some(text + &command[end..])
    };
    let count = |choice: &u32| {
        let gives = |(other, values): &&(String, Parameters)| {
            given(*choice, &|name| values.get(name).cloned()).as_ref() == Some(other)
        };
        (all.iter().take(MOST_COMMANDS).filter(gives).count(), choice.count_ones())
    };
    let choices = if places.len() > MOST_PLACES { every..=every } else { 0..=every };
    let best = choices.max_by_key(count).unwrap_or(every);
    given(best, &|name| Some(format!("{{{name}}}"))).unwrap_or_else(|| command.to_owned())
}

/// Which contender a command is of, and what defines the work. The contender is in parameters (`--parameter-list`,
/// `--parameter-scan`), the label, or the command itself. The other parameters define the work, and so does a command
/// that is no contender: `general`, with `{label}` for a label, its file system and mount points. `kind` is the file
/// system of a command, if that is what is compared.
fn described(
    file: &File<'_>,
    parameters: &Parameters,
    command: &str,
    mut general: String,
    kind: Option<String>,
) -> (String, InputFacts) {
    let is_contender = |(name, value): &(&String, &String)| {
        CONTENDER.contains(&name.to_lowercase().as_str())
            || named_in(folder(value)).is_some()
            || (value.starts_with('/') && !is_file(value))
    };
    let (contender, work): (Vec<_>, Vec<_>) = parameters.iter().partition(is_contender);
    if file.is_labelled {
        general = without_places(&general, file.label);
    }
    let of_work = work.into_iter().map(|(name, value)| (name.clone(), size(value)));
    let mut of_work: BTreeMap<String, String> = of_work.collect();
    let contender = contender.into_iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" ");
    let contender = match (contender.is_empty(), file.is_labelled) {
        (true, false) => {
            of_work.extend(kind.map(|kind| ("command".to_owned(), without_places(command, &kind))));
            return (command.to_owned(), of_work.into());
        }
        (true, true) => file.label.to_owned(),
        (false, _) => contender,
    };
    of_work.insert("command".to_owned(), general);
    (contender, of_work.into())
}
