//! Requests that reached the lane's block device (Documentation/block/stat.rst).

use crate::{Counter, Probe, Target};

/// The lane's device.
pub struct Device;

const SECTOR: f64 = 512.0;
const MILLISECOND: f64 = 1e-3;

/// Its counters.
pub const COUNTERS: &[Counter] = &[
    Counter { name: "device.reads", unit: "requests" },
    Counter { name: "device.read", unit: "bytes" },
    Counter { name: "device.writes", unit: "requests" },
    Counter { name: "device.written", unit: "bytes" },
    Counter { name: "device.merges", unit: "requests" },
    Counter { name: "device.read-merges", unit: "requests" },
    Counter { name: "device.write-merges", unit: "requests" },
    Counter { name: "device.reading", unit: "s" },
    Counter { name: "device.writing", unit: "s" },
    Counter { name: "device.busy", unit: "s" },
    Counter { name: "device.queue", unit: "s" },
    Counter { name: "device.flushes", unit: "flushes" },
    Counter { name: "device.flushing", unit: "s" },
];

impl Probe for Device {
    fn counters(&self) -> &'static [Counter] {
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
