//! What the kernel's own threads used: journals, write-back, loop devices and workers do a contender's work, too.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::{Counter, Probe, Target};

/// All kernel threads.
pub struct KernelThreads;

const COUNTERS: &[Counter] = &[Counter { name: "cpu.kernel", unit: "s" }];

/// Whether a process is a kernel thread does not change, so each is looked at once; by PID.
static KNOWN: Mutex<BTreeMap<u32, bool>> = Mutex::new(BTreeMap::new());

impl Probe for KernelThreads {
    fn counters(&self) -> &'static [Counter] {
        COUNTERS
    }

    fn read(&self, _target: &Target) -> Vec<Option<f64>> {
        vec![total_seconds()]
    }
}

fn total_seconds() -> Option<f64> {
    let mut known = KNOWN.lock().ok()?;
    let entries = std::fs::read_dir("/proc").ok()?;
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let mut nanoseconds = 0.0;
    let mut any = false;
    for number in numbers {
        let is_kernel = *known.entry(number).or_insert_with(|| is_kernel_thread(number));
        if let Some(time) = is_kernel.then(|| run_time(number)).flatten() {
            nanoseconds += time;
            any = true;
        }
    }
    any.then_some(nanoseconds / 1e9)
}

/// The parent of all kernel threads is kthreadd, process 2.
fn is_kernel_thread(number: u32) -> bool {
    let parent = || {
        let text = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    number == 2 || parent() == Some(2)
}

/// Nanoseconds on a processor (Documentation/scheduler/sched-stats.rst, `/proc/PID/schedstat`).
fn run_time(number: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{number}/schedstat")).ok()?;
    text.split_whitespace().next()?.parse().ok()
}
