//! Reads the files of other tools. A new tool is one file and one line in [`JSON`] or [`TEXT`].

mod bonnie;
mod csv;
mod dbench;
mod doubts;
mod filebench;
mod fio;
mod hyperfine;
mod input;
mod io500;
mod ior;
mod iozone;
mod json;
mod kdevops;
mod mdtest;
mod options;
mod other_outputs;
mod phoronix;
mod sysbench;
mod time;

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use self::other_outputs::OtherOutput;
use fsarena_model::joined;
use serde_json::Value;

pub use self::csv::{CsvColumns, read as table};
pub use input::text;

use crate::Measured;
use crate::findings::{FindingClass, JudgedFinding, UNEVEN};
use crate::measured::{InputFacts, Run, SyncedResult};

/// Why a file was not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ReadError {
    #[error("`{name}` is empty")]
    Empty { name: String },
    #[error("the JSON of `{name}` is broken: {why}")]
    NotJson { name: String, why: String },
    #[error("`{name}` is {program}'s {what}")]
    ForPeople { name: String, program: &'static str, what: &'static str, hint: &'static str },
    #[error("`{name}` is of no tool that judge knows")]
    UnknownTool { name: String },
    #[error("{place}: {why}")]
    Malformed { place: String, why: String, hint: &'static str },
}

impl ReadError {
    fn malformed(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Malformed { place: place.into(), why: why.into(), hint: "leave it out, or run the program again" }
    }

    /// Of a cell of a CSV.
    fn cell(place: impl Into<String>, why: impl Into<String>) -> Self {
        let hint = "figures are numbers above 0 without a unit, as 1234.5; times are seconds, or as \
                    2026-11-26T12:00:00Z; leave out the row of a figure that is missing";
        Self::Malformed { place: place.into(), why: why.into(), hint }
    }

    /// Of a CSV as a whole.
    fn table(name: &str, why: impl Into<String>) -> Self {
        let hint = "the first line of a CSV names its columns, each once, and rows of as many cells follow; between \
                    them are commas, semicolons or tabs";
        Self::Malformed { place: name.to_owned(), why: why.into(), hint }
    }

    /// What to do.
    pub fn hint(&self) -> String {
        match self {
            Self::Empty { .. } => "see whether the program failed, and where it wrote its results".to_owned(),
            Self::NotJson { .. } => "the file is not whole, or its program failed: run it again".to_owned(),
            Self::ForPeople { hint, .. } | Self::Malformed { hint, .. } => (*hint).to_owned(),
            Self::UnknownTool { .. } => format!(
                "judge reads {TOOLS}; of a CSV with a header and one run a row, name the columns: `--contender COLUMN \
                 --value COLUMN --higher [--workload COLUMN] …`"
            ),
        }
    }
}

/// A file of results.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// What its figures are of, where it does not say that itself.
    pub label: &'a str,
    /// Whether the user gave the label: then its figures are of it, whatever the file says.
    pub is_labelled: bool,
    /// Its name; files of different names are different runs.
    pub name: &'a str,
    /// Its content, as [`text`] gives it.
    pub text: &'a str,
}

/// What the parts of a run that a stonewall stopped had done: `… stonewall… min: 2946 max: 12855 …` of IOR and mdtest.
fn uneven(lines: &[&str]) -> Option<JudgedFinding> {
    let ends = |line: &&&str| {
        let of = |name: &str| figure(line.split_once(name)?.1.split_whitespace().next()?);
        line.contains("stonewall").then(|| of(" min: ").zip(of(" max: "))).flatten()
    };
    let most = |one: &(f64, f64), other: &(f64, f64)| (one.1 / one.0).total_cmp(&(other.1 / other.0));
    let (low, high) = lines.iter().filter_map(|line| ends(&line)).max_by(most)?;
    let text =
        || format!("tasks did {low} to {high} parts of the work ({:.1}×): the slowest set the figure", high / low);
    (high > UNEVEN * low).then(|| JudgedFinding { class: FindingClass::Uneven, text: text() })
}

/// What a run printed, without empty lines and those of others.
fn printed<'a>(lines: &[&'a str], is_other: impl Fn(&str) -> bool) -> Vec<&'a str> {
    lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty() && !is_other(line)).collect()
}

impl File<'_> {
    /// A figure of this file; `run` is its place, from 1.
    fn row(&self, run: usize, figure: Measured) -> Measured {
        let run = self.run(run, &());
        Measured { source: run.name.clone(), run, contender: self.label.to_owned(), ..figure }
    }

    /// The run of a program that printed `output`, which is at that place in the file, from 1.
    fn run(&self, place: usize, output: &impl Hash) -> Run {
        let mut hasher = DefaultHasher::new();
        output.hash(&mut hasher);
        Run { name: format!("{}, run {place}", self.name), digest: hasher.finish() }
    }

    fn malformed(&self, why: impl Into<String>) -> ReadError {
        ReadError::malformed(self.name, why)
    }

    /// The parts of the text that begin with a line for which `begins` is true, without what comes before the first. A
    /// text without such a line, as a pasted part of an output may be, is one part.
    fn runs(&self, begins: impl Fn(&str) -> bool) -> Vec<Vec<&str>> {
        let mut runs: Vec<Vec<&str>> = Vec::new();
        for line in self.text.lines() {
            if begins(line) {
                runs.push(Vec::new());
            }
            if let Some(run) = runs.last_mut() {
                run.push(line);
            }
        }
        if runs.is_empty() { vec![self.text.lines().collect()] } else { runs }
    }
}

/// A tool whose results are text.
struct TextTool {
    name: &'static str,
    /// Whether a file is one of its results.
    knows: fn(&File<'_>) -> bool,
    read: fn(&File<'_>) -> Result<Vec<Measured>, ReadError>,
}

const TEXT: [TextTool; 10] = [
    TextTool { name: "Phoronix Test Suite", knows: phoronix::knows, read: phoronix::read },
    TextTool { name: "IOzone", knows: iozone::knows, read: iozone::read },
    TextTool { name: "sysbench", knows: sysbench::knows, read: sysbench::read },
    TextTool { name: "dbench", knows: dbench::knows, read: dbench::read },
    TextTool { name: "Filebench", knows: filebench::knows, read: filebench::read },
    TextTool { name: "IO500", knows: io500::knows, read: io500::read },
    TextTool { name: "IOR", knows: ior::knows, read: ior::read },
    TextTool { name: "mdtest", knows: mdtest::knows, read: mdtest::read },
    TextTool { name: "fio", knows: fio::knows_terse, read: fio::read_terse },
    TextTool { name: "bonnie++", knows: bonnie::knows, read: bonnie::read },
];

/// A tool whose results are JSON.
struct JsonTool {
    /// Whether an object is one of its results.
    knows: fn(&Value) -> bool,
    read: fn(&File<'_>, &Value) -> Result<Vec<Measured>, ReadError>,
}

const JSON: [JsonTool; 4] = [
    JsonTool { knows: fio::knows, read: fio::read },
    JsonTool { knows: hyperfine::knows, read: hyperfine::read },
    JsonTool { knows: kdevops::knows, read: kdevops::read },
    JsonTool { knows: ior::knows_json, read: ior::read_json },
];

/// The tools whose results [`results`] reads.
const TOOLS: &str = "fio as JSON or terse, IOR, hyperfine and kdevops' Milvus workflow as JSON, IOzone, sysbench, \
                         dbench, bonnie++, Filebench, IOR, mdtest and IO500's summary as text, and the Phoronix Test \
                         Suite's composite.xml";

/// The rows of a file of one of the [`TOOLS`].
///
/// # Errors
/// [`ReadError`] says what is not understood.
pub fn results(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let rows = unlabelled(file)?;
    Ok(if file.is_labelled { under_label(file.label, rows) } else { rows })
}

/// The rows of a file as those of a contender that the user named. If the file has several contenders, their names
/// define the work.
fn under_label(label: &str, mut rows: Vec<Measured>) -> Vec<Measured> {
    let has_several = rows.iter().any(|row| row.contender != rows[0].contender);
    for row in &mut rows {
        let name = std::mem::replace(&mut row.contender, label.to_owned());
        if has_several {
            Arc::make_mut(&mut row.work).insert("named".to_owned(), name);
        }
    }
    rows
}

fn unlabelled(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let broken = match json(file) {
        Ok(rows) if rows.is_empty() => None,
        Err(error @ ReadError::NotJson { .. }) => Some(error),
        known => return known,
    };
    let tools: Vec<&TextTool> = TEXT.iter().filter(|tool| (tool.knows)(file)).collect();
    let rows = match tools[..] {
        [] => Vec::new(),
        [tool] => (tool.read)(file)?,
        _ => {
            let why = format!("it has outputs of {}", joined(tools.iter().map(|tool| tool.name), " and "));
            let hint = "write the output of each tool into a file of its own";
            return Err(ReadError::Malformed { place: file.name.to_owned(), why, hint });
        }
    };
    let name = || file.name.to_owned();
    match other_outputs::known(file) {
        _ if !rows.is_empty() => Ok(rows),
        Some(&OtherOutput { program, what, hint, .. }) => {
            Err(ReadError::ForPeople { name: name(), program, what, hint })
        }
        None if !tools.is_empty() => Err(file.malformed("it has no result")),
        None => Err(broken.unwrap_or_else(|| ReadError::UnknownTool { name: name() })),
    }
}

/// The rows of the JSON in a file, with whatever text around it; none if it is of no tool. Of several states of a run,
/// the last one counts.
fn json(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let mut found: Vec<(&JsonTool, Value)> = Vec::new();
    let mut broken = None;
    for object in json::objects(file.text) {
        let object = match object {
            Ok(object) => object,
            Err(error) => {
                broken.get_or_insert(error);
                continue;
            }
        };
        let Some(tool) = JSON.iter().find(|tool| (tool.knows)(&object)) else { continue };
        broken = None;
        found.pop_if(|(_, last)| *last == object || fio::continues(last, &object));
        found.push((tool, object));
    }
    if let Some(broken) = broken {
        return Err(ReadError::NotJson { name: file.name.to_owned(), why: broken.why(file.text) });
    }
    let mut rows = Vec::new();
    for (index, (tool, object)) in found.iter().enumerate() {
        let name = format!("{}, document {}", file.name, index + 1);
        let file = if found.len() > 1 { File { name: &name, ..*file } } else { *file };
        let own = (tool.read)(&file, object)?;
        if own.is_empty() {
            return Err(file.malformed("it has no result"));
        }
        rows.extend(own);
    }
    Ok(rows)
}

/// Facts as one of those that are known, if they are the same: rows are many, and differ little.
fn shared(known: &mut BTreeSet<Arc<InputFacts>>, facts: InputFacts) -> Arc<InputFacts> {
    let facts = known.get(&facts).cloned().unwrap_or_else(|| Arc::new(facts));
    known.insert(facts.clone());
    facts
}

/// The program with its version, as far as it is known, as a condition of its results.
fn program(name: Option<impl Into<String>>) -> Arc<InputFacts> {
    Arc::new(name.map(|name| ("program".to_owned(), name.into())).into_iter().collect())
}

/// Whether writes, which were or were not synced within the measured time, are durable.
fn written(is_synced: bool) -> SyncedResult {
    if is_synced { SyncedResult::Synced } else { SyncedResult::NotSynced }
}

/// A text before its first digit, and the rest.
fn at_number(text: &str) -> (&str, &str) {
    text.split_at(text.find(|letter: char| letter.is_ascii_digit()).unwrap_or(text.len()))
}

fn positive(value: &Value) -> Option<f64> {
    value.as_f64().filter(|value| value.is_finite() && *value > 0.0)
}

/// A positive number that is a word of a text.
fn figure(word: &str) -> Option<f64> {
    word.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0)
}

/// What follows `name` and a colon, or an equals sign, in the first line that has both.
fn after<'a>(lines: &[&'a str], name: &str) -> Option<&'a str> {
    lines.iter().find_map(|line| {
        let (key, value) = line.split_once([':', '='])?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
    })
}
