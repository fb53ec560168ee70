//! What can be typed about a command of the user's own.

use std::str::FromStr;

use clap::{Args, ValueEnum};
use fsarena_catalog::LONGEST_LIMIT_S;
use fsarena_model::units::UnitError;
use fsarena_model::{Better, Measure, Metric, Nanos, repeated};

/// Commands of the user's own as workloads.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Your own command")]
pub struct OwnCommands {
    /// A command as a workload; {dir} in it is an empty directory on each contender. No shell runs it. Can be repeated
    #[arg(long = "command", value_name = "[NAME=]COMMAND",
        conflicts_with_all = ["suite", "workload", "fio", "scale", "rate"])]
    pub commands: Vec<String>,
    /// A command that runs before each run, untimed
    #[arg(long, value_name = "COMMAND", requires = "commands")]
    pub prepare: Option<String>,
    /// A command that runs after each run, untimed, also after a failure; {dir} is emptied in any case
    #[arg(long, value_name = "COMMAND", requires = "commands")]
    pub cleanup: Option<String>,
    /// A workload for each value, which replaces {NAME} in the commands; of several, for each combination
    #[arg(long, value_name = "NAME=VALUE,...", requires = "commands")]
    pub scan: Vec<Scan>,
    /// Whether the sync of the file system after the command is in its time [default: within; apart with --metric]
    #[arg(long, value_name = "WHERE", requires = "commands")]
    pub sync: Option<SyncInTime>,
    /// The figure is a number that the command prints: the first group of a regular expression
    #[arg(long, value_name = "NAME=UNIT,higher|lower:REGEX", requires = "commands")]
    pub metric: Option<Printed>,
    /// Time limit of a run of the command, and of its preparation [default: 1h]
    #[arg(long, value_name = "TIME", requires = "commands", value_parser = time_limit)]
    pub time_limit: Option<Nanos>,
}

impl OwnCommands {
    /// The options as typed, to repeat a run.
    pub fn typed(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let mut add = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [format!("--{name}"), value]));
        };
        self.commands.iter().for_each(|command| add("command", Some(command.clone())));
        add("prepare", self.prepare.clone());
        add("cleanup", self.cleanup.clone());
        self.scan.iter().for_each(|scan| add("scan", Some(scan.typed.clone())));
        add("sync", self.sync.map(|sync| sync.to_possible_value().expect("none is skipped").get_name().to_owned()));
        add("metric", self.metric.as_ref().map(|printed| printed.typed.clone()));
        add("time-limit", self.time_limit_s().map(|seconds| format!("{seconds}s")));
        words
    }

    /// The time limit in whole seconds, if there is one.
    pub fn time_limit_s(&self) -> Option<u64> {
        self.time_limit.map(|limit| limit.0.div_ceil(Nanos::seconds(1).0))
    }
}

/// Whether the sync after a command is in its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SyncInTime {
    /// The time ends when everything is on the device.
    Within,
    /// The time ends when the command does; data that it leaves in memory cost nothing.
    Apart,
}

fn time_limit(text: &str) -> Result<Nanos, String> {
    match text.parse::<Nanos>().map_err(|error: UnitError| error.to_string())? {
        limit if (Nanos(1)..=Nanos::seconds(LONGEST_LIMIT_S)).contains(&limit) => Ok(limit),
        _ => Err("a time limit has to be above 0, and at most a week".to_owned()),
    }
}

/// `NAME=VALUE,...`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// As it was typed.
    pub typed: String,
    /// The name, without braces.
    pub name: String,
    /// Its values.
    pub values: Vec<String>,
}

impl FromStr for Scan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || "a name and its values, as in threads=1,2,4".to_owned();
        let (name, values) = text.split_once('=').ok_or_else(wanted)?;
        let values: Vec<String> = values.split(',').map(str::to_owned).collect();
        match (is_placeholder(name), repeated(&values)) {
            _ if values == [""] => Err("it has no value: is a variable not set?".to_owned()),
            _ if name == "dir" => Err("{dir} is the directory on the contender: take another name".to_owned()),
            (true, None) => Ok(Self { typed: text.to_owned(), name: name.to_owned(), values }),
            (true, Some(twice)) => Err(format!("the value `{twice}` is given twice")),
            (false, _) => Err(wanted()),
        }
    }
}

/// Whether `name` in braces can be a placeholder: small letters, digits, `_` and `-`, beginning with a letter.
fn is_placeholder(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_letter)
}

/// `NAME=UNIT,higher:REGEX`.
#[derive(Debug, Clone, PartialEq)]
pub struct Printed {
    /// As it was typed.
    pub typed: String,
    /// The metric.
    pub metric: Metric,
    /// The regular expression.
    pub pattern: String,
}

impl FromStr for Printed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = || r"as in 'throughput=MB/s,higher:Throughput ([\d.]+)'".to_owned();
        let (head, pattern) = text.split_once(':').ok_or_else(wanted)?;
        let (name, head) = head.split_once('=').ok_or_else(wanted)?;
        let (unit, better) = head.rsplit_once(',').ok_or_else(wanted)?;
        let better = match better {
            "higher" => Better::Higher,
            "lower" => Better::Lower,
            _ => return Err(wanted()),
        };
        if name.is_empty() || unit.is_empty() || pattern.is_empty() {
            return Err(wanted());
        }
        fsarena_programs::require_number(pattern)?;
        let metric = Metric { name: name.to_owned(), unit: unit.to_owned(), measure: Measure::Printed, better };
        Ok(Self { typed: text.to_owned(), metric, pattern: pattern.to_owned() })
    }
}
