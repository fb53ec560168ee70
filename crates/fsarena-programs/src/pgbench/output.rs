//! Parses pgbench's output at the end of a run into run statistics.

use fsarena_engine::RunStats;
use fsarena_model::{Nanos, Probe};

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
}
