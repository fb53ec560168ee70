//! Requests that reached the lane's block device (Documentation/block/stat.rst).

use fsarena_model::{Probe, probe};

use crate::{Source, Target};

/// The lane's device.
pub struct Device;

const SECTOR: f64 = 512.0;
const MILLISECOND: f64 = 1e-3;

/// Its counters.
pub const COUNTERS: &[Probe] = &[
    probe::DEVICE_READS,
    probe::DEVICE_READ,
    probe::DEVICE_WRITES,
    probe::DEVICE_WRITTEN,
    probe::DEVICE_MERGES,
    probe::DEVICE_READ_MERGES,
    probe::DEVICE_WRITE_MERGES,
    probe::DEVICE_READING,
    probe::DEVICE_WRITING,
    probe::DEVICE_BUSY,
    probe::DEVICE_QUEUE,
    probe::DEVICE_FLUSHES,
    probe::DEVICE_FLUSHING,
];

impl Source for Device {
    fn counters(&self) -> &'static [Probe] {
        COUNTERS
    }

    fn read(&self, target: &Target) -> Vec<Option<f64>> {
        let device = target.device.as_deref();
        let text = device.and_then(|name| std::fs::read_to_string(format!("/sys/block/{name}/stat")).ok());
        values(&text.unwrap_or_default())
    }
}

/// The values of [`Device`]'s counters in the text of a device's file `stat`, in their order.
pub fn values(stat: &str) -> Vec<Option<f64>> {
    let fields: Vec<f64> = stat.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    let at = |index: usize| fields.get(index).copied();
    vec![
        at(0),
        at(2).map(|sectors| sectors * SECTOR),
        at(4),
        at(6).map(|sectors| sectors * SECTOR),
        at(1).zip(at(5)).map(|(reads, writes)| reads + writes),
        at(1),
        at(5),
        at(3).map(|time| time * MILLISECOND),
        at(7).map(|time| time * MILLISECOND),
        at(9).map(|time| time * MILLISECOND),
        at(10).map(|time| time * MILLISECOND),
        at(15),
        at(16).map(|time| time * MILLISECOND),
    ]
}
