//! pgbench's log of transactions. Each line has the client, the number of the transaction, its duration (µs), the
//! script, and when it ended (s and µs since 1970). <https://www.postgresql.org/docs/15/pgbench.html>, "Per-Transaction
//! Logging".

use std::fs;
use std::path::{Path, PathBuf};

use fsarena_engine::{EngineError, Operation, RunStats};
use fsarena_model::Nanos;

use crate::folder;
use crate::tool::failed;

/// Counts the logs in `folder` whose names begin with `prefix`, one per thread, into `stats`, and removes them. The
/// run began at `start` of the time in `stats`.
pub fn take(folder: &Path, prefix: &str, start: Nanos, stats: &mut RunStats) -> Result<(), EngineError> {
    let mut ends = Vec::new();
    for path in logs(folder, prefix)? {
        let text = folder::read(&path).map_err(EngineError::io(format!("read {}", path.display())))?;
        for line in text.lines() {
            let strange = || failed("pgbench")(format!("its log has the line `{line}`"));
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

/// The end of a transaction.
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
