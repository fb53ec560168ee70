//! Counters that are read before and after the work. A new source of counters is one file and one line in `SOURCES`;
//! its counters are registered in `fsarena-model/src/probe.rs`.
//!
//! A counter that could not be read is `None`, never 0, and so is every difference that includes it.

mod at_rest;
mod bandwidth;
mod conditions;
pub mod device;
mod environment;
mod flushes;
#[cfg(test)]
mod fuzz;
mod machine;
mod network;
mod own;
mod pages;
mod processes;
mod shared_disk;

use std::path::Path;
use std::sync::Arc;

use fsarena_model::{Probe, Readings};

pub use at_rest::rates_at_rest;
pub use bandwidth::memory_bandwidth;
pub use conditions::{ConditionsSnapshot, frequency_policy};
pub use environment::{machine_name, survey};
pub use shared_disk::Beneath;

/// Counters with their current values: figures that only grow, or gauges whose change is of interest.
type Counters = Vec<(Probe, Option<f64>)>;

/// All sources of counters. Each always reads the same counters.
static SOURCES: &[fn(&Target) -> Counters] = &[
    device::read,
    flushes::read,
    processes::read,
    machine::read,
    network::read,
    own::read,
    pages::read,
    shared_disk::read,
];

/// What the probes read, besides the machine as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// Name of the lane's block device below `/sys/block`.
    pub device: Option<String>,
    /// Name of the mounted file system's backing device info below debugfs' `bdi`.
    pub backing: Option<String>,
    /// The devices by which the traffic of other programs is separated from that of the lanes.
    pub beneath: Option<Arc<Beneath>>,
    /// Whether flushes are counted one by one.
    pub flushes: Flushes,
    /// Whether the work is on a shared folder, whose data come over a network.
    pub network: bool,
}

/// Whether a probe counts the requests to a device that ask for a flush or for FUA. While it does, each request to any
/// device takes about 0.3 µs longer: negligible on a disk, but 1 to 2 % of a read from a lane in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flushes {
    /// Not counted; counters that are open are closed at the next reading of a device.
    #[default]
    Left,
    /// Counted.
    Counted,
}

/// All counters at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot(Counters);

impl Snapshot {
    /// Reads all counters. It takes about a millisecond: call it outside timed regions.
    pub fn take(target: &Target) -> Self {
        Self(SOURCES.iter().flat_map(|read| read(target)).collect())
    }
}

/// Growth of the counters, summed over several time spans.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Totals(Counters);

impl Totals {
    /// Adds the growth between two snapshots.
    pub fn add(&mut self, before: &Snapshot, after: &Snapshot) {
        let spans = before.0.iter().zip(&after.0);
        let grown = spans
            .map(|((probe, before), (_, after))| (*probe, after.zip(*before).map(|(after, before)| after - before)));
        if self.0.is_empty() {
            self.0 = grown.collect();
        } else {
            self.0
                .iter_mut()
                .zip(grown)
                .for_each(|((_, sum), (_, more))| *sum = sum.zip(more).map(|(sum, more)| sum + more));
        }
    }

    /// The sums by counter.
    pub fn readings(&self) -> Readings {
        self.0.iter().map(|(probe, sum)| probe.reading(*sum)).collect()
    }
}

/// The text of a file without the white space around it; `None` if it is empty or cannot be read.
fn text(path: impl AsRef<Path>) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The number after `name` in a text of lines `name value` or `name: value unit`.
fn field(text: &str, name: &str) -> Option<f64> {
    let of_line = |line: &str| line.strip_prefix(name)?.trim_start_matches(':').split_whitespace().next()?.parse().ok();
    text.lines().find_map(of_line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsarena_model::probe;

    fn nowhere() -> Target {
        Target {
            device: Some("no-such-device".to_owned()),
            backing: Some("no-such-info".to_owned()),
            beneath: None,
            flushes: Flushes::Counted,
            network: false,
        }
    }

    #[test]
    fn every_source_always_reads_the_same_counters() {
        for read in SOURCES {
            let probes = |target: &Target| read(target).into_iter().map(|(probe, _)| probe.id).collect::<Vec<_>>();
            assert_eq!(probes(&Target::default()), probes(&nowhere()));
        }
    }

    #[test]
    fn unreadable_counters_are_absent() {
        let mut totals = Totals::default();
        let snapshot = Snapshot::take(&nowhere());
        totals.add(&snapshot, &Snapshot::take(&nowhere()));
        assert_eq!(totals.readings()[&probe::DEVICE_FLUSHES.key()].value, None);
        assert_eq!(totals.readings()[&probe::DEVICE_PREFLUSHES.key()].value, None);
        assert_eq!(totals.readings()[&probe::PAGES_DIRTIED.key()].value, None);
        assert!(totals.readings()[&probe::CPU_PROCESS.key()].value.is_some_and(|seconds| seconds >= 0.0));
    }

    #[test]
    fn stretches_add_up() {
        let (mut totals, at) =
            (Totals::default(), |value| Snapshot(vec![(probe::SWITCHES, Some(value)), (probe::CPU_STEAL, None)]));
        totals.add(&at(1.0), &at(3.0));
        totals.add(&at(10.0), &at(11.0));
        assert_eq!(totals.0, [(probe::SWITCHES, Some(3.0)), (probe::CPU_STEAL, None)]);
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        assert_eq!(field("nr_dirtied 7\nnr_dirty 3\n", "nr_dirty "), Some(3.0));
        assert_eq!(field("read_bytes: 4096\n", "read_bytes"), Some(4096.0));
        assert_eq!(field("BdiWriteback: 0 kB\nBdiDirtied:       10950148 kB\n", "BdiDirtied"), Some(10_950_148.0));
        assert_eq!(field("other 1\n", "nr_dirty "), None);
    }
}
