//! What this process and its ended children used: processor time; what it used itself: context switches, and bytes that
//! storage served to it.

use crate::{Counter, Probe, Target, field};

/// This process with all its threads.
pub struct Process;

const COUNTERS: &[Counter] = &[
    Counter { name: "cpu.process", unit: "s" },
    Counter { name: "switches", unit: "switches" },
    Counter { name: "process.read", unit: "bytes" },
    Counter { name: "process.written", unit: "bytes" },
];

impl Probe for Process {
    fn counters(&self) -> &'static [Counter] {
        COUNTERS
    }

    fn read(&self, _target: &Target) -> Vec<Option<f64>> {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let voluntary = field(&status, "voluntary_ctxt_switches");
        let forced = field(&status, "nonvoluntary_ctxt_switches");
        let io = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
        vec![
            children().map(|children| children + time.tv_sec as f64 + time.tv_nsec as f64 / 1e9),
            voluntary.zip(forced).map(|(voluntary, forced)| voluntary + forced),
            field(&io, "read_bytes"),
            field(&io, "write_bytes"),
        ]
    }
}

/// Seconds that ended children, and theirs, kept processors busy: proc_pid_stat(5), `cutime` and `cstime`.
fn children() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in brackets may hold blanks; `cutime` is the 14th field behind it.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(13);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / rustix::param::clock_ticks_per_second() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_that_have_ended_counts() {
        let before = children().expect("readable");
        let loops = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        let status = std::process::Command::new("sh").args(["-c", loops]).status();
        assert!(status.expect("a shell").success());
        assert!(children().expect("readable") > before, "so many turns take more than a tick");
    }
}
