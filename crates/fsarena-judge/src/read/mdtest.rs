//! mdtest's text output. Its summary has no single iterations; they follow from its columns if there are three or
//! fewer. With `-v` it prints those of its first task.

use std::collections::BTreeMap;

use super::doubts::placed;
use super::options::of_command;
use super::time::month_first;
use super::{File, ReadError, ResultFigure, at_number, figure, printed, program, uneven, written};
use crate::measured::{Measured, Reads, SyncedResult};

/// By how much the rate of the first task, times the number of tasks, may differ from that of all.
const TOLERANCE: f64 = 0.1;

/// How far a figure that follows from others may be off, since they are rounded.
const ROUNDED: f64 = 0.01;

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(|line| begins(line) || is_head(line))
}

/// `mdtest-4.1.0+dev was launched with 2 total task(s) on 1 node(s)`.
fn begins(line: &str) -> bool {
    line.trim_start().starts_with("mdtest-") && line.contains(" was launched with ")
}

/// Operations per second of each test.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let started = file.text.lines().filter_map(|line| line.trim().strip_prefix("-- started at "));
    let started: Vec<Option<f64>> = started.map(|text| month_first(text.trim_end_matches(" --"))).collect();
    let mut rows = Vec::new();
    for (index, lines) in file.runs(begins).iter().enumerate() {
        let run = MdtestRun::of(lines);
        // The next run begins with its time, before its name.
        let start = file.run(index + 1, &printed(lines, |line| line.trim().starts_with("-- started at ")));
        let notes: Vec<_> = uneven(lines).into_iter().collect();
        let tests = summary(lines);
        for test in &tests {
            let tasks = run.tasks.map(|count| format!(", {count} tasks")).unwrap_or_default();
            let workload = format!("{}{tasks}", test.name.to_lowercase());
            for rate in test.iterations(lines, run.tasks.unwrap_or(1.0)).map_err(|why| file.malformed(why))? {
                let row = file.row(index + 1, ResultFigure::rate(&workload, rate, "ops/s"));
                rows.push(Measured {
                    run: start.clone(),
                    notes: notes.clone(),
                    time: started.get(index).copied().flatten(),
                    ..run.measured(row, test.name)
                });
            }
        }
    }
    Ok(rows)
}

/// What a run says about itself.
struct MdtestRun<'a> {
    program: Option<&'a str>,
    tasks: Option<f64>,
    nodes: &'a str,
    command: &'a str,
    options: BTreeMap<String, String>,
}

/// Options that do not change the work: places, repetitions and words.
const NO_WORK: [&str; 5] = ["-d", "-i", "-o", "-v", "-V"];

impl<'a> MdtestRun<'a> {
    fn of(lines: &[&'a str]) -> Self {
        let words: Vec<&str> = lines[0].split_whitespace().collect();
        let before = |name: &str| {
            let place = words.iter().position(|word| word.starts_with(name)).and_then(|place| place.checked_sub(1))?;
            words.get(place).copied()
        };
        let command = lines.iter().find_map(|line| line.trim().strip_prefix("Command line used:")).unwrap_or_default();
        Self {
            program: words.first().copied().filter(|_| begins(lines[0])),
            tasks: before("total").and_then(figure),
            nodes: before("node(s)").unwrap_or("?"),
            command,
            options: of_command(command),
        }
    }

    fn measured(&self, row: Measured, test: &str) -> Measured {
        let writes = ["creation", "removal", "rename"].iter().any(|work| test.contains(work));
        // -Y syncs after each test, and -y each file, within the measured time.
        let has = |name: &str| self.options.contains_key(name);
        let is_synced = has("-Y") || (has("-y") && test == "File creation");
        // With several nodes, -N lets each read what another has written.
        let is_moved = self.nodes != "1" && has("-N");
        let options = self.options.iter().filter(|(name, _)| !NO_WORK.contains(&name.as_str()));
        let own = [("nodes".to_owned(), self.nodes.to_owned())];
        Measured {
            work: BTreeMap::from_iter(options.map(|(name, value)| (name.clone(), value.clone())).chain(own)).into(),
            durable: if writes { written(is_synced) } else { SyncedResult::NothingWritten },
            reads: match (writes, is_moved) {
                (true, _) => Reads::Nothing,
                (false, true) => Reads::Unknown,
                (false, false) => Reads::JustWritten,
            },
            conditions: program(self.program),
            recorded: placed(self.command.split_whitespace().skip(1)),
            ..row
        }
    }
}

/// A line of the summary.
struct MdtestTest<'a> {
    name: &'a str,
    count: usize,
    max: f64,
    min: f64,
    mean: f64,
}

/// `SUMMARY rate: (of 3 iterations)`; older versions have no `rate`, newer ones also a summary of times.
fn is_head(line: &str) -> bool {
    line.trim().starts_with("SUMMARY") && line.contains(" iterations)") && !line.contains("SUMMARY time")
}

/// The tests that were done: `File creation  6211.1  5800.9  6000.0  200.1` of `SUMMARY rate: (of 3 iterations)`.
fn summary<'a>(lines: &[&'a str]) -> Vec<MdtestTest<'a>> {
    let mut tests = Vec::new();
    let Some(place) = lines.iter().position(|line| is_head(line)) else { return tests };
    let count = lines[place].rsplit_once("(of ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    // With statistics of ranks, those of iterations are the last ones; a version of 2020 has no `Std Dev` of them.
    let titles = lines[place + 1..].iter().find_map(|line| Some(line.rsplit_once(" Max ")?.1));
    let width = if titles.is_some_and(|titles| !titles.contains("Std Dev")) { 3 } else { 4 };
    for line in lines[place + 1..].iter().take_while(|line| !line.trim().starts_with("SUMMARY")) {
        let (name, rest) = at_number(line);
        let values: Vec<f64> = rest.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let own = values.len().checked_sub(width).map_or(&[][..], |first| &values[first..]);
        let [max, min, mean, ..] = own[..] else { continue };
        let name = name.trim().trim_end_matches(':').trim();
        if mean > 0.0 && min > 0.0 {
            tests.push(MdtestTest { name, count: count.unwrap_or(1), max, min, mean });
        }
    }
    tests
}

impl MdtestTest<'_> {
    /// The rate of each iteration; of more than three that are not in the file, their mean.
    fn iterations(&self, lines: &[&str], tasks: f64) -> Result<Vec<f64>, String> {
        let printed: Vec<f64> = lines.iter().filter_map(|line| self.printed(line)).collect();
        let factor = self.mean * printed.len() as f64 / printed.iter().sum::<f64>();
        // Some versions print the rate of all tasks, others that of the first one.
        let is_plausible = [1.0, tasks].iter().any(|expected| (factor / expected - 1.0).abs() < TOLERANCE);
        let middle = if self.count == 3 { 3.0 * self.mean - self.min - self.max } else { self.mean };
        // Figures are rounded.
        let [low, high] = [(1.0 - ROUNDED) * self.min, (1.0 + ROUNDED) * self.max];
        if !(low..=high).contains(&middle) {
            return Err(format!("the least, mean and most of `{}` contradict each other", self.name));
        }
        Ok(match self.count {
            2 => vec![self.min, self.max],
            3 => vec![self.min, middle, self.max],
            count if printed.len() == count && is_plausible => printed.iter().map(|rate| factor * rate).collect(),
            _ => vec![self.mean],
        })
    }

    /// `V-1: Rank   0 Line  2175   File creation     :    0.012 sec,   8291.823 ops/sec`.
    fn printed(&self, line: &str) -> Option<f64> {
        let (before, values) = line.rsplit_once(':')?;
        let rate = values.trim().strip_suffix(" ops/sec")?.split_whitespace().last()?;
        before.trim().ends_with(self.name).then(|| figure(rate)).flatten()
    }
}
