//! `--command`: commands of the user's own as workloads of the engine `program`.

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use fsarena_model::{
    Better, CacheState, Contender, DurablePoint, Measure, Metric, Name, Relation, Variant, Workload, joined, repeated,
};
use fsarena_place::Refusal;
use fsarena_programs::in_one_line;
use serde_json::{Value, json};

use super::PlannedWork;
use crate::cli::{Caches, Compare, OwnCommands, PlaceArguments, Printed, Scan, SyncInTime};

/// Stands for the directory on the contender.
const DIRECTORY: &str = "{dir}";
/// Maximum length of a name that is made of a command, in characters.
const LONGEST_NAME: usize = 24;
/// Maximum number of workloads that scans make of a command: each runs in each round.
const MOST_VALUES: usize = 64;
/// Time limit of a command, in seconds.
const TIME_LIMIT_S: u64 = 3600;
/// Letters that mean something to a shell and nothing to a program. At the beginning of a word `~` does, too.
const OF_SHELLS: &str = "|&;<>()$`*?";

/// The workloads of the commands, in order.
pub fn from_commands(arguments: &Compare, contenders: &[Contender]) -> Result<PlannedWork> {
    require_no_guest(&arguments.setup.place, contenders)?;
    let own = &arguments.own;
    if own.metric.is_some() && own.sync == Some(SyncInTime::Within) {
        let text = "a figure that the command prints has no sync of fsarena in it";
        bail!(Refusal::wrong_use(text, "leave out --sync within, or --metric"));
    }
    let drafts: Vec<Draft> = own.commands.iter().map(|text| Draft::of(own, text)).collect::<Result<_>>()?;
    require_used(&own.scan, &drafts)?;
    let directory = directory(&arguments.setup.place)?;
    let filled_in = drafts.iter().flat_map(|draft| draft.filled_in(&own.scan));
    let workloads: Vec<Workload> = filled_in.flat_map(|draft| draft.workloads(arguments, &directory)).collect();
    if let Some(name) = repeated(workloads.iter().map(|workload| &workload.name)) {
        let text = format!("two commands have the name `{name}`");
        bail!(Refusal::wrong_use(text, "name them: --command one='…' --command two='…'"));
    }
    let notes = drafts.iter().filter_map(Draft::note).chain([what_is_timed(own)]).collect();
    Ok(PlannedWork { workloads, notes, ..PlannedWork::default() })
}

fn require_no_guest(place: &PlaceArguments, contenders: &[Contender]) -> Result<()> {
    if !place.is_guest(contenders) {
        return Ok(());
    }
    let text = "a guest has neither your programs nor your files, so it cannot run your command";
    bail!(Refusal::wrong_use(text, "leave out --guest, and contenders that need a guest: fsarena doctor"))
}

/// The working directory of the commands: the present one. On another machine it is that of the agent.
fn directory(place: &PlaceArguments) -> Result<PathBuf> {
    match place.on.as_slice() {
        [] => std::env::current_dir().context("look up the working directory"),
        _ => Ok(PathBuf::from(".")),
    }
}

fn what_is_timed(own: &OwnCommands) -> String {
    match (&own.metric, synced(own)) {
        (Some(Printed { metric, .. }), _) => {
            let name = &metric.name;
            format!("`{name}` is what the command prints; the sync of the file system after it is not in that")
        }
        (None, SyncInTime::Within) => "the sync of the file system after each command is in its time".to_owned(),
        (None, SyncInTime::Apart) => without_sync("each command"),
    }
}

/// The note for a time that ends before the sync of what `work` has written.
pub fn without_sync(work: &str) -> String {
    format!("the sync of the file system after {work} is not in its time: data that it leaves in memory cost nothing")
}

fn synced(own: &OwnCommands) -> SyncInTime {
    own.sync.unwrap_or(if own.metric.is_some() { SyncInTime::Apart } else { SyncInTime::Within })
}

/// Refuses a scan that changes nothing.
fn require_used(scans: &[Scan], drafts: &[Draft]) -> Result<()> {
    if let Some(name) = repeated(scans.iter().map(|scan| &scan.name)) {
        let text = format!("--scan {name} is given twice");
        bail!(Refusal::wrong_use(text, "give all its values at once, as in threads=1,2,4"));
    }
    if let Some(Scan { name, .. }) = scans.iter().find(|scan| !drafts.iter().any(|draft| draft.has(&scan.name))) {
        let text = format!("no command has {{{name}}}, which --scan {name} replaces");
        bail!(Refusal::wrong_use(text, format!("write {{{name}}} where its values belong")));
    }
    let of = |draft: &Draft| {
        let own = scans.iter().filter(|scan| draft.has(&scan.name));
        own.fold(1_usize, |count, scan| count.saturating_mul(scan.values.len()))
    };
    match drafts.iter().map(of).find(|count| *count > MOST_VALUES) {
        None => Ok(()),
        Some(count) => {
            let text = format!("--scan makes {count} workloads of a command, and {MOST_VALUES} are the most");
            bail!(Refusal::wrong_use(text, "name fewer values"))
        }
    }
}

/// A command with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Draft {
    name: Name,
    command: Vec<String>,
    prepare: Option<Vec<String>>,
    cleanup: Option<Vec<String>>,
}

impl Draft {
    fn of(own: &OwnCommands, text: &str) -> Result<Self> {
        let (name, command) = named(text)?;
        let words = words("--command", command)?;
        if !words.iter().any(|word| word.contains(DIRECTORY)) {
            let text = format!("`{command}` has no {DIRECTORY}, so it would not use the file systems");
            let hint =
                format!("{DIRECTORY} is the command's directory on each of them, as in 'make -C {DIRECTORY}/src'");
            bail!(Refusal::wrong_use(text, hint));
        }
        let further = |option, text: &Option<String>| text.as_ref().map(|text| self::words(option, text)).transpose();
        Ok(Self {
            name: name.unwrap_or_else(|| name_of(&words)),
            command: words,
            prepare: further("--prepare", &own.prepare)?,
            cleanup: further("--cleanup", &own.cleanup)?,
        })
    }

    fn all_words(&self) -> impl Iterator<Item = &String> {
        self.command.iter().chain(self.prepare.iter().flatten()).chain(self.cleanup.iter().flatten())
    }

    fn has(&self, placeholder: &str) -> bool {
        self.all_words().any(|word| word.contains(&braced(placeholder)))
    }

    /// The draft for each combination of the values of its placeholders.
    fn filled_in(&self, scans: &[Scan]) -> Vec<Self> {
        scans.iter().filter(|scan| self.has(&scan.name)).fold(vec![self.clone()], |drafts, scan| {
            drafts.iter().flat_map(|draft| scan.values.iter().map(|value| draft.with(&scan.name, value))).collect()
        })
    }

    fn with(&self, name: &str, value: &str) -> Self {
        let filled = |words: &Vec<String>| words.iter().map(|word| word.replace(&braced(name), value)).collect();
        Self {
            name: self.name.variant(format!("{name}-{value}")),
            command: filled(&self.command),
            prepare: self.prepare.as_ref().map(filled),
            cleanup: self.cleanup.as_ref().map(filled),
        }
    }

    /// Names the first word that only a shell would understand.
    fn note(&self) -> Option<String> {
        let way_out = format!("since no shell runs commands; for a shell: sh -c '…' sh {DIRECTORY}");
        let of_shell = self.all_words().find(|word| is_of_shell(word));
        of_shell.map(|word| format!("`{word}` is passed on as it is, {way_out}"))
    }

    /// The workload in each of the requested cache states.
    fn workloads(self, arguments: &Compare, directory: &PathBuf) -> Vec<Workload> {
        let warm = self.workload(&arguments.own, directory);
        let remounted = "The file system is mounted again before, so that nothing is in memory.";
        let cold = || Workload {
            name: warm.name.variant(CacheState::Cold),
            title: warm.name.variant(CacheState::Cold).to_string(),
            measures: format!("{} {remounted}", warm.measures),
            cache: CacheState::Cold,
            variant: Some(Variant { of: warm.name.to_string(), relation: Relation::Cache }),
            ..warm.clone()
        };
        match arguments.work.cache {
            None | Some(Caches::Warm) => vec![warm],
            Some(Caches::Cold) => vec![cold()],
            Some(Caches::Both) => vec![warm.clone(), cold()],
        }
    }

    fn workload(&self, own: &OwnCommands, directory: &PathBuf) -> Workload {
        let (durable, ends_by_itself) = match synced(own) {
            SyncInTime::Within => (DurablePoint::Syncfs, false),
            SyncInTime::Apart => (DurablePoint::None, true),
        };
        Workload {
            title: self.name.to_string(),
            measures: self.measures(own),
            why: "A command of your own.".to_owned(),
            durable,
            slices: 2,
            ends_by_itself,
            time_limit_s: Some(own.time_limit_s().unwrap_or(TIME_LIMIT_S)),
            ..Workload::new(self.name.clone(), "program", metric(own), self.parameters(own, directory))
        }
    }

    fn parameters(&self, own: &OwnCommands, directory: &PathBuf) -> Value {
        let mut parameters = json!({ "script": self.command, "directory": directory, "operations": 1, "starts": 1 });
        for (key, words) in [("before", &self.prepare), ("cleanup", &self.cleanup)] {
            if let Some(words) = words {
                parameters[key] = json!(words);
            }
        }
        if let Some(Printed { pattern, .. }) = &own.metric {
            parameters["output"] = json!({ "captures": [{ "as": "figure", "pattern": pattern }] });
        }
        parameters
    }

    /// What the figure is, in one or two sentences.
    fn measures(&self, own: &OwnCommands) -> String {
        let command = in_one_line(&self.command);
        let figure = match (&own.metric, synced(own)) {
            (Some(Printed { metric, .. }), _) => format!("`{}` as `{command}` prints it.", metric.name),
            (None, SyncInTime::Within) => format!("Seconds of `{command}`, with the sync of the file system after it."),
            (None, SyncInTime::Apart) => {
                format!("Seconds of `{command}`, without the sync of the file system after it.")
            }
        };
        let untimed = |when: &str, words: &Option<Vec<String>>| {
            let text = words.as_ref().map(|words| format!(" {when} each run, untimed: `{}`.", in_one_line(words)));
            text.unwrap_or_default()
        };
        format!("{figure}{}{}", untimed("Before", &self.prepare), untimed("After", &self.cleanup))
    }
}

fn metric(own: &OwnCommands) -> Metric {
    let (name, unit) = ("time".to_owned(), "s".to_owned());
    let time = Metric { name, unit, measure: Measure::Seconds, better: Better::Lower };
    own.metric.as_ref().map_or(time, |printed| printed.metric.clone())
}

fn braced(name: &str) -> String {
    format!("{{{name}}}")
}

/// Whether only a shell would understand a word. One with spaces was quoted, and may be a script for a shell.
fn is_of_shell(word: &str) -> bool {
    !word.contains(char::is_whitespace) && (word.starts_with('~') || word.contains(|c| OF_SHELLS.contains(c)))
}

/// The words of a command, as a shell would split them: a backslash at the end of a line joins it and the next.
pub fn words(option: &str, text: &str) -> Result<Vec<String>> {
    match shlex::split(&text.replace("\\\r\n", "").replace("\\\n", "")) {
        Some(words) if words.is_empty() => {
            bail!(Refusal::wrong_use(format!("{option} has no command"), "write one, or leave the option out"))
        }
        Some(words) => Ok(words),
        None => {
            let text = format!("{option} `{text}` is no command: a quote is open, or a backslash ends it");
            bail!(Refusal::wrong_use(text, "close the quotes"))
        }
    }
}

/// The name in front of a command, and the command. A `=` after the first blank, quote or slash belongs to the command.
fn named(text: &str) -> Result<(Option<Name>, &str)> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let Some((name, command)) = text.split_once('=').filter(|(name, _)| name.chars().all(is_of_name)) else {
        return Ok((None, text));
    };
    let is_variable = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if name.chars().all(is_variable) {
        let refusal = format!("`{text}` begins like a variable, which only a shell would set");
        bail!(Refusal::wrong_use(refusal, format!("env {text}; a name of the workload has small letters")));
    }
    match name.parse() {
        Ok(name) => Ok((Some(name), command)),
        Err(error) => bail!(Refusal::wrong_use(format!("{error}"), "--command build='make -C {dir}'")),
    }
}

/// A short name for a command: its program and the beginning of its arguments, without placeholders.
fn name_of(words: &[String]) -> Name {
    let program = words[0].rsplit('/').next().unwrap_or_default();
    let plain = |word: &str| {
        let kept =
            word.split('{').map(|piece| piece.split_once('}').map_or(piece, |(_, after)| after)).collect::<String>();
        let dashed = kept.split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_');
        joined(dashed.filter(|piece| !piece.is_empty()), "-")
    };
    let mut name = plain(program);
    for piece in words[1..].iter().map(|word| plain(word)).filter(|piece| !piece.is_empty()) {
        if name.chars().count() + 1 + piece.chars().count() > LONGEST_NAME {
            break;
        }
        name = format!("{name}-{piece}");
    }
    Name::from_text(&name)
}
