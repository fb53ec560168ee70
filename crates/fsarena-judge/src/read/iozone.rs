//! IOzone's text output: the table of automatic mode (`-a`), throughput of several processes (`-t`), or the Excel
//! report (`-R`) where the table is missing. A file may have several runs.

use std::collections::BTreeMap;

use fsarena_model::{Better, joined};

use super::doubts::placed;
use super::options::of_command;
use super::time::asctime;
use super::{File, ReadError, after, at_number, figure, printed, program, written};
use crate::findings::{FindingClass, JudgedFinding, UNEVEN};
use crate::measured::{Measured, Reads, SyncedResult};

/// The tests in the order of the table's columns (`iozone.c`).
const TESTS: [&str; 17] = [
    "write", "rewrite", "read", "reread", "random read", "random write", "backward read", "record rewrite",
    "stride read", "fwrite", "frewrite", "fread", "freread", "pwrite", "repwrite", "pread", "repread",
];

/// How far the end of a figure may be from the end of its column's title.
const MISALIGNED: usize = 4;

/// What a run's output begins with.
const BANNER: &str = "Iozone: Performance Test of File I/O";
/// What follows it, and where a pasted output often begins.
const VERSION: &str = "Version $Revision: ";

/// Throughput of several processes.
const CHILDREN: &str = "Children see throughput for";
const CHILDREN_SEE: &str = "Children see";

pub fn knows(file: &File<'_>) -> bool {
    let has = |words: &str| file.text.contains(words);
    has(BANNER) || has(CHILDREN) || has("\"Writer report\"") || file.text.lines().any(is_title)
}

/// Each test for each size of files and records. IOzone reads what it has just written.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let first = if file.text.contains(BANNER) { BANNER } else { VERSION };
    let runs = file.runs(|line| line.contains(first));
    let mut rows = Vec::new();
    for (index, lines) in runs.iter().enumerate() {
        let run = IozoneRun::of(lines);
        let mut figures = table(lines, &run).map_err(|why| file.malformed(why))?;
        if figures.is_empty() {
            figures = reports(lines, &run);
        }
        figures.extend(throughput(lines));
        let start = file.run(index + 1, &printed(lines, |_| false));
        let row = |figure| Measured { run: start.clone(), ..run.measured(file.row(index + 1, figure)) };
        rows.extend(figures.into_iter().map(row));
    }
    Ok(rows)
}

/// What a run says about itself.
struct IozoneRun<'a> {
    lines: &'a [&'a str],
    unit: &'static str,
    better: Better,
}

impl<'a> IozoneRun<'a> {
    fn of(lines: &'a [&'a str]) -> Self {
        let output = lines.iter().find_map(|line| Some(line.split_once("Output is in ")?.1));
        let (unit, better) = match output.map(str::to_lowercase) {
            Some(text) if text.starts_with("op") => ("ops/s", Better::Higher),
            Some(text) if text.starts_with("micro") => ("µs/op", Better::Lower),
            _ => ("KiB/s", Better::Higher),
        };
        Self { lines, unit, better }
    }

    fn has(&self, words: &str) -> bool {
        self.lines.iter().any(|line| line.contains(words))
    }

    /// Whether the file system is unmounted and mounted between tests.
    fn is_remounted(&self) -> bool {
        let command = after(self.lines, "Command line used");
        command.is_some_and(|command| command.split_whitespace().any(|word| word == "-U"))
    }

    /// A row with what the run says about durability, caches, time and machine.
    fn measured(&self, row: Measured) -> Measured {
        let is_direct = self.has("O_DIRECT feature enabled") || self.is_remounted();
        let is_synced = self.has("Include fsync in write timing") || self.has("SYNC Mode") || self.has("O_DSYNC mode");
        let writes = row.workload.contains("writ");
        let uname = self.lines.iter().find_map(|line| line.trim().strip_prefix("Machine = "));
        let version = self.lines.iter().find_map(|line| line.trim().strip_prefix(VERSION));
        let options = of_command(after(self.lines, "Command line used").unwrap_or_default());
        Measured {
            recorded: placed(["-f", "-F"].iter().filter_map(|name| Some(options.get(*name)?.as_str()))),
            time: after(self.lines, "Run began").and_then(asctime),
            // `Machine = Linux HOST 6.1.0 …`, which `-M` prints.
            host: uname.and_then(|text| text.split_whitespace().nth(1)).map(str::to_owned),
            durable: if writes { written(is_synced) } else { SyncedResult::NothingWritten },
            reads: match (writes, is_direct) {
                (true, _) => Reads::Nothing,
                (false, true) => Reads::Device,
                (false, false) => Reads::JustWritten,
            },
            conditions: program(version.map(|text| format!("IOzone {}", text.trim_end_matches(" $")))),
            work: self.settings(&row).into(),
            clock_step: self.clock_step(&row),
            notes: self.overlap(&row).into_iter().collect(),
            ..row
        }
    }

    /// The settings, which are the lines between these.
    fn settings(&self, row: &Measured) -> BTreeMap<String, String> {
        let own = self.lines.iter().map(|line| line.trim());
        let own = own.skip_while(|line| !line.starts_with("Run began")).skip(1);
        let own = own.take_while(|line| !is_title(line) && !line.starts_with("Children see"));
        let is_in_table = row.workload.contains(" KiB in ");
        let is_work = |line: &&str| {
            let is_known = is_in_table && line.starts_with("File size set");
            !line.is_empty() && !is_known && !NO_WORK.iter().any(|words| line.starts_with(words))
        };
        own.filter(is_work).map(setting).collect()
    }

    /// The share of the time that a step of the clock is, if the size of the file shows how long it took.
    fn clock_step(&self, row: &Measured) -> Option<f64> {
        let step = self.lines.iter().find_map(|line| line.trim().strip_prefix("Time Resolution = "));
        let step: f64 = step?.split_whitespace().next()?.parse().ok()?;
        let kib = figure(row.workload.split_once(", ")?.1.split_once(" KiB in ")?.0)?;
        (row.unit == "KiB/s").then(|| step * row.value / kib)
    }

    /// A finding if the children's own rates add up to more than the parent sees: they did not all run all the time.
    fn overlap(&self, row: &Measured) -> Option<JudgedFinding> {
        let test = row.workload.split(", record ").next()?;
        let own = self.lines.iter().filter_map(|line| seen(line, CHILDREN_SEE)).find(|(name, _)| name == test)?.1;
        (own > UNEVEN * row.value).then(|| JudgedFinding {
            class: FindingClass::Uneven,
            text: format!(
                "{test} did not overlap: their own rates add up to {:.1} times what the parent saw, which counts",
                own / row.value
            ),
        })
    }

    fn figure(&self, test: &str, file_kib: &str, record_kib: &str, value: f64) -> Measured {
        let workload = format!("{test}, {file_kib} KiB in {record_kib} KiB");
        Measured { better: self.better, ..Measured::rate(workload, value, self.unit) }
    }
}

/// Lines that are no settings of the work: ranges of what the table shows, and what else is recorded.
const NO_WORK: [&str; 16] = [
    "Machine =", "Command line used", "Output is in", "OPS Mode", "Microseconds/op Mode", "Time Resolution",
    "Excel chart", "Auto Mode", "Cross over", "Using minimum file size", "Using maximum file size",
    "Using Minimum Record Size", "Using Maximum Record Size", "No retest option", "Processor cache",
    // It is in the name of the workload.
    "Record Size",
];

/// `File size set to 1024 kB` as a name and a value; lines without a number are set or not.
fn setting(line: &str) -> (String, String) {
    match at_number(line) {
        ("", _) | (_, "") => (line.to_lowercase(), "yes".to_owned()),
        (name, value) => (name.trim().to_lowercase(), value.to_owned()),
    }
}

/// `Children see throughput for 12 initial writers = 416004.59 kB/sec`: what was done, and the rate.
fn seen(line: &str, who: &str) -> Option<(String, f64)> {
    let (test, value) = line.trim().strip_prefix(who)?.strip_prefix(" throughput for")?.split_once('=')?;
    let test = joined(test.split_whitespace(), " ");
    Some((test, figure(value.split_whitespace().next()?)?))
}

fn is_title(line: &str) -> bool {
    let mut words = line.split_whitespace();
    words.next().is_some_and(|word| word.eq_ignore_ascii_case("kb")) && words.next() == Some("reclen")
}

/// Words with the columns in which they end.
fn words(line: &str) -> Vec<(&str, usize)> {
    let start = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    line.split_whitespace().map(|word| (word, start(word) + word.len())).collect()
}

/// The figures of the table. A test that was left out leaves its column empty, so only the place of a figure shows
/// which test it is of.
fn table(lines: &[&str], run: &IozoneRun<'_>) -> Result<Vec<Measured>, String> {
    let mut figures = Vec::new();
    let Some(first) = lines.iter().position(|line| is_title(line)) else { return Ok(figures) };
    let titles: Vec<(&str, usize)> = words(lines[first]).into_iter().skip(2).collect();
    if titles.len() > TESTS.len() || titles.iter().zip(TESTS).any(|(title, test)| !test.ends_with(title.0)) {
        return Err(format!("the columns `{}` are not those of IOzone", lines[first].trim()));
    }
    for line in &lines[first + 1..] {
        let all = words(line);
        let [file, record, values @ ..] = &all[..] else { continue };
        if [file, record].iter().any(|(word, _)| word.parse::<u64>().is_err()) {
            continue;
        }
        for (place, (word, end)) in values.iter().enumerate() {
            let nearest = (0..titles.len()).min_by_key(|column| titles[*column].1.abs_diff(*end));
            let column = if values.len() == titles.len() { Some(place) } else { nearest };
            let is_there = |column: &usize| titles[*column].1.abs_diff(*end) <= MISALIGNED;
            let column = column.filter(|column| values.len() == titles.len() || is_there(column));
            let column = column.ok_or_else(|| format!("`{}` does not fit the table's columns", line.trim()))?;
            figures.extend(figure(word).map(|value| run.figure(TESTS[column], file.0, record.0, value)));
        }
    }
    Ok(figures)
}

/// `"Writer report"`, a line of record sizes, and a line for each file size.
fn reports(lines: &[&str], run: &IozoneRun<'_>) -> Vec<Measured> {
    let mut figures = Vec::new();
    let (mut test, mut records) = (None, Vec::new());
    for line in lines {
        let cells: Vec<&str> = line.split_whitespace().map(|cell| cell.trim_matches('"')).collect();
        if let Some(name) = line.trim().trim_matches('"').to_lowercase().strip_suffix(" report") {
            (test, records) = (Some(name.to_owned()), Vec::new());
        } else if let Some(test) = test.as_ref().filter(|_| cells.iter().all(|cell| figure(cell).is_some())) {
            match cells.split_first() {
                None => {}
                Some(_) if records.is_empty() => records = cells,
                Some((file, values)) => {
                    let of = |(value, record): (&&str, &&str)| Some(run.figure(test, file, record, figure(value)?));
                    figures.extend(values.iter().zip(&records).filter_map(of));
                }
            }
        }
    }
    figures
}

/// The rates of several processes together: as the parent saw them, which is all work over the time of the slowest.
fn throughput(lines: &[&str]) -> Vec<Measured> {
    let record = lines.iter().find_map(|line| line.trim().strip_prefix("Record Size "));
    let record = record.map(|size| format!(", record {size}")).unwrap_or_default();
    let of = |line: &&str| {
        let (test, own) = seen(line, CHILDREN_SEE)?;
        let parent = lines.iter().filter_map(|line| seen(line, "Parent sees")).find(|(name, _)| *name == test);
        let value = parent.map_or(own, |parent| parent.1);
        let unit = if line.contains("ops/sec") { "ops/s" } else { "KiB/s" };
        Some(Measured::rate(format!("{test}{record}"), value, unit))
    };
    lines.iter().filter_map(of).collect()
}
