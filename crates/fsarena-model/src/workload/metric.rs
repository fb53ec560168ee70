//! Metrics: how a figure is computed from counts, and which direction is better.

use serde::{Deserialize, Serialize};

use crate::{Latency, Nanos};

/// A named figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Metric {
    /// The figure's name, such as `files-per-second`.
    pub name: String,
    /// The unit printed behind it, such as `files/s`.
    pub unit: String,
    /// How it is computed from what the engine counted.
    pub measure: Measure,
    /// Which direction is better.
    pub better: Better,
}

/// Units of time, in small letters, as programs spell them.
const TIMES: &[&str] = &[
    "s", "ms", "us", "µs", "μs", "ns", "min", "h", "sec", "msec", "usec", "nsec", "second", "millisecond",
    "microsecond", "nanosecond", "minute", "hour",
];

impl Metric {
    /// Whether it is a time, or a number for each time or time for each number, so that the time of the work says why
    /// figures differ. Of a figure that a program prints, the unit tells: `ms`, `MiB/s`, `ns/op`, `tps`.
    pub fn is_of_time(&self) -> bool {
        let unit = self.unit.to_lowercase();
        let is_time = |word: &str| TIMES.iter().any(|time| word == *time || word.strip_suffix('s') == Some(time));
        self.measure != Measure::Printed || unit.ends_with("ps") || unit.split(['/', ' ']).any(is_time)
    }
}

/// How a metric is computed from a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Operations divided by seconds.
    OperationsPerSecond,
    /// Binary megabytes divided by seconds.
    MebibytesPerSecond,
    /// Seconds of a whole run, or of a slice of a program.
    Seconds,
    /// Seconds for one operation, such as the loading of a day of data.
    SecondsPerOperation,
    /// Seconds for one operation, in microseconds.
    MicrosecondsPerOperation,
    /// The mean latency of the operations, without their syncs, in microseconds.
    MeanLatencyMicroseconds,
    /// The 99th percentile of the latency of the operations, without their syncs, in microseconds.
    P99LatencyMicroseconds,
    /// The figure that the program of the workload prints.
    Printed,
}

impl Measure {
    /// Computes the figure from what was `done`; `None` if nothing was.
    pub fn of(self, done: &Done<'_>) -> Option<f64> {
        let latency = |of: fn(&Latency) -> Nanos| (done.latency)().map(|latency| of(&latency).0 as f64 / 1e3);
        let value = match self {
            Self::OperationsPerSecond => done.operations as f64 / done.seconds,
            Self::MebibytesPerSecond => done.bytes as f64 / (1 << 20) as f64 / done.seconds,
            Self::Seconds => done.seconds,
            Self::SecondsPerOperation => done.seconds / done.operations as f64,
            Self::MicrosecondsPerOperation => done.seconds * 1e6 / done.operations as f64,
            Self::MeanLatencyMicroseconds => latency(|latency| latency.mean)?,
            Self::P99LatencyMicroseconds => latency(|latency| latency.p99)?,
            Self::Printed => done.printed?,
        };
        (value.is_finite() && value > 0.0).then_some(value)
    }
}

/// What a slice did, as far as metrics need it.
pub struct Done<'a> {
    /// Operations.
    pub operations: u64,
    /// Bytes that they carried.
    pub bytes: u64,
    /// Time inside the timer.
    pub seconds: f64,
    /// Returns the latencies of the operations, without their syncs. Most measures do not call it.
    pub latency: &'a dyn Fn() -> Option<Latency>,
    /// The figure that the program printed for the metric.
    pub printed: Option<f64>,
}

/// Which direction of a metric is better.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better, as for a rate.
    #[default]
    Higher,
    /// Less is better, as for a latency.
    Lower,
}

impl Better {
    /// The logarithm of `value`, with the sign at which larger is better.
    pub fn oriented_ln(self, value: f64) -> f64 {
        match self {
            Self::Higher => value.ln(),
            Self::Lower => -value.ln(),
        }
    }

    /// The logarithm of how many times better `one` is than `other`.
    pub fn log_ratio(self, one: f64, other: f64) -> f64 {
        self.oriented_ln(one) - self.oriented_ln(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_of_nothing_is_absent() {
        let of = |measure: Measure, operations, bytes, seconds| {
            measure.of(&Done { operations, bytes, seconds, latency: &|| None, printed: None })
        };
        assert_eq!(of(Measure::OperationsPerSecond, 0, 0, 1.0), None);
        assert_eq!(of(Measure::OperationsPerSecond, 10, 0, 0.0), None);
        assert_eq!(of(Measure::MebibytesPerSecond, 1, 1 << 20, 0.5), Some(2.0));
        assert_eq!(of(Measure::MicrosecondsPerOperation, 1000, 0, 0.1), Some(100.0));
        assert_eq!(of(Measure::SecondsPerOperation, 3, 0, 6.0), Some(2.0));
        assert_eq!(of(Measure::MeanLatencyMicroseconds, 1000, 0, 0.1), None);
        assert_eq!(of(Measure::Printed, 1000, 0, 0.1), None);
    }

    #[test]
    fn only_a_time_or_a_rate_is_explained_by_time() {
        let of = |unit: &str, measure| {
            Metric { name: "it".to_owned(), unit: unit.to_owned(), measure, better: Better::Lower }.is_of_time()
        };
        for unit in
            ["s", "Seconds", "msecs", "µs", "ns/op", "MB/s", "files/min", "ops per second", "IOPS", "tps", "Mbps"]
        {
            assert!(of(unit, Measure::Printed), "{unit}");
        }
        for unit in ["", "KiB", "MB", "B", "pages", "files", "%", "requests", "score"] {
            assert!(!of(unit, Measure::Printed), "{unit}");
        }
        assert!(of("files", Measure::OperationsPerSecond));
    }

    #[test]
    fn lower_is_turned_round() {
        assert!(Better::Lower.oriented_ln(1.0) > Better::Lower.oriented_ln(2.0));
        assert!(Better::Higher.oriented_ln(1.0) < Better::Higher.oriented_ln(2.0));
    }
}
