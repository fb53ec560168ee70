//! Parses sysbench's output at the end of an OLTP test into run statistics.

use crate::sysbench::text::Times;
use crate::tool::figure;
use fsarena_engine::{Operation, RunStats};
use fsarena_model::Probe;

/// Adds the run whose output is `text` to `stats`. The bins of the histogram are scaled by one factor, so that their mean
/// is the exact mean that sysbench prints. Returns the number of transactions that were acknowledged.
pub fn read(text: &str, stats: &mut RunStats) -> Result<u64, String> {
    // It is in brackets: `transactions: 1704 (847.01 per sec.)`.
    let per_second = |name| {
        let mut lines = text.lines().map(str::trim_start);
        let bracket = lines.find(|line| line.starts_with(name)).and_then(|line| line.split_once('('));
        let rate = bracket.and_then(|(_, rate)| figure(rate, "").ok());
        rate.ok_or_else(|| format!("its output has no `{name}` with a rate"))
    };
    let (transactions, times) = (figure(text, "transactions:")? as u64, Times::of(text)?);
    let reported = [
        (Probe::of_program("oltp.transactions", "1/s"), per_second("transactions:")?),
        (Probe::of_program("oltp.queries", "1/s"), per_second("queries:")?),
        // Deadlocks and duplicate keys. sysbench repeats their transactions.
        (Probe::of_program("oltp.ignored-errors", "errors"), figure(text, "ignored errors:")?),
    ];
    let reconnects = figure(text, "reconnects:")?;
    if reconnects > 0.0 {
        return Err(format!("the server hung up {reconnects} times"));
    }
    stats.count_done(transactions, 0);
    let total: f64 = times.histogram.iter().map(|(value, count)| value * *count as f64).sum();
    let count: f64 = times.histogram.iter().map(|(_, count)| *count as f64).sum();
    let moved = if total > 0.0 { times.average * count / total } else { 1.0 };
    times.count(Operation::Run, moved, stats);
    stats.reported.extend(reported.into_iter().chain(times.reported("oltp")));
    Ok(transactions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_model::Nanos;

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
        let times = Times::of(TEXT).expect("sysbench's");
        assert_eq!((times.total, times.average, times.percentile_95, times.longest), (2.01, 9.41, 17.63, 54.81));
        let counted: u64 = times.histogram.iter().map(|(_, count)| count).sum();
        assert_eq!(counted, 1704, "as many as there were transactions");
    }

    #[test]
    fn the_mean_is_the_one_that_it_says() {
        let mut stats = RunStats::new();
        read(TEXT, &mut stats).expect("sysbench's");
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
    fn a_lost_connection_is_an_error() {
        let (before, line) = TEXT.split_once("reconnects:").expect("there");
        let lost = format!("{before}reconnects:{}", line.replacen('0', "3", 1));
        let mut stats = RunStats::new();
        assert_eq!(read(&lost, &mut stats), Err("the server hung up 3 times".to_owned()));
        assert_eq!(stats.operations, 0);
    }
}
