//! mdtest's text output: the mean of each test over the iterations of a run, which is all that its summary has of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::doubts::placed;
use super::options::of_command;
use super::time::month_first;
use super::{File, ReadError, at_number, figure, printed, program, uneven, written};
use crate::measured::{Measured, Reads, SyncedResult};

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(|line| begins(line) || is_head(line))
}

/// `mdtest-4.1.0+dev was launched with 2 total task(s) on 1 node(s)`.
fn begins(line: &str) -> bool {
    line.trim_start().starts_with("mdtest-") && line.contains(" was launched with ")
}

/// The time at which a run started, above its first line.
const STARTED: &str = "-- started at ";

/// Operations per second of each test.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let started = file.text.lines().filter_map(|line| line.trim().strip_prefix(STARTED));
    let started: Vec<Option<f64>> = started.map(|text| month_first(text.trim_end_matches(" --"))).collect();
    let mut rows = Vec::new();
    for (index, lines) in file.runs(begins).iter().enumerate() {
        let run = MdtestRun::of(lines);
        // The next run begins with its time, before its name.
        let start = file.run(index + 1, &printed(lines, |line| line.trim().starts_with(STARTED)));
        let notes: Vec<_> = uneven(lines).into_iter().collect();
        for (test, mean) in summary(lines) {
            let tasks = run.tasks.map(|count| format!(", {count} tasks")).unwrap_or_default();
            let figure = Measured::rate(format!("{}{tasks}", test.to_lowercase()), mean, "ops/s");
            rows.push(Measured {
                run: start.clone(),
                notes: notes.clone(),
                time: started.get(index).copied().flatten(),
                ..run.measured(file.row(index + 1, figure), test)
            });
        }
    }
    Ok(rows)
}

/// What a run says about itself.
struct MdtestRun<'a> {
    program: Option<&'a str>,
    tasks: Option<&'a str>,
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
            tasks: before("total"),
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
            work: Arc::new(options.map(|(name, value)| (name.clone(), value.clone())).chain(own).collect()),
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

/// `SUMMARY rate: (of 3 iterations)`; older versions have no `rate`, newer ones also a summary of times.
fn is_head(line: &str) -> bool {
    line.trim().starts_with("SUMMARY") && line.contains(" iterations)") && !line.contains("SUMMARY time")
}

/// The tests that were done, and the mean of each: `File creation  6211.1  5800.9  6000.0  200.1`.
fn summary<'a>(lines: &[&'a str]) -> Vec<(&'a str, f64)> {
    let Some(place) = lines.iter().position(|line| is_head(line)) else { return Vec::new() };
    let lines = &lines[place + 1..];
    // With statistics of ranks, those of iterations are the last ones; a version of 2020 has no `Std Dev` of them.
    let titles = lines.iter().find_map(|line| Some(line.rsplit_once(" Max ")?.1));
    let from_end = if titles.is_some_and(|titles| !titles.contains("Std Dev")) { 1 } else { 2 };
    let of = |line: &&'a str| {
        let (name, rest) = at_number(line);
        let values: Vec<&str> = rest.split_whitespace().filter(|word| word.parse::<f64>().is_ok()).collect();
        let mean = values.get(values.len().checked_sub(from_end)?).filter(|_| values.len() > 2)?;
        Some((name.trim().trim_end_matches(':').trim(), figure(mean)?))
    };
    lines.iter().take_while(|line| !line.trim().starts_with("SUMMARY")).filter_map(of).collect()
}
