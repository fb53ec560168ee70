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

use std::sync::Arc;

use fsarena_model::{Probe, Readings};

pub use at_rest::{Jitter, rates_at_rest};
pub use bandwidth::memory_bandwidth;
pub use conditions::{ConditionsSnapshot, frequency_policy};
pub use environment::{machine_name, survey};
pub use shared_disk::Beneath;

/// All sources of counters.
static SOURCES: &[&dyn Source] = &[
    &device::Device,
    &flushes::Durable,
    &processes::KernelThreads,
    &machine::Machine,
    &network::Network,
    &own::Own,
    &pages::Pages,
    &shared_disk::SharedDisk,
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

/// Reads counters: figures that only grow, or gauges whose change is of interest.
trait Source: Sync {
    /// The counters that it reads.
    fn counters(&self) -> &'static [Probe];

    /// Their current values, one for each counter.
    fn read(&self, target: &Target) -> Vec<Option<f64>>;
}

/// All counters at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot(Vec<Option<f64>>);

impl Snapshot {
    /// Reads all counters. It takes about a millisecond: call it outside timed regions.
    pub fn take(target: &Target) -> Self {
        Self(SOURCES.iter().flat_map(|source| source.read(target)).collect())
    }
}

/// Growth of the counters, summed over several time spans.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Totals(Option<Vec<Option<f64>>>);

impl Totals {
    /// Adds the growth between two snapshots.
    pub fn add(&mut self, before: &Snapshot, after: &Snapshot) {
        let grown = before.0.iter().zip(&after.0).map(|(before, after)| Some((*after)? - (*before)?));
        self.0 = Some(match self.0.take() {
            None => grown.collect(),
            Some(sums) => sums.into_iter().zip(grown).map(|(sum, more)| Some(sum? + more?)).collect(),
        });
    }

    /// The sums by counter.
    pub fn readings(&self) -> Readings {
        let counters = SOURCES.iter().flat_map(|source| source.counters());
        counters.zip(self.0.iter().flatten()).map(|(counter, value)| counter.reading(*value)).collect()
    }
}

/// The number after `name` in a text of lines `name value`.
fn field(text: &str, name: &str) -> Option<f64> {
    let of_line = |line: &str| line.strip_prefix(name)?.trim_start_matches(':').trim().parse().ok();
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
    fn every_source_reads_as_many_as_it_names() {
        for source in SOURCES {
            assert_eq!(source.counters().len(), source.read(&Target::default()).len());
            assert_eq!(source.counters().len(), source.read(&nowhere()).len());
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
        let (mut totals, at) = (Totals::default(), |value| Snapshot(vec![Some(value), None]));
        totals.add(&at(1.0), &at(3.0));
        totals.add(&at(10.0), &at(11.0));
        assert_eq!(totals.0, Some(vec![Some(3.0), None]));
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        assert_eq!(field("nr_dirtied 7\nnr_dirty 3\n", "nr_dirty "), Some(3.0));
        assert_eq!(field("read_bytes: 4096\n", "read_bytes"), Some(4096.0));
        assert_eq!(field("other 1\n", "nr_dirty "), None);
    }
}
