//! Processor time of the kernel's own threads: journals, write-back, loop devices and workers also work for a
//! contender.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use fsarena_model::{Probe, probe};

use crate::{Source, Target};

/// All kernel threads.
pub struct KernelThreads;

const COUNTERS: &[Probe] = &[probe::CPU_KERNEL];

/// Maximum age of the list of processes. A new thread counts from its start once it is listed.
const LISTED_FOR: Duration = Duration::from_millis(50);
/// Maximum number of files that stay open: opening one takes longer than reading it. The usual limit is 1,024 files.
const MOST_OPEN: usize = 300;

/// What is known about each process, by process ID.
static KNOWN: Mutex<Known> = Mutex::new(Known { total: 0.0, listed: None, processes: BTreeMap::new() });

struct Known {
    /// Nanoseconds since the first reading, including threads that have ended since.
    total: f64,
    /// When the processes were last listed.
    listed: Option<Instant>,
    processes: BTreeMap<u32, Process>,
}

/// A process never changes from one to the other, so each is looked up once.
enum Process {
    Program,
    KernelThread {
        /// Nanoseconds on a processor at the last reading.
        time: f64,
        /// Its `schedstat`, if it is kept open.
        open: Option<File>,
    },
}

impl Source for KernelThreads {
    fn counters(&self) -> &'static [Probe] {
        COUNTERS
    }

    fn read(&self, _target: &Target) -> Vec<Option<f64>> {
        vec![KNOWN.lock().ok().and_then(|mut known| known.look())]
    }
}

impl Known {
    /// A counter that only grows: a thread that ends reduces nothing, and a new one counts from its start.
    fn look(&mut self) -> Option<f64> {
        let is_first = self.processes.is_empty();
        if self.listed.is_none_or(|listed| listed.elapsed() > LISTED_FOR) {
            self.list()?;
        }
        let mut any = false;
        for (number, process) in &mut self.processes {
            if let Process::KernelThread { time, open } = process {
                any = true;
                // A smaller time than before belongs to another thread with the same process ID.
                let now = run_time(*number, open).unwrap_or(*time);
                self.total += if now >= *time { now - *time } else { now };
                *time = now;
            }
        }
        if is_first {
            self.total = 0.0;
        }
        any.then_some(self.total / 1e9)
    }

    fn list(&mut self) -> Option<()> {
        let entries = std::fs::read_dir("/proc").ok()?;
        let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
        let mut before = std::mem::take(&mut self.processes);
        let mut left = MOST_OPEN;
        for number in numbers {
            let mut process = before.remove(&number).unwrap_or_else(|| Process::new(number));
            if let Process::KernelThread { open, .. } = &mut process
                && left > 0
            {
                left -= 1;
                if open.is_none() {
                    *open = File::open(format!("/proc/{number}/schedstat")).ok();
                }
            }
            self.processes.insert(number, process);
        }
        self.listed = Some(Instant::now());
        Some(())
    }
}

impl Process {
    fn new(number: u32) -> Self {
        if is_kernel_thread(number) { Self::KernelThread { time: 0.0, open: None } } else { Self::Program }
    }
}

/// Kernel threads are kthreadd, which is process 2, and its children.
fn is_kernel_thread(number: u32) -> bool {
    let parent = || {
        let text = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    number == 2 || parent() == Some(2)
}

/// Nanoseconds on a processor (Documentation/scheduler/sched-stats.rst, `/proc/PID/schedstat`). An open file belongs to
/// one thread: once that has ended, a read fails, and the file of another thread with its process ID is opened instead.
fn run_time(number: u32, open: &mut Option<File>) -> Option<f64> {
    let mut bytes = [0; 64];
    let read = match open {
        Some(file) => file.read_at(&mut bytes, 0),
        None => File::open(format!("/proc/{number}/schedstat")).and_then(|file| file.read_at(&mut bytes, 0)),
    };
    match read {
        Ok(length) => std::str::from_utf8(&bytes[..length]).ok()?.split_whitespace().next()?.parse().ok(),
        Err(_) => {
            *open = None;
            None
        }
    }
}
