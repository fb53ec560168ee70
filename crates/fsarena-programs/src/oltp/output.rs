//! Reads what sysbench 1.0 prints at the end of a run.

use fsarena_engine::{Operation, RunStats};
use fsarena_model::{Nanos, Probe};

use crate::tool::figure;

/// Adds the run whose output is `text` to `stats`. The bins of the histogram are scaled by one factor, so that their
/// mean is the exact mean that sysbench prints. Returns the number of transactions that were acknowledged.
pub fn read(text: &str, stats: &mut RunStats) -> Result<u64, String> {
    // It is in brackets: `transactions: 1704 (847.01 per sec.)`.
    let per_second = |name| {
        let mut lines = text.lines().map(str::trim_start);
        let bracket = lines.find(|line| line.starts_with(name)).and_then(|line| line.split_once('('));
        let rate = bracket.and_then(|(_, rate)| figure(rate, "").ok());
        rate.ok_or_else(|| format!("its output has no `{name}` with a rate"))
    };
    let (transactions, seconds) = (figure(text, "transactions:")? as u64, figure(text, "total time:")?);
    let average = figure(text, "avg:")?;
    let reported = [
        ("oltp.transactions", "1/s", per_second("transactions:")?),
        ("oltp.queries", "1/s", per_second("queries:")?),
        // Deadlocks and duplicate keys. sysbench repeats their transactions.
        ("oltp.ignored-errors", "errors", figure(text, "ignored errors:")?),
        ("oltp.latency.avg", "s", average / 1e3),
        ("oltp.latency.p95", "s", figure(text, "95th percentile:")? / 1e3),
        ("oltp.latency.max", "s", figure(text, "max:")? / 1e3),
    ];
    let reconnects = figure(text, "reconnects:")?;
    if reconnects > 0.0 {
        return Err(format!("the server hung up {reconnects} times"));
    }
    stats.count_done(transactions, 0);
    stats.elapsed = stats.elapsed + Nanos((seconds * 1e9).round() as u64);
    let bins = || text.lines().filter_map(bin);
    let total: f64 = bins().map(|(value, count)| value * count as f64).sum();
    let count: f64 = bins().map(|(_, count)| count as f64).sum();
    let moved = if total > 0.0 { average * count / total } else { 1.0 };
    for (milliseconds, count) in bins() {
        stats.record_many(Operation::Run, Nanos((milliseconds * moved * 1e6) as u64), count);
    }
    stats.end_part(stats.elapsed);
    stats.reported.extend(reported.map(|(name, unit, value)| (Probe::of_program(name, unit), value)));
    Ok(transactions)
}

/// Parses a line of the histogram, in milliseconds: `0.017 |***      12`. Its bins are 1.8 % wide.
fn bin(line: &str) -> Option<(f64, u64)> {
    let (value, rest) = line.split_once('|')?;
    let count = rest.trim_start_matches('*').trim().parse().ok()?;
    Some((value.trim().parse().ok()?, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Captured from sysbench 1.0.20 with MariaDB 10.11: 8 threads for 2 seconds.
    const TEXT: &str = include_str!("captured.txt");

    #[test]
    fn every_figure_is_found() {
        let mut stats = RunStats::new();
        assert_eq!(read(TEXT, &mut stats), Ok(1704));
        let reported = ["transactions", "queries", "ignored-errors"].map(|name| {
            let id = format!("oltp.{name}");
            stats.reported.iter().find(|(probe, _)| probe.id == id).map(|(_, value)| *value)
        });
        assert_eq!(reported, [847.01, 16940.19, 0.0].map(Some));
        let counted: u64 = TEXT.lines().filter_map(bin).map(|(_, count)| count).sum();
        assert_eq!(counted, 1704, "as many as there were transactions");
    }

    #[test]
    fn the_mean_is_the_one_that_it_says() {
        let mut stats = RunStats::new();
        read(TEXT, &mut stats).expect("sysbench's");
        assert_eq!((stats.operations, stats.elapsed), (1704, Nanos(2_010_000_000)));
        let latency = stats.latency(Operation::Run).expect("recorded");
        assert!((latency.mean.as_seconds() * 1e3 / 9.41 - 1.0).abs() < 0.002, "{latency:?}");
        for (name, seconds) in
            [("oltp.latency.avg", 0.00941), ("oltp.latency.p95", 0.01763), ("oltp.latency.max", 0.05481)]
        {
            let found = stats.reported.iter().find(|(probe, _)| probe.id == name).map(|(_, value)| *value);
            assert!(found.is_some_and(|found| (found / seconds - 1.0).abs() < 1e-9), "{name}: {found:?}");
        }
    }

    #[test]
    fn a_lost_connection_is_an_error() {
        let (before, line) = TEXT.split_once("reconnects:").expect("there");
        let lost = format!("{before}reconnects:{}", line.replacen('0', "3", 1));
        let mut stats = RunStats::new();
        assert_eq!(read(&lost, &mut stats), Err("the server hung up 3 times".to_owned()));
        assert_eq!(stats.operations, 0);
    }
}
