//! Reads what sysbench 1.0 prints at the end of a run: its figures, and the results as run statistics.

use fsarena_engine::{Operation, RunStats};
use fsarena_model::{Nanos, Probe, intern, probe};

use crate::tool::figure;

#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// Total time, seconds.
    pub total: f64,
    /// Average, milliseconds.
    pub average: f64,
    /// 95th percentile, milliseconds.
    pub percentile_95: f64,
    /// Maximum, milliseconds.
    pub longest: f64,
    /// Histogram: the time, milliseconds, and the number of events. Its bins are 1.8 % wide.
    pub histogram: Vec<(f64, u64)>,
}

impl Times {
    pub fn of(text: &str) -> Result<Self, String> {
        let figure = |name| figure(text, name);
        Ok(Self {
            total: figure("total time:")?,
            average: figure("avg:")?,
            percentile_95: figure("95th percentile:")?,
            longest: figure("max:")?,
            histogram: text.lines().filter_map(bin).collect(),
        })
    }

    /// Adds the total time to `stats`, and the histogram as latencies of `operation`, each times `factor`.
    pub fn count(&self, operation: Operation, factor: f64, stats: &mut RunStats) {
        for (milliseconds, count) in &self.histogram {
            stats.record_many(operation, Nanos((milliseconds * factor * 1e6) as u64), *count);
        }
        stats.elapsed = stats.elapsed + Nanos((self.total * 1e9).round() as u64);
        stats.end_part(stats.elapsed);
    }

    /// Average, 95th percentile and maximum, in seconds, as figures of `engine`.
    pub fn reported(&self, engine: &str) -> [(Probe, f64); 3] {
        [("avg", self.average), ("p95", self.percentile_95), ("max", self.longest)].map(|(name, milliseconds)| {
            (Probe::of_program(intern(&format!("{engine}.latency.{name}")), "s"), milliseconds / 1e3)
        })
    }
}

/// Parses a line of the histogram, in milliseconds: `0.017 |***      12`.
fn bin(line: &str) -> Option<(f64, u64)> {
    let (value, rest) = line.split_once('|')?;
    let count = rest.trim_start_matches('*').trim().parse().ok()?;
    Some((value.trim().parse().ok()?, count))
}

/// Adds the run whose output is `text` to `stats`, as `operation`s of `block` bytes. The counts come from the rates:
/// their time includes the fsync at the end, which is neither in the total time nor among the events.
pub fn read(text: &str, operation: Operation, block: u64, stats: &mut RunStats) -> Result<(), String> {
    let (reads, writes, times) = (figure(text, "reads/s:")?, figure(text, "writes/s:")?, Times::of(text)?);
    let reported = [
        (probe::SYSBENCH_READS, reads),
        (probe::SYSBENCH_WRITES, writes),
        (Probe::of_program("sysbench.fsyncs", "1/s"), figure(text, "fsyncs/s:")?),
        (Probe::of_program("sysbench.read", "MiB/s"), figure(text, "read, MiB/s:")?),
        (Probe::of_program("sysbench.written", "MiB/s"), figure(text, "written, MiB/s:")?),
    ];
    let count = |rate: f64| (rate * times.total).round() as u64;
    let operations = count(reads).saturating_add(count(writes));
    stats.count_done(operations, operations.saturating_mul(block));
    times.count(operation, 1.0, stats);
    stats.reported.extend(reported.into_iter().chain(times.reported("sysbench")));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of sysbench 1.0.20: 120 events of two threads.
    const TEXT: &str = include_str!("captured.txt");

    #[test]
    fn every_figure_is_found() {
        let mut stats = RunStats::new();
        read(TEXT, Operation::Run, 4096, &mut stats).expect("sysbench's");
        let reported = ["reads", "writes", "fsyncs", "read", "written"].map(|name| {
            let id = format!("sysbench.{name}");
            stats.reported.iter().find(|(probe, _)| probe.id == id).map(|(_, value)| *value)
        });
        assert_eq!(reported, [6930.07, 4654.52, 1654.94, 27.07, 18.18].map(Some));
        let times = Times::of(TEXT).expect("sysbench's");
        assert_eq!((times.total, times.average, times.percentile_95, times.longest), (0.0093, 0.11, 0.18, 0.37));
        let counted: u64 = times.histogram.iter().map(|(_, count)| count).sum();
        assert_eq!((counted, times.histogram.len()), (120, 57), "as many as it says there were events");
        assert_eq!((stats.operations, stats.bytes), (107, 107 * 4096), "its rates, without the fsyncs");
        assert_eq!(stats.elapsed, Nanos(9_300_000));
        let latency = stats.latency(Operation::Run).expect("recorded");
        assert!((latency.mean.as_seconds() * 1e3 - 0.11).abs() < 0.005, "{latency:?}");
    }

    #[test]
    fn a_missing_line_is_named() {
        let mut stats = RunStats::new();
        let found = read(&TEXT.replace("fsyncs/s:", ""), Operation::Run, 4096, &mut stats);
        assert_eq!((found, stats.operations), (Err("its output has no `fsyncs/s:`".to_owned()), 0));
    }
}
