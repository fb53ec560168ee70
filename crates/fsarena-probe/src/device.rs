//! Requests that reached the lane's block device (Documentation/block/stat.rst).

use fsarena_model::{Probe, probe};

use crate::{Counters, Target};

const SECTOR: f64 = 512.0;
const MILLISECOND: f64 = 1e-3;

/// The counters of the lane's device.
pub(crate) fn read(target: &Target) -> Counters {
    let device = target.device.as_deref();
    let text = device.and_then(|name| std::fs::read_to_string(format!("/sys/block/{name}/stat")).ok());
    counters(&text.unwrap_or_default())
}

/// The counters in the text of a device's file `stat`.
pub fn counters(stat: &str) -> Vec<(Probe, Option<f64>)> {
    let fields: Vec<f64> = stat.split_whitespace().filter_map(|field| field.parse().ok()).collect();
    let at = |index: usize| fields.get(index).copied();
    let bytes = |index| at(index).map(|sectors| sectors * SECTOR);
    let seconds = |index| at(index).map(|time| time * MILLISECOND);
    vec![
        (probe::DEVICE_READS, at(0)),
        (probe::DEVICE_READ, bytes(2)),
        (probe::DEVICE_WRITES, at(4)),
        (probe::DEVICE_WRITTEN, bytes(6)),
        (probe::DEVICE_MERGES, at(1).zip(at(5)).map(|(reads, writes)| reads + writes)),
        (probe::DEVICE_READ_MERGES, at(1)),
        (probe::DEVICE_WRITE_MERGES, at(5)),
        (probe::DEVICE_READING, seconds(3)),
        (probe::DEVICE_WRITING, seconds(7)),
        (probe::DEVICE_BUSY, seconds(9)),
        (probe::DEVICE_QUEUE, seconds(10)),
        (probe::DEVICE_FLUSHES, at(15)),
        (probe::DEVICE_FLUSHING, seconds(16)),
    ]
}
