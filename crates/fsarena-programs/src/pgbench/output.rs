//! Parses pgbench's output at the end of a run, and its log of transactions, into run statistics.

use std::fs;
use std::path::{Path, PathBuf};

use fsarena_engine::{EngineError, Operation, RunStats};
use fsarena_model::{Nanos, Probe};

use crate::folder;
use crate::tool::figure;

/// How the statements of pgbench's script begin. The last one is the commit, which waits for the file system.
const STATEMENTS: &[(&str, &str)] = &[
    ("BEGIN;", "pgbench.statement.begin"),
    ("UPDATE pgbench_accounts", "pgbench.statement.update-accounts"),
    ("SELECT abalance", "pgbench.statement.select-balance"),
    ("UPDATE pgbench_tellers", "pgbench.statement.update-tellers"),
    ("UPDATE pgbench_branches", "pgbench.statement.update-branches"),
    ("INSERT INTO pgbench_history", "pgbench.statement.insert-history"),
    ("END;", "pgbench.statement.commit"),
];

/// Adds the run of `clients` clients whose output is `text` to `stats`. Its elapsed time does not include connecting.
/// Returns the number of transactions that were committed.
pub fn read(text: &str, clients: u32, stats: &mut RunStats) -> Result<u64, String> {
    let processed = figure(text, "number of transactions actually processed:")? as u64;
    // Versions before PostgreSQL 15 end at the first failure.
    match figure(text, "number of failed transactions:").unwrap_or(0.0) as u64 {
        0 => {}
        failed => return Err(format!("{failed} transactions failed")),
    }
    let (rate, milliseconds) = (rate(text)?, figure(text, "latency average =")?);
    stats.count_done(processed, 0);
    stats.elapsed = stats.elapsed + Nanos((processed as f64 / rate * 1e9) as u64);
    stats.count_commits(processed, u64::from(clients));
    stats.reported.push((Probe::of_program("pgbench.tps", "1/s"), rate));
    let connecting = figure(text, "initial connection time =").ok().map(|time| ("pgbench.connecting", time));
    let times = [("pgbench.latency.avg", milliseconds)].into_iter().chain(connecting);
    let times = times.chain(text.lines().filter_map(statement));
    stats.reported.extend(times.map(|(name, milliseconds)| (Probe::of_program(name, "s"), milliseconds / 1e3)));
    Ok(processed)
}

/// Transactions per second without the time of connecting. Before PostgreSQL 14, the line that includes it comes first.
fn rate(text: &str) -> Result<f64, String> {
    let without = ["without initial connection time", "excluding connections establishing"];
    let line = text.lines().find(|line| line.starts_with("tps =") && without.iter().any(|words| line.contains(words)));
    match figure(line.unwrap_or_default(), "tps =")? {
        rate if rate > 0.0 => Ok(rate),
        rate => Err(format!("its output has {rate} transactions per second")),
    }
}

/// Parses `6.658           0  END;`: milliseconds, the number of failures (since PostgreSQL 15), the statement.
fn statement(line: &str) -> Option<(&'static str, f64)> {
    let (took, rest) = line.trim_start().split_once(' ')?;
    let rest = rest.trim_start().trim_start_matches(|sign: char| sign.is_ascii_digit()).trim_start();
    let (_, name) = STATEMENTS.iter().find(|(begin, _)| rest.starts_with(begin))?;
    Some((name, took.parse().ok()?))
}

/// Counts the logs in `folder` whose names begin with `prefix`, one per thread, into `stats`, and removes them. The
/// run began at `start` of the time in `stats`. Each line has the client, the number of the transaction, its duration
/// (µs), the script, and when it ended (s and µs since 1970).
/// <https://www.postgresql.org/docs/15/pgbench.html>, "Per-Transaction Logging"
pub fn take(folder: &Path, prefix: &str, start: Nanos, stats: &mut RunStats) -> Result<(), EngineError> {
    let mut ends = Vec::new();
    for path in logs(folder, prefix)? {
        let text = folder::read(&path).map_err(EngineError::io(format!("read {}", path.display())))?;
        for line in text.lines() {
            let strange = || EngineError::program("pgbench")(format!("its log has the line `{line}`"));
            ends.push(TransactionEnd::of(line).ok_or_else(strange)?);
        }
        fs::remove_file(&path).map_err(EngineError::io(format!("remove {}", path.display())))?;
    }
    count(ends, start, stats);
    Ok(())
}

fn logs(folder: &Path, prefix: &str) -> Result<Vec<PathBuf>, EngineError> {
    let entries = fs::read_dir(folder).map_err(EngineError::io(format!("list {}", folder.display())))?;
    let ours = entries.filter_map(Result::ok).filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    Ok(ours.map(|entry| entry.path()).collect())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TransactionEnd {
    /// When it ended, µs since 1970.
    at: u64,
    /// How long the transaction took.
    took: Nanos,
}

impl TransactionEnd {
    fn of(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace().skip(2);
        let took: u64 = words.next()?.parse().ok()?;
        let mut rest = words.skip(1).map(str::parse::<u64>);
        let (seconds, rest) = (rest.next()?.ok()?, rest.next()?.ok()?);
        let at = seconds.checked_mul(1_000_000)?.checked_add(rest)?;
        Some(Self { at, took: Nanos(took.checked_mul(1_000)?) })
    }
}

/// Records the transactions in the order in which they ended, in parts of one second.
fn count(mut ends: Vec<TransactionEnd>, start: Nanos, stats: &mut RunStats) {
    const PART: u64 = 1_000_000;
    ends.sort_unstable();
    let begin = ends.first().map_or(0, |first| first.at.saturating_sub(first.took.0 / 1_000));
    let mut part = 1;
    for end in &ends {
        let own = (end.at - begin) / PART + 1;
        if own > part {
            stats.end_part(start + Nanos::seconds(part));
            part = own;
        }
        stats.record(Operation::Run, end.took);
    }
    let last = ends.last().map_or(0, |last| last.at - begin);
    stats.end_part(start + Nanos(last.saturating_mul(1_000)));
}

/// Parses the lines that it can read into run statistics.
#[cfg(test)]
pub(crate) fn understand(text: &str, stats: &mut RunStats) {
    count(text.lines().filter_map(TransactionEnd::of).collect(), stats.elapsed, stats);
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_model::probe;

    /// Captured from pgbench 15.20: 8 clients, 100 transactions each.
    const TEXT: &str = include_str!("captured.txt");

    fn value(stats: &RunStats, name: &str) -> Option<f64> {
        let id = format!("pgbench.{name}");
        stats.reported.iter().find(|(probe, _)| probe.id == id).map(|(_, value)| *value)
    }

    #[test]
    fn every_figure_is_found() {
        let mut stats = RunStats::new();
        assert_eq!(read(TEXT, 8, &mut stats), Ok(800));
        assert_eq!(value(&stats, "tps"), Some(356.456678));
        assert_eq!(
            (value(&stats, "latency.avg"), value(&stats, "connecting")),
            (Some(22.443 / 1e3), Some(115.722 / 1e3))
        );
        let statements = stats.reported.iter().filter(|(probe, _)| probe.id.starts_with("pgbench.statement."));
        assert_eq!(statements.count(), STATEMENTS.len());
        assert_eq!(value(&stats, "statement.commit"), Some(6.658 / 1e3));
        assert_eq!(stats.operations, 800);
        assert!((stats.operations as f64 / stats.elapsed.as_seconds() / 356.456678 - 1.0).abs() < 1e-6);
        assert!(stats.reported.contains(&(probe::COMMITS, 800.0)), "{:?}", stats.reported);
    }

    #[test]
    fn older_ones_are_understood() {
        let older = "number of transactions actually processed: 800/800\nlatency average = 3.100 ms\n\
                     tps = 300.5 (including connections establishing)\ntps = 310.25 (excluding connections establishing)\n\
                     statement latencies in milliseconds:\n         2.500  END;\n";
        let mut stats = RunStats::new();
        assert_eq!(read(older, 8, &mut stats), Ok(800));
        assert_eq!((value(&stats, "tps"), value(&stats, "connecting")), (Some(310.25), None));
        assert_eq!(value(&stats, "statement.commit"), Some(2.5 / 1e3));
    }

    #[test]
    fn failed_transactions_and_missing_lines_are_detected() {
        let failed = TEXT.replace("failed transactions: 0 (0.000%)", "failed transactions: 3 (0.375%)");
        let mut stats = RunStats::new();
        assert_eq!(read(&failed, 8, &mut stats), Err("3 transactions failed".to_owned()));
        let missing = read(&TEXT.replace("tps = ", ""), 8, &mut stats);
        assert_eq!((missing, stats.operations), (Err("its output has no `tps =`".to_owned()), 0));
    }

    #[test]
    fn each_transaction_counts_in_its_second() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let write = |name, text| fs::write(folder.path().join(name), text).expect("written");
        write("log.1", "4 1 8240 0 1795301548 200808\n4 2 1000 0 1795301549 500000\n");
        write("log.1.1", "5 1 16480 0 1795301548 209055\n");
        write("other", "x");
        let mut stats = RunStats::new();
        take(folder.path(), "log", Nanos(0), &mut stats).expect("a log");
        let latency = stats.latency(Operation::Run).expect("recorded");
        assert_eq!(latency.count, 3);
        assert!((latency.max.0 as f64 / 16_480_000.0 - 1.0).abs() < 0.01, "{latency:?}");
        assert_eq!(stats.windows().iter().map(|window| window.count).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(logs(folder.path(), "log").expect("listed"), Vec::<PathBuf>::new());
        write("log.2", "4 1 skipped 0 1795301548 200808\n");
        take(folder.path(), "log", Nanos(0), &mut stats).expect_err("not a latency");
    }
}
