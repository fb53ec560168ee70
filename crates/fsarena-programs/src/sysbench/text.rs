//! Reads what sysbench 1.0 prints at the end of a run: its figures, and the results as run statistics.

use fsarena_model::{Nanos, Probe, intern, probe};

use fsarena_engine::{Operation, RunStats};

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

#[derive(Debug, Clone, PartialEq)]
pub(super) struct SysbenchOutput {
    reads_per_second: f64,
    writes_per_second: f64,
    fsyncs_per_second: f64,
    read_mib_per_second: f64,
    written_mib_per_second: f64,
    /// Times of all requests, including fsyncs.
    times: Times,
}

impl SysbenchOutput {
    pub(super) fn of(text: &str) -> Result<Self, String> {
        let figure = |name| figure(text, name);
        Ok(Self {
            reads_per_second: figure("reads/s:")?,
            writes_per_second: figure("writes/s:")?,
            fsyncs_per_second: figure("fsyncs/s:")?,
            read_mib_per_second: figure("read, MiB/s:")?,
            written_mib_per_second: figure("written, MiB/s:")?,
            times: Times::of(text)?,
        })
    }

    /// Adds the run to `stats`, as `operation`s of `block` bytes. The counts come from the rates: their time includes
    /// the fsync at the end, which is neither in the total time nor among the events.
    pub(super) fn count(&self, operation: Operation, block: u64, stats: &mut RunStats) {
        let count = |rate: f64| (rate * self.times.total).round() as u64;
        let operations = count(self.reads_per_second).saturating_add(count(self.writes_per_second));
        stats.count_done(operations, operations.saturating_mul(block));
        self.times.count(operation, 1.0, stats);
        stats.reported.extend([
            (probe::SYSBENCH_READS, self.reads_per_second),
            (probe::SYSBENCH_WRITES, self.writes_per_second),
            (Probe::of_program("sysbench.fsyncs", "1/s"), self.fsyncs_per_second),
            (Probe::of_program("sysbench.read", "MiB/s"), self.read_mib_per_second),
            (Probe::of_program("sysbench.written", "MiB/s"), self.written_mib_per_second),
        ]);
        stats.reported.extend(self.times.reported("sysbench"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output of sysbench 1.0.20: 120 events of two threads.
    const TEXT: &str = include_str!("captured.txt");

    #[test]
    fn every_figure_is_found() {
        let output = SysbenchOutput::of(TEXT).expect("sysbench's");
        assert_eq!(
            (output.reads_per_second, output.writes_per_second, output.fsyncs_per_second),
            (6930.07, 4654.52, 1654.94)
        );
        let times = &output.times;
        assert_eq!((output.read_mib_per_second, output.written_mib_per_second), (27.07, 18.18));
        assert_eq!((times.total, times.average, times.percentile_95, times.longest), (0.0093, 0.11, 0.18, 0.37));
        let counted: u64 = times.histogram.iter().map(|(_, count)| count).sum();
        assert_eq!((counted, times.histogram.len()), (120, 57), "as many as it says there were events");
        let mut stats = RunStats::new();
        output.count(Operation::Run, 4096, &mut stats);
        assert_eq!((stats.operations, stats.bytes), (107, 107 * 4096), "its rates, without the fsyncs");
        assert_eq!(stats.elapsed, Nanos(9_300_000));
        let latency = stats.latency(Operation::Run).expect("recorded");
        assert!((latency.mean.as_seconds() * 1e3 - 0.11).abs() < 0.005, "{latency:?}");
        assert!(stats.reported.contains(&(Probe::of_program("sysbench.fsyncs", "1/s"), 1654.94)));
    }

    #[test]
    fn a_missing_line_is_named() {
        assert_eq!(SysbenchOutput::of(&TEXT.replace("fsyncs/s:", "")), Err("its output has no `fsyncs/s:`".to_owned()));
    }

    #[test]
    fn hostile_output_is_no_harm() {
        fsarena_testing::fuzz::texts(&[TEXT], |text| {
            let mut stats = RunStats::new();
            if let Ok(output) = SysbenchOutput::of(text) {
                output.count(Operation::Run, 4096, &mut stats);
            }
            let _ = stats.windows();
        });
    }
}
