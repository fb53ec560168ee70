//! Processor time of this process and of its ended children; context switches and storage I/O of this process alone.

use fsarena_model::{Probe, probe};
use fsarena_sys::usage;

use crate::{Source, Target, field};

/// This process with all its threads.
pub struct Process;

const COUNTERS: &[Probe] =
    &[probe::CPU_PROCESS, probe::CPU_SYSTEM, probe::SWITCHES, probe::PROCESS_READ, probe::PROCESS_WRITTEN];

impl Source for Process {
    fn counters(&self) -> &'static [Probe] {
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
