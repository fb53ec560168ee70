//! What the kernel's own threads used: journals, write-back, loop devices and workers do a contender's work, too.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::{Counter, Probe, Target};

/// All kernel threads.
pub struct KernelThreads;

const COUNTERS: &[Counter] = &[Counter { name: "cpu.kernel", unit: "s" }];

/// What is known of each process, by its number.
static KNOWN: Mutex<Known> = Mutex::new(Known { total: 0.0, processes: BTreeMap::new() });

struct Known {
    /// Nanoseconds since the first look, also of threads that have ended since.
    total: f64,
    processes: BTreeMap<u32, Process>,
}

/// Whether a process is a kernel thread does not change, so each is looked at once.
#[derive(Clone, Copy)]
enum Process {
    Program,
    /// With its time on a processor at the last look, nanoseconds.
    KernelThread(f64),
}

impl Probe for KernelThreads {
    fn counters(&self) -> &'static [Counter] {
        COUNTERS
    }

    fn read(&self, _target: &Target) -> Vec<Option<f64>> {
        vec![KNOWN.lock().ok().and_then(|mut known| known.look())]
    }
}

impl Known {
    /// A counter that only grows: a thread that ends takes nothing away, and a new one counts from its start.
    fn look(&mut self) -> Option<f64> {
        let is_first = self.processes.is_empty();
        let entries = std::fs::read_dir("/proc").ok()?;
        let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
        let before = std::mem::take(&mut self.processes);
        for number in numbers {
            let process = match before.get(&number) {
                Some(Process::Program) => Process::Program,
                Some(Process::KernelThread(time)) => self.grown(number, *time),
                None if is_kernel_thread(number) => self.grown(number, 0.0),
                None => Process::Program,
            };
            self.processes.insert(number, process);
        }
        if is_first {
            self.total = 0.0;
        }
        let any = self.processes.values().any(|process| matches!(process, Process::KernelThread(_)));
        any.then_some(self.total / 1e9)
    }

    /// A smaller time than before is that of another thread with the same number.
    fn grown(&mut self, number: u32, before: f64) -> Process {
        let now = run_time(number).unwrap_or(before);
        self.total += if now >= before { now - before } else { now };
        Process::KernelThread(now)
    }
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
