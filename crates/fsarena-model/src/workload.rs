//! Workloads: what is done, as versioned data, and which figure is taken from it.

use serde::{Deserialize, Serialize};

/// Something to do on every contender, read from one TOML file of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Workload {
    /// The unique name, the file's name without `.toml`.
    pub name: String,
    /// Grows whenever the same name would give other figures.
    pub version: u32,
    /// One sentence: what the figure measures.
    pub measures: String,
    /// One sentence: why anybody should care, or what it does not tell.
    pub why: String,
    /// The engine that does it.
    pub engine: String,
    /// The figure that is taken.
    pub metric: Metric,
    /// What is made durable inside the timer.
    pub durable: DurablePoint,
    /// Where reads are served from, or that the cache is bypassed.
    pub cache: CacheState,
    /// The state of the file system when the timer starts.
    #[serde(default)]
    pub state: StateOfFileSystem,
    /// Interleaved in slices, or whole and alone.
    pub mode: Mode,
    /// How long a slice's untimed first part lasts, milliseconds.
    #[serde(default)]
    pub warm_up_ms: u64,
    /// How long a slice's timed part lasts, milliseconds; 0: until the work is done.
    #[serde(default)]
    pub timed_ms: u64,
    /// Slices per contender and round; even, so that the order can be balanced.
    #[serde(default = "default_slices")]
    pub slices: u32,
    /// What the engine needs to know; the engine refuses what it does not know.
    pub parameters: serde_json::Value,
}

fn default_slices() -> u32 {
    4
}

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

/// How a metric is computed from a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Operations divided by seconds.
    OperationsPerSecond,
    /// Binary megabytes divided by seconds.
    MebibytesPerSecond,
    /// Seconds for one operation, in microseconds.
    MicrosecondsPerOperation,
}

impl Measure {
    /// The figure for `operations` and `bytes` done in `seconds`; `None` where nothing was done.
    pub fn of(self, operations: u64, bytes: u64, seconds: f64) -> Option<f64> {
        let value = match self {
            Self::OperationsPerSecond => operations as f64 / seconds,
            Self::MebibytesPerSecond => bytes as f64 / (1 << 20) as f64 / seconds,
            Self::MicrosecondsPerOperation => seconds * 1e6 / operations as f64,
        };
        (value.is_finite() && value > 0.0).then_some(value)
    }
}

/// Which direction of a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better, as for a rate.
    Higher,
    /// Less is better, as for a latency.
    Lower,
}

impl Better {
    /// The logarithm of `value`, turned so that larger is better.
    pub fn oriented_ln(self, value: f64) -> f64 {
        match self {
            Self::Higher => value.ln(),
            Self::Lower => -value.ln(),
        }
    }
}

/// What is made durable inside the timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DurablePoint {
    /// Nothing: the calls returned, no more.
    None,
    /// Each operation, by fsync.
    Fsync,
    /// Each batch, by syncfs.
    Syncfs,
}

/// Where a workload's data are when it touches them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheState {
    /// In memory: what is measured is the kernel's path through its caches.
    Warm,
    /// On the device only: the lane is remounted before each slice.
    Cold,
    /// Past the page cache, by O_DIRECT.
    Direct,
}

/// The state of the file system when a workload starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateOfFileSystem {
    /// Just made.
    #[default]
    Fresh,
    /// The workload itself ran before, untimed.
    Warmed,
    /// Filled to a stated share.
    Filled,
}

/// How a workload's time is laid out within a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// In short slices, contenders in turn.
    Sliced,
    /// In one piece per contender, alone, in random order.
    Whole,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_of_nothing_is_absent() {
        assert_eq!(Measure::OperationsPerSecond.of(0, 0, 1.0), None);
        assert_eq!(Measure::OperationsPerSecond.of(10, 0, 0.0), None);
        assert_eq!(Measure::MebibytesPerSecond.of(1, 1 << 20, 0.5), Some(2.0));
        assert_eq!(Measure::MicrosecondsPerOperation.of(1000, 0, 0.1), Some(100.0));
    }

    #[test]
    fn lower_is_turned_round() {
        assert!(Better::Lower.oriented_ln(1.0) > Better::Lower.oriented_ln(2.0));
        assert!(Better::Higher.oriented_ln(1.0) < Better::Higher.oriented_ln(2.0));
    }
}
