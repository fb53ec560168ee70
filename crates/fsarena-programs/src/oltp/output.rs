//! Parses sysbench's output at the end of an OLTP test into run statistics.

use crate::sysbench::text::Times;
use crate::tool::figure;
use fsarena_engine::{Operation, RunStats};
use fsarena_model::Probe;

/// The figures that are taken from sysbench's output.
#[derive(Debug, Clone, PartialEq)]
pub struct OltpOutput {
    pub transactions: f64,
    transactions_per_second: f64,
    queries_per_second: f64,
    /// Deadlocks and duplicate keys. sysbench repeats their transactions.
    ignored_errors: f64,
    /// Connections that were lost and opened again.
    pub reconnects: f64,
    times: Times,
}

impl OltpOutput {
    pub fn of(text: &str) -> Result<Self, String> {
        // It is in brackets: `transactions: 1704 (847.01 per sec.)`.
        let per_second = |name| {
            let mut lines = text.lines().map(str::trim_start);
            let bracket = lines.find(|line| line.starts_with(name)).and_then(|line| line.split_once('('));
            let rate = bracket.and_then(|(_, rate)| figure(rate, "").ok());
            rate.ok_or_else(|| format!("its output has no `{name}` with a rate"))
        };
        Ok(Self {
            transactions: figure(text, "transactions:")?,
            transactions_per_second: per_second("transactions:")?,
            queries_per_second: per_second("queries:")?,
            ignored_errors: figure(text, "ignored errors:")?,
            reconnects: figure(text, "reconnects:")?,
            times: Times::of(text)?,
        })
    }

    /// Counts the run into `stats`. The bins of the histogram are scaled by one factor, so that their mean is the exact
    /// mean that sysbench prints.
    pub fn count(&self, stats: &mut RunStats) {
        stats.count_done(self.transactions as u64, 0);
        let total: f64 = self.times.histogram.iter().map(|(value, count)| value * *count as f64).sum();
        let count: f64 = self.times.histogram.iter().map(|(_, count)| *count as f64).sum();
        let moved = if total > 0.0 { self.times.average * count / total } else { 1.0 };
        self.times.count(Operation::Run, moved, stats);
        stats.reported.extend([
            (Probe::of_program("oltp.transactions", "1/s"), self.transactions_per_second),
            (Probe::of_program("oltp.queries", "1/s"), self.queries_per_second),
            (Probe::of_program("oltp.ignored-errors", "errors"), self.ignored_errors),
        ]);
        stats.reported.extend(self.times.reported("oltp"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_model::Nanos;

    /// Captured from sysbench 1.0.20 with MariaDB 10.11: 8 threads for 2 seconds.
    const TEXT: &str = include_str!("captured.txt");

    #[test]
    fn every_figure_is_found() {
        let output = OltpOutput::of(TEXT).expect("sysbench's");
        assert_eq!(
            (output.transactions, output.transactions_per_second, output.queries_per_second),
            (1704.0, 847.01, 16940.19)
        );
        assert_eq!((output.ignored_errors, output.reconnects, output.times.total), (0.0, 0.0, 2.01));
        assert_eq!((output.times.average, output.times.percentile_95, output.times.longest), (9.41, 17.63, 54.81));
        let counted: u64 = output.times.histogram.iter().map(|(_, count)| count).sum();
        assert_eq!(counted, 1704, "as many as there were transactions");
    }

    #[test]
    fn the_mean_is_the_one_that_it_says() {
        let mut stats = RunStats::new();
        OltpOutput::of(TEXT).expect("sysbench's").count(&mut stats);
        assert_eq!((stats.operations, stats.elapsed), (1704, Nanos(2_010_000_000)));
        let latency = stats.latency(Operation::Run).expect("recorded");
        assert!((latency.mean.as_seconds() * 1e3 / 9.41 - 1.0).abs() < 0.002, "{latency:?}");
        assert!(
            stats.reported.contains(&(Probe::of_program("oltp.latency.p95", "s"), 0.01763)),
            "{:?}",
            stats.reported
        );
    }

    #[test]
    fn a_missing_line_is_named() {
        let error = OltpOutput::of(&TEXT.replace("reconnects:", "")).expect_err("missing").to_string();
        assert!(error.contains("`reconnects:`"), "{error}");
    }
}
