//! sysbench's text output, versions 0.4 to 1.1: `fileio`, and the transactions of its database tests. A file may have
//! several runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::doubts::{DONE, doubt, failed, limited, share_of_syncs, written_meanwhile};
use super::{File, ReadError, after, at_number, figure, printed, program, written};
use crate::findings::{FindingClass, JudgedFinding, UNEVEN};
use crate::measured::{Extent, Measured, Reads, SyncedResult};
use fsarena_model::joined;

pub fn knows(file: &File<'_>) -> bool {
    file.text.lines().any(|line| begins(line) || line.starts_with("Running the test with following options:"))
}

/// `sysbench 1.0.20 (using …)` or `sysbench 0.4.12:  multi-threaded system evaluation benchmark`.
fn begins(line: &str) -> bool {
    line.strip_prefix("sysbench ").is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// Operations per second of each direction, or transactions.
pub fn read(file: &File<'_>) -> Result<Vec<Measured>, ReadError> {
    let mut rows = Vec::new();
    let has_failed = |lines: &[&str]| lines.iter().any(|line| line.starts_with("FATAL"));
    // `prepare` and `--version` print no figures.
    let runs = file.runs(begins).into_iter().filter(|lines| has_failed(lines) || !figures(lines).is_empty());
    for (index, lines) in runs.enumerate() {
        let lines = &*lines;
        if has_failed(lines) {
            return Err(file.malformed(format!("run {} failed, so its figures are of no work", index + 1)));
        }
        if lines.iter().any(|line| line.ends_with("s ] Checkpoint report:")) {
            return Err(ReadError::Malformed {
                place: file.name.to_owned(),
                why: format!("the figures of run {} are of the time since a checkpoint", index + 1),
                hint: "run it without `--report-checkpoints`",
            });
        }
        let version = lines[0].split([' ', ':']).nth(1).filter(|_| begins(lines[0]));
        let conditions = program(version.map(|version| format!("sysbench {version}")));
        let figures = figures(lines);
        let written = figures.iter().find_map(|figure| written_meanwhile(figure.durable));
        for figure in figures {
            let meanwhile = written.clone().filter(|_| figure.durable == SyncedResult::NothingWritten);
            rows.push(Measured {
                run: file.run(index + 1, &printed(lines, |_| false)),
                work: Arc::new(settings(lines).into_iter().chain(queries(lines)).chain(meanwhile).collect()),
                synced: synced(lines),
                conditions: conditions.clone(),
                extent: extent(lines),
                notes: notes(lines).into_iter().chain(doubts(lines)).collect(),
                ..file.row(index + 1, figure)
            });
        }
    }
    Ok(rows)
}

fn figures(lines: &[&str]) -> Vec<Measured> {
    let test = lines.iter().find_map(|line| line.trim().strip_prefix("Doing ")).unwrap_or("database");
    let block = lines.iter().find_map(|line| line.trim().strip_prefix("Block size "));
    let size = lines.iter().find_map(|line| line.trim().strip_suffix(" total file size"));
    let threads = after(lines, "Number of threads").map(|count| format!("{count} threads"));
    let parts = [test.trim_end_matches(" test"), block.unwrap_or_default(), size.unwrap_or_default()];
    let parts = parts.into_iter().map(str::to_lowercase).chain(threads).filter(|part| !part.is_empty());
    let work = joined(parts, ", ");
    let of = |name: &str, unit, value: Option<f64>| {
        let figure = Measured::rate(format!("{work}: {name}"), value?, unit);
        Some(Measured { durable: durable(lines, name), reads: reads(lines, name), ..figure })
    };
    let directions = ["read", "write"]
        .map(|name| of(&format!("{name}s"), "ops/s", rate(lines, name).filter(|rate| *rate > 0.0 && rate.is_finite())));
    let requests = lines.iter().find_map(|line| line.trim().strip_suffix(" Requests/sec executed")).and_then(figure);
    let transactions = after(lines, "transactions").and_then(per_second);
    let further = [of("requests", "ops/s", requests), of("transactions", "transactions/s", transactions)];
    directions.into_iter().chain(further).flatten().collect()
}

/// Lines below this one have the settings.
const HEAD: &str = "Running the test with following options:";
/// The first words of lines that are no settings of the work.
const NO_WORK: [&str; 4] = ["Initializing", "Report intermediate", "Additional", "Random"];

/// The settings, a line each: `Block size 16KiB`.
fn settings(lines: &[&str]) -> BTreeMap<String, String> {
    let own = lines.iter().map(|line| line.trim()).skip_while(|line| *line != HEAD).skip(1);
    let own = own
        .take_while(|line| !["Threads started!", "File operations:", "Initializing worker threads..."].contains(line));
    let is_work = |line: &&str| !line.is_empty() && !NO_WORK.iter().any(|word| line.starts_with(word));
    // Only whether and how often it was synced counts, which does not follow from this line.
    let is_known = |line: &&str| !line.starts_with("Calling fsync() at the end of test");
    own.filter(is_work).filter(is_known).map(setting).collect()
}

/// The first word behind a name, if it is a number.
fn count(lines: &[&str], name: &str) -> Option<f64> {
    after(lines, name)?.split_whitespace().next()?.parse().ok()
}

/// The queries of a transaction of a database test: its script is not printed.
fn queries(lines: &[&str]) -> BTreeMap<String, String> {
    let of = |name: &str| {
        let number = count(lines, name)? / count(lines, "transactions")?;
        Some((format!("{name} queries of a transaction"), format!("{number:.0}")))
    };
    ["read", "write", "other"].into_iter().filter_map(of).collect()
}

/// A line as a name and a value: from the first number on, or behind a colon.
fn setting(line: &str) -> (String, String) {
    let text = line.trim_end_matches('.');
    match text.split_once(": ").unwrap_or_else(|| at_number(text)) {
        // `128 files, 16MiB each` and `2GiB total file size`.
        ("", _) if text.ends_with(" each") => ("files".to_owned(), text.to_owned()),
        ("", _) if text.ends_with(" total file size") => ("total file size".to_owned(), text.to_owned()),
        ("", name) | (name, "") => (name.to_owned(), "yes".to_owned()),
        (name, value) => (name.trim().to_owned(), value.to_owned()),
    }
}

/// Operations per second of `read`, `write` or `fsync`, if they are printed.
fn rate(lines: &[&str], name: &str) -> Option<f64> {
    let newer = || after(lines, name)?.strip_prefix("IOPS=")?.split(' ').next();
    after(lines, &format!("{name}s/s")).or_else(newer)?.parse().ok()
}

/// The share of the syncs after each write, or in each number of requests, that were done. Those of requests are of
/// each file.
fn synced(lines: &[&str]) -> Option<f64> {
    let writes = rate(lines, "write")?;
    let each =
        lines.iter().find_map(|line| line.split_once("calling fsync() each ")?.1.split(' ').next()?.parse().ok());
    let asked = match each {
        Some::<f64>(requests) => (writes + rate(lines, "read").unwrap_or_default()) / requests,
        None if lines.iter().any(|line| line.contains(AFTER_EACH)) => writes,
        None => return None,
    };
    // Runs whose time is missing are taken to be long enough.
    let seconds = extent(lines).map_or(1000.0, |all| all.seconds);
    share_of_syncs(rate(lines, "fsync")? * seconds, asked * seconds)
}

fn notes(lines: &[&str]) -> Vec<JudgedFinding> {
    let is_asked = lines.iter().any(|line| line.contains("Calling fsync() at the end of test, Enabled"));
    let has_written = rate(lines, "write") != Some(0.0);
    let undone = (is_asked && has_written && rate(lines, "fsync") == Some(0.0)).then(|| JudgedFinding {
        class: FindingClass::Durability,
        text: "it was to call fsync(), but did not once".to_owned(),
    });
    let events = after(lines, "events (avg/stddev)").and_then(|text| {
        let (mean, deviation) = text.split_once('/')?;
        Some(deviation.parse::<f64>().ok()? / figure(mean)?)
    });
    let uneven = events.filter(|share| *share > UNEVEN - 1.0).map(|share| JudgedFinding {
        class: FindingClass::Uneven,
        text: format!("the work of its threads varies by {:.0} %", 100.0 * share),
    });
    undone.into_iter().chain(uneven).collect()
}

/// How long it ran, and its events.
fn extent(lines: &[&str]) -> Option<Extent> {
    let time = after(lines, "total time").or_else(|| after(lines, "time elapsed"))?;
    let seconds = figure(time.trim_end_matches('s'))?;
    Some(Extent { seconds, amount: figure(after(lines, "total number of events")?)? })
}

/// Errors that it only counts or mentions, and a rate that it was to keep (`--rate`).
fn doubts(lines: &[&str]) -> Vec<JudgedFinding> {
    let ignored = ["ignored errors", "reconnects"].into_iter().filter_map(|name| count(lines, name)).sum();
    let failed = count(lines, "transactions").and_then(|all| failed(ignored, all));
    let alert = lines.iter().find(|line| line.starts_with("ALERT: "));
    let alert = alert.map(|line| doubt(format!("it printed `{line}`")));
    let target = after(lines, "Target transaction rate");
    let most = target.and_then(|text| figure(text.strip_suffix("/sec")?));
    // It limits the events: those of a test of files are of both directions.
    let rate = extent(lines).map(|all| all.amount / all.seconds);
    let limited = rate.zip(most).and_then(|(rate, most)| limited(rate, most, &format!("--rate={most}")));
    [failed, alert, limited].into_iter().flatten().collect()
}

/// `1000   (99.94 per sec.)`.
fn per_second(text: &str) -> Option<f64> {
    figure(text.split_once('(')?.1.split_whitespace().next()?)
}

/// Flags of open(2) on x86, which version 0.4 prints as a number. `O_SYNC` includes this one.
const O_DSYNC: u32 = 0o10000;
const O_DIRECT: u32 = 0o40000;

/// Whether files were opened with a flag of one of these names, or with this bit.
fn is_opened(lines: &[&str], names: &[&str], bit: u32) -> bool {
    let flags = after(lines, "Extra file open flags").unwrap_or_default();
    names.iter().any(|name| flags.starts_with(name)) || flags.parse().is_ok_and(|flags: u32| flags & bit != 0)
}

const AFTER_EACH: &str = "Calling fsync() after each write operation";

fn durable(lines: &[&str], name: &str) -> SyncedResult {
    let has = |words: &str| lines.iter().any(|line| line.contains(words));
    let is_asked =
        has("Calling fsync() at the end of test, Enabled") || has(AFTER_EACH) || has("Periodic FSYNC enabled");
    let is_open = is_opened(lines, &["sync", "dsync"], O_DSYNC);
    // What was done overrules what was asked for.
    let is_done = synced(lines).map_or(rate(lines, "fsync") != Some(0.0), |share| share >= DONE);
    let is_synced = is_open || (is_asked && is_done);
    match name {
        "reads" => SyncedResult::NothingWritten,
        "writes" | "requests" => written(is_synced),
        _ => SyncedResult::Unknown,
    }
}

fn reads(lines: &[&str], name: &str) -> Reads {
    let is_direct = is_opened(lines, &["direct"], O_DIRECT);
    match name {
        "writes" => Reads::Nothing,
        "reads" | "requests" if is_direct => Reads::Device,
        _ => Reads::Unknown,
    }
}
