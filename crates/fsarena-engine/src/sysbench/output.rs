//! What sysbench 1.0 says at the end of a run, as a tally.

use fsarena_model::Nanos;

use crate::{Operation, Tally};

/// All that is taken from what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    reads_per_second: f64,
    writes_per_second: f64,
    fsyncs_per_second: f64,
    read_mib_per_second: f64,
    written_mib_per_second: f64,
    /// Seconds.
    total_time: f64,
    /// Milliseconds.
    average: f64,
    percentile_95: f64,
    longest: f64,
    /// How many requests, fsyncs among them, took so many milliseconds; its bins are 1.8 % wide.
    histogram: Vec<(f64, u64)>,
}

impl Said {
    /// Reads what it said.
    ///
    /// # Errors
    /// The name of the first figure that is missing.
    pub fn of(text: &str) -> Result<Self, &'static str> {
        let figure = |name: &'static str| figure(text, name).ok_or(name);
        Ok(Self {
            reads_per_second: figure("reads/s:")?,
            writes_per_second: figure("writes/s:")?,
            fsyncs_per_second: figure("fsyncs/s:")?,
            read_mib_per_second: figure("read, MiB/s:")?,
            written_mib_per_second: figure("written, MiB/s:")?,
            total_time: figure("total time:")?,
            average: figure("avg:")?,
            percentile_95: figure("95th percentile:")?,
            longest: figure("max:")?,
            histogram: text.lines().filter_map(bin).collect(),
        })
    }

    /// Counts the run of `operation`s of `block` bytes into `tally`. Its rates are what counts: the fsync at the end is in their time,
    /// and not in the total time, nor among the events.
    pub fn count(&self, operation: Operation, block: u64, tally: &mut Tally) {
        let count = |rate: f64| (rate * self.total_time).round() as u64;
        let operations = count(self.reads_per_second) + count(self.writes_per_second);
        tally.operations += operations;
        tally.bytes += operations * block;
        for (milliseconds, count) in &self.histogram {
            tally.record_many(operation, Nanos((milliseconds * 1e6) as u64), *count);
        }
        tally.elapsed = tally.elapsed + Nanos((self.total_time * 1e9) as u64);
        tally.end_part(tally.elapsed);
        tally.said.extend([
            ("sysbench.reads", "1/s", self.reads_per_second),
            ("sysbench.writes", "1/s", self.writes_per_second),
            ("sysbench.fsyncs", "1/s", self.fsyncs_per_second),
            ("sysbench.read", "MiB/s", self.read_mib_per_second),
            ("sysbench.written", "MiB/s", self.written_mib_per_second),
            ("sysbench.latency.avg", "s", self.average / 1e3),
            ("sysbench.latency.p95", "s", self.percentile_95 / 1e3),
            ("sysbench.latency.max", "s", self.longest / 1e3),
        ]);
    }
}

/// The number behind `name`, with or without a unit.
fn figure(text: &str, name: &str) -> Option<f64> {
    let rest = text.lines().find_map(|line| line.trim().strip_prefix(name))?;
    rest.trim().trim_end_matches('s').parse().ok()
}

/// `0.017 |***      12`, in milliseconds.
fn bin(line: &str) -> Option<(f64, u64)> {
    let (value, rest) = line.split_once('|')?;
    let count = rest.trim_start_matches('*').trim().parse().ok()?;
    Some((value.trim().parse().ok()?, count))
}

/// The lines of a failure that say what is wrong, in one.
pub fn complaint(words: &str) -> String {
    let fatal: Vec<&str> = words.lines().filter(|line| line.starts_with("FATAL")).collect();
    let lines = if fatal.is_empty() { words.lines().collect() } else { fatal };
    let last = lines.len().saturating_sub(3);
    lines[last..].join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Captured of sysbench 1.0.20: 120 events of two threads.
    const TEXT: &str = include_str!("captured.txt");

    #[test]
    fn every_figure_is_found() {
        let said = Said::of(TEXT).expect("sysbench's");
        assert_eq!(
            (said.reads_per_second, said.writes_per_second, said.fsyncs_per_second),
            (6930.07, 4654.52, 1654.94)
        );
        assert_eq!((said.read_mib_per_second, said.written_mib_per_second), (27.07, 18.18));
        assert_eq!((said.total_time, said.average, said.percentile_95, said.longest), (0.0093, 0.11, 0.18, 0.37));
        let counted: u64 = said.histogram.iter().map(|(_, count)| count).sum();
        assert_eq!((counted, said.histogram.len()), (120, 57), "as many as it says there were events");
        let mut tally = Tally::new();
        said.count(Operation::Run, 4096, &mut tally);
        assert_eq!((tally.operations, tally.bytes), (107, 107 * 4096), "its rates, without the fsyncs");
        assert_eq!(tally.elapsed, Nanos(9_300_000));
        let latency = tally.latency(Operation::Run).expect("recorded");
        assert!((latency.mean.as_seconds() * 1e3 - 0.11).abs() < 0.005, "{latency:?}");
        assert!(tally.said.contains(&("sysbench.fsyncs", "1/s", 1654.94)));
    }

    #[test]
    fn what_is_missing_is_named() {
        assert_eq!(Said::of(&TEXT.replace("fsyncs/s:", "")), Err("fsyncs/s:"));
        let failed =
            "sysbench 1.0.20\nFATAL: Cannot open file 'test_file.0' errno = 2\nWARNING: Did you run 'prepare'?";
        assert_eq!(complaint(failed), "FATAL: Cannot open file 'test_file.0' errno = 2");
    }
}
