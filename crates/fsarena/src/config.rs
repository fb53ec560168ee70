//! The configuration file: values of options that the command line does not give. They are added to it, so that they
//! are checked, shown and recorded as if they had been typed.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use fsarena_model::name::did_you_mean;
use fsarena_place::{Refusal, Refusals, folders::folder, note};
use toml::{Table, Value};

/// The file for all users.
const OF_SYSTEM: &str = "/etc/fsarena/config.toml";

/// A key of the file, which is the name of an option.
struct Key {
    name: &'static str,
    /// Options with which it has no meaning.
    unless: &'static [&'static str],
}

const KEYS: [Key; 6] = [
    Key { name: "store", unless: &[] },
    Key { name: "color", unless: &[] },
    Key { name: "storage", unless: &["on", "guest", "published-only"] },
    Key { name: "margin", unless: &["published-only"] },
    Key { name: "budget", unless: &["rounds", "of", "slices"] },
    Key { name: "lane-size", unless: &["slices", "published-only"] },
];

/// Commands that measure or print on behalf of the user. An agent does what it is sent.
const WITHOUT: [&str; 2] = ["agent", "generate"];

/// The words with the options that the files give. Words that are not understood stay as they are.
///
/// # Errors
/// If a file cannot be read, or has an unknown key or a wrong value.
pub fn completed(command: &Command, words: Vec<OsString>) -> Result<Vec<OsString>> {
    let Ok(matches) = command.clone().try_get_matches_from(&words) else { return Ok(words) };
    let Some((name, options)) = matches.subcommand().filter(|(name, _)| !WITHOUT.contains(name)) else {
        return Ok(words);
    };
    let subcommand = command.find_subcommand(name);
    if options.get_flag("no_config") {
        return Ok(words);
    }
    let (mut all, mut refusals) = (words, Refusals::default());
    for path in files() {
        let Some(table) = table(&path)? else { continue };
        let is_option = |id: &str| {
            let own = subcommand.into_iter().flat_map(Command::get_arguments).any(|argument| argument.get_id() == id);
            own || command.get_arguments().any(|argument| argument.get_id() == id)
        };
        for key in KEYS.iter().filter(|key| is_option(&id(key.name)) && is_free(options, key)) {
            let Some(value) = table.get(key.name) else { continue };
            let word = format!("--{}={}", key.name, text(&path, key.name, value)?);
            // Once is enough: the user's own file comes first.
            let is_there = |known: &OsString| known.to_string_lossy().starts_with(&format!("--{}=", key.name));
            if all.iter().any(is_there) {
                continue;
            }
            let place = all.iter().position(|word| word == "--").unwrap_or(all.len());
            all.insert(place, word.clone().into());
            if let Err(error) = command.clone().try_get_matches_from(&all) {
                let words = error.render().to_string();
                let first = words.lines().next().unwrap_or_default().trim_start_matches("error: ");
                refusals.add(refused(&path, &format!("`{} = {value}`: {first}", key.name)));
                all.remove(place);
            }
        }
    }
    refusals.end().map(|()| all)
}

/// Whether neither the option of a key was typed nor one that excludes it.
fn is_free(options: &ArgMatches, key: &Key) -> bool {
    let was_typed = |name: &str| {
        let id = id(name);
        options.try_contains_id(&id).is_ok() && options.value_source(&id) == Some(ValueSource::CommandLine)
    };
    [key.name].iter().chain(key.unless).all(|name| !was_typed(name))
}

/// clap's name of an option.
fn id(name: &str) -> String {
    name.replace('-', "_")
}

/// The user's file, then the system's.
fn files() -> impl Iterator<Item = PathBuf> {
    let own = folder("XDG_CONFIG_HOME", ".config").map(|folder| folder.join("fsarena/config.toml"));
    own.into_iter().chain([OF_SYSTEM.into()])
}

/// What a file has; `None` if there is none, or if it belongs to another user: under sudo, `HOME` may be theirs.
fn table(path: &Path) -> Result<Option<Table>> {
    let Ok(found) = path.metadata() else { return Ok(None) };
    if ![0, rustix::process::geteuid().as_raw()].contains(&found.uid()) {
        note!("{} belongs to another user, and is not read", path.display());
        return Ok(None);
    }
    let text = std::fs::read_to_string(path).map_err(|error| refused(path, &error.to_string()))?;
    let table: Table = text.parse().map_err(|error| {
        let (line, what) = fsarena_catalog::what_is_wrong(&text, &error);
        refused(path, &line.map_or_else(|| what.clone(), |line| format!("line {line}: {what}")))
    })?;
    let names = || KEYS.iter().map(|key| key.name);
    let mut refusals = Refusals::default();
    for unknown in table.keys().filter(|key| !names().any(|name| name == **key)) {
        let known = format!("the keys are {}", names().collect::<Vec<_>>().join(", "));
        let text = format!("{}: unknown key `{unknown}`", path.display());
        refusals.add(Refusal::wrong_use(text, did_you_mean(unknown, names(), &known)));
    }
    refusals.end().map(|()| Some(table))
}

/// A value as it would be typed.
fn text(path: &Path, key: &str, value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        _ => {
            let text = format!("{}: `{key}` is neither a text nor a number", path.display());
            bail!(Refusal::wrong_use(text, format!("{key} = \"…\", as after --{key}")))
        }
    }
}

fn refused(path: &Path, why: &str) -> Refusal {
    Refusal::wrong_use(format!("{}: {why}", path.display()), "correct it, or run with --no-config")
}
