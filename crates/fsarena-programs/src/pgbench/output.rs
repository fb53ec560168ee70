//! Parses pgbench's output at the end of a run into run statistics.

use fsarena_engine::RunStats;
use fsarena_model::{Nanos, Probe};

use crate::tool::figure;

/// The figures that are taken from pgbench's output.
#[derive(Debug, Clone, PartialEq)]
pub struct PgbenchOutput {
    pub processed: u64,
    /// Transactions that failed. Versions before PostgreSQL 15 end at the first failure.
    pub failed: u64,
    /// Transactions per second, without the time of connecting.
    rate: f64,
    /// Average latency in milliseconds.
    average: f64,
    connecting: Option<f64>,
    /// Latency of each kind of statement in milliseconds, by the name of its reading.
    statements: Vec<(&'static str, f64)>,
}

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

impl PgbenchOutput {
    pub fn of(text: &str) -> Result<Self, String> {
        Ok(Self {
            processed: figure(text, "number of transactions actually processed:")? as u64,
            failed: figure(text, "number of failed transactions:").unwrap_or(0.0) as u64,
            rate: rate(text)?,
            average: figure(text, "latency average =")?,
            connecting: figure(text, "initial connection time =").ok(),
            statements: text.lines().filter_map(statement).collect(),
        })
    }

    /// Counts the run of `clients` clients into `stats`. Its elapsed time does not include connecting.
    pub fn count(&self, clients: u32, stats: &mut RunStats) {
        stats.count_done(self.processed, 0);
        stats.elapsed = stats.elapsed + Nanos((self.processed as f64 / self.rate * 1e9) as u64);
        stats.count_commits(self.processed, u64::from(clients));
        stats.reported.extend([
            (Probe::of_program("pgbench.tps", "1/s"), self.rate),
            (Probe::of_program("pgbench.latency.avg", "s"), self.average / 1e3),
        ]);
        stats
            .reported
            .extend(self.connecting.map(|connecting| (Probe::of_program("pgbench.connecting", "s"), connecting / 1e3)));
        stats.reported.extend(self.statements.iter().map(|(name, took)| (Probe::of_program(name, "s"), took / 1e3)));
    }
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

    #[test]
    fn every_figure_is_found() {
        let output = PgbenchOutput::of(TEXT).expect("pgbench's");
        assert_eq!((output.processed, output.failed, output.rate), (800, 0, 356.456678));
        assert_eq!((output.average, output.connecting), (22.443, Some(115.722)));
        assert_eq!(output.statements.len(), STATEMENTS.len());
        assert!(output.statements.contains(&("pgbench.statement.commit", 6.658)), "{output:?}");
        let mut stats = RunStats::new();
        output.count(8, &mut stats);
        assert_eq!(stats.operations, 800);
        assert!((stats.operations as f64 / stats.elapsed.as_seconds() / 356.456678 - 1.0).abs() < 1e-6);
        assert!(stats.reported.contains(&(probe::COMMITS, 800.0)), "{:?}", stats.reported);
    }

    #[test]
    fn older_ones_are_understood() {
        let older = "number of transactions actually processed: 800/800\nlatency average = 3.100 ms\n\
                     tps = 300.5 (including connections establishing)\ntps = 310.25 (excluding connections establishing)\n\
                     statement latencies in milliseconds:\n         2.500  END;\n";
        let output = PgbenchOutput::of(older).expect("pgbench's");
        assert_eq!((output.rate, output.connecting, output.failed), (310.25, None, 0));
        assert_eq!(output.statements, [("pgbench.statement.commit", 2.5)]);
    }

    #[test]
    fn failed_transactions_and_missing_lines_are_detected() {
        let failed = TEXT.replace("failed transactions: 0 (0.000%)", "failed transactions: 3 (0.375%)");
        assert_eq!(PgbenchOutput::of(&failed).expect("pgbench's").failed, 3);
        assert_eq!(
            PgbenchOutput::of(&TEXT.replace("tps = ", "")).map(|_| ()),
            Err("its output has no `tps =`".to_owned())
        );
    }
}
