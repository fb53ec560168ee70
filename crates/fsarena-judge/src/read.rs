//! Reads the files of other tools. A new tool is one file and one line in [`JSON`] or [`TEXT`].

mod bonnie;
mod csv;
mod dbench;
mod fio;
mod hyperfine;
mod ior;
mod iozone;
mod kdevops;
mod mdtest;
mod options;
mod phoronix;
mod sysbench;
mod time;

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use fsarena_model::Better;
use serde_json::Value;

pub use csv::{CsvColumns, read as csv};

use crate::Measured;
use crate::findings::{Finding, FindingClass, UNEVEN};
use crate::measured::{Durable, Reads, Run};

/// Why a file was not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ReadError {
    /// It is not JSON.
    #[error("{name} is not JSON: {why}")]
    NotJson { name: String, why: String },
    /// It is of no tool that is known.
    #[error("{name} is of a tool that is not known here")]
    UnknownTool { name: String },
    /// A part of it is missing or not as expected.
    #[error("{place}: {why}")]
    Malformed { place: String, why: String },
}

impl ReadError {
    fn malformed(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Malformed { place: place.into(), why: why.into() }
    }
}

/// A file of results.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// What its figures are of, where it does not say that itself.
    pub label: &'a str,
    /// Its name; files of different names are different runs.
    pub name: &'a str,
    /// Its content.
    pub text: &'a str,
}

/// A figure of a result.
struct Figure {
    workload: String,
    value: f64,
    unit: &'static str,
    better: Better,
}

/// What the parts of a run that a stonewall stopped had done: `… stonewall… min: 2946 max: 12855 …` of IOR and mdtest.
fn uneven(lines: &[&str]) -> Option<Finding> {
    let ends = |line: &&&str| {
        let of = |name: &str| figure(line.split_once(name)?.1.split_whitespace().next()?);
        line.contains("stonewall").then(|| of(" min: ").zip(of(" max: "))).flatten()
    };
    let most = |one: &(f64, f64), other: &(f64, f64)| (one.1 / one.0).total_cmp(&(other.1 / other.0));
    let (low, high) = lines.iter().filter_map(|line| ends(&line)).max_by(most)?;
    let text =
        || format!("tasks did {low} to {high} parts of the work ({:.1}×): the slowest set the figure", high / low);
    (high > UNEVEN * low).then(|| Finding { class: FindingClass::Uneven, text: text() })
}

/// What a run printed, without empty lines and those of others.
fn printed<'a>(lines: &[&'a str], is_other: impl Fn(&str) -> bool) -> Vec<&'a str> {
    lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty() && !is_other(line)).collect()
}

impl Figure {
    /// A rate.
    fn rate(workload: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { workload: workload.into(), value, unit, better: Better::Higher }
    }

    /// A time in seconds.
    fn seconds(workload: impl Into<String>, value: f64) -> Self {
        Self { workload: workload.into(), value, unit: "s", better: Better::Lower }
    }
}

impl File<'_> {
    /// A row of which nothing is known but its figure; `run` is its place in the file, from 1.
    fn row(&self, run: usize, figure: Figure) -> Measured {
        Measured {
            source: format!("{}, run {run}", self.name),
            run: self.run(run, &()),
            contender: self.label.to_owned(),
            workload: figure.workload,
            work: BTreeMap::new(),
            value: figure.value,
            is_bound: false,
            clock_step: None,
            unit: figure.unit.to_owned(),
            better: figure.better,
            time: None,
            host: None,
            recorded: None,
            durable: Durable::Unknown,
            reads: Reads::Unknown,
            conditions: BTreeMap::new(),
            notes: Vec::new(),
        }
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

    /// The parts of the text that begin with a line for which `begins` is true, without what comes before the first.
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
        runs
    }
}

/// A tool whose results are text.
struct TextTool {
    /// Whether a file is one of its results.
    knows: fn(&File<'_>) -> bool,
    /// Reads a result.
    read: fn(&File<'_>) -> Result<Vec<Measured>, ReadError>,
}

const TEXT: [TextTool; 7] = [
    TextTool { knows: phoronix::knows, read: phoronix::read },
    TextTool { knows: iozone::knows, read: iozone::read },
    TextTool { knows: sysbench::knows, read: sysbench::read },
    TextTool { knows: dbench::knows, read: dbench::read },
    TextTool { knows: ior::knows, read: ior::read },
    TextTool { knows: mdtest::knows, read: mdtest::read },
    TextTool { knows: bonnie::knows, read: bonnie::read },
];

/// A tool whose results are JSON.
struct JsonTool {
    /// Whether a file is one of its results.
    knows: fn(&Value) -> bool,
    /// Reads a result.
    read: fn(&File<'_>, &Value) -> Result<Vec<Measured>, ReadError>,
}

const JSON: [JsonTool; 4] = [
    JsonTool { knows: fio::knows, read: fio::read },
    JsonTool { knows: hyperfine::knows, read: hyperfine::read },
    JsonTool { knows: kdevops::knows, read: kdevops::read },
    JsonTool { knows: ior::knows_json, read: ior::read_json },
];

/// The tools whose results [`results`] reads.
pub const TOOLS: &str = "fio, IOR, hyperfine and kdevops' Milvus workflow as JSON, IOzone, sysbench, dbench, bonnie++, \
                         IOR and mdtest as text, and the Phoronix Test Suite's composite.xml";

/// The rows of a file of one of the [`TOOLS`].
///
/// # Errors
/// [`ReadError`] says what is not understood.
pub fn results(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let tool = TEXT.iter().find(|tool| (tool.knows)(file));
    let rows = match tool {
        Some(tool) => (tool.read)(file)?,
        None => json(file)?,
    };
    if rows.is_empty() { Err(file.malformed("it has no result")) } else { Ok(rows) }
}

fn json(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let unknown = || ReadError::UnknownTool { name: file.name.to_owned() };
    // fio prints warnings before its JSON.
    let mut lines = file.text.split_inclusive('\n');
    let before: usize = lines.by_ref().take_while(|line| !line.starts_with(['{', '['])).map(str::len).sum();
    let json = file.text.get(before..).filter(|json| !json.is_empty()).ok_or_else(unknown)?;
    let value: Value = serde_json::from_str(json)
        .map_err(|error| ReadError::NotJson { name: file.name.to_owned(), why: error.to_string() })?;
    let tool = JSON.iter().find(|tool| (tool.knows)(&value)).ok_or_else(unknown)?;
    (tool.read)(file, &value)
}

/// A positive number.
fn positive(value: &Value) -> Option<f64> {
    value.as_f64().filter(|value| value.is_finite() && *value > 0.0)
}

/// A positive number that is a word of a text.
fn figure(word: &str) -> Option<f64> {
    word.parse().ok().filter(|value: &f64| value.is_finite() && *value > 0.0)
}

/// What follows `name` and a colon in the first line that has both.
fn after<'a>(lines: &[&'a str], name: &str) -> Option<&'a str> {
    lines.iter().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.trim().eq_ignore_ascii_case(name).then(|| value.trim())
    })
}
