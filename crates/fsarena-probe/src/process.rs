//! Processor time of this process and of its ended children; context switches and storage I/O of this process alone.

use fsarena_sys::usage;

use crate::{Counter, Probe, Target, field};

/// This process with all its threads.
pub struct Process;

const COUNTERS: &[Counter] = &[
    Counter { name: "cpu.process", unit: "s" },
    Counter { name: "cpu.system", unit: "s" },
    Counter { name: "switches", unit: "switches" },
    Counter { name: "process.read", unit: "bytes" },
    Counter { name: "process.written", unit: "bytes" },
];

impl Probe for Process {
    fn counters(&self) -> &'static [Counter] {
        COUNTERS
    }

    fn read(&self, _target: &Target) -> Vec<Option<f64>> {
        let time = usage::processor_time().ok();
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let voluntary = field(&status, "voluntary_ctxt_switches");
        let forced = field(&status, "nonvoluntary_ctxt_switches");
        let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
        vec![
            time.map(|time| time.user + time.system),
            time.map(|time| time.system),
            voluntary.zip(forced).map(|(voluntary, forced)| voluntary + forced),
            field(&io, "read_bytes"),
            field(&io, "write_bytes"),
        ]
    }
}
