//! Processor time of the kernel's own threads (journals, write-back, loop devices and workers also work for a
//! contender), and of the programs that this process has started and that still run, such as servers.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use fsarena_model::probe;
use fsarena_sys::usage::ProcessorTime;

use crate::machine::TICK;
use crate::{Counters, Target};

/// Maximum age of the list of processes. A new thread counts from its start once it is listed.
const LISTED_FOR: Duration = Duration::from_millis(50);
/// Maximum number of files that stay open: opening one takes longer than reading it. The usual limit is 1,024 files.
const MOST_OPEN: usize = 300;
/// How often the started programs are read before their time counts as unknown.
const ATTEMPTS: usize = 10;

/// What is known about each process, by process ID.
static KNOWN: Mutex<KnownProcess> = Mutex::new(KnownProcess { total: 0.0, listed: None, processes: BTreeMap::new() });

struct KnownProcess {
    /// Nanoseconds since the first reading, including threads that have ended since.
    total: f64,
    /// When the processes were last listed.
    listed: Option<Instant>,
    processes: BTreeMap<u32, Process>,
}

/// A process never changes from one to the other, so each is looked up once.
enum Process {
    /// A program that does not belong to this run.
    Other,
    /// A program that this process, or one of its descendants, has started.
    Started,
    KernelThread {
        /// Nanoseconds on a processor at the last reading.
        time: f64,
        /// Its `schedstat`, if it is kept open.
        open: Option<File>,
    },
}

/// The processor time of all kernel threads.
pub fn read(_target: &Target) -> Counters {
    vec![(probe::CPU_KERNEL, KNOWN.lock().ok().and_then(|mut known| known.kernel_time()))]
}

/// Processor time of the running programs that this process has started, and of their children that have ended.
pub fn started() -> Option<ProcessorTime> {
    KNOWN.lock().ok()?.started_time()
}

impl KnownProcess {
    /// The processor time of all running [`Process::Started`]. `None` if each attempt meets one that has ended since the
    /// list was made: then its time may be in that of its parent, or not yet.
    fn started_time(&mut self) -> Option<ProcessorTime> {
        self.list_if_old()?;
        for _ in 0..ATTEMPTS {
            let started = self.processes.iter().filter(|(_, process)| matches!(process, Process::Started));
            let times: Option<Vec<ProcessorTime>> = started.map(|(number, _)| Some(Stat::of(*number)?.time)).collect();
            if let Some(times) = times {
                return Some(times.into_iter().fold(ProcessorTime::default(), |sum, time| sum + time));
            }
            self.list()?;
        }
        None
    }

    /// A counter that only grows: a thread that ends reduces nothing, and a new one counts from its start.
    fn kernel_time(&mut self) -> Option<f64> {
        let is_first = self.listed.is_none();
        self.list_if_old()?;
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

    fn list_if_old(&mut self) -> Option<()> {
        if self.listed.is_some_and(|listed| listed.elapsed() <= LISTED_FOR) { Some(()) } else { self.list() }
    }

    fn list(&mut self) -> Option<()> {
        let entries = std::fs::read_dir("/proc").ok()?;
        let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
        let mut before = std::mem::take(&mut self.processes);
        let mut left = MOST_OPEN;
        for number in numbers {
            let mut process = before.remove(&number).unwrap_or_else(|| Process::new(number, &self.processes));
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
    /// Looks up a process. `known` saves looking up those of its ancestors that are in it.
    fn new(number: u32, known: &BTreeMap<u32, Self>) -> Self {
        let parent = |number| Stat::of(number).map_or(0, |stat| stat.parent);
        let mut ancestor = parent(number);
        if number == KTHREADD || ancestor == KTHREADD {
            return Self::KernelThread { time: 0.0, open: None };
        }
        // The first process, and the parent of a process in a container's namespace, have the number 0 as parent.
        while ancestor != 0 {
            match known.get(&ancestor) {
                _ if ancestor == std::process::id() => return Self::Started,
                Some(Self::Started) => return Self::Started,
                Some(_) => return Self::Other,
                None => ancestor = parent(ancestor),
            }
        }
        Self::Other
    }
}

/// The parent of all kernel threads.
const KTHREADD: u32 = 2;

/// What `/proc/PID/stat` says about a process (proc_pid_stat(5)).
#[derive(Debug, PartialEq)]
struct Stat {
    parent: u32,
    /// Processor time of all its threads, and of the children that it has waited for.
    time: ProcessorTime,
}

impl Stat {
    fn of(number: u32) -> Option<Self> {
        Self::parse(&std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?)
    }

    /// The name, in parentheses, can contain anything.
    fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let seconds = |index: usize| fields.get(index)?.parse::<f64>().ok().map(|ticks| ticks * TICK);
        let time = ProcessorTime { user: seconds(11)? + seconds(13)?, system: seconds(12)? + seconds(14)? };
        Some(Self { parent: fields.get(1)?.parse().ok()?, time })
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_and_parentheses_is_no_field() {
        let text = "7 (a) b (c)) S 5 7 7 0 -1 0 100 0 0 0 150 30 1000 200 20 0 1 0 99";
        let time = ProcessorTime { user: 11.5, system: 2.3 };
        assert_eq!(Stat::parse(text), Some(Stat { parent: 5, time }));
        assert_eq!(Stat::parse("7 (a) S 5"), None);
    }

    #[test]
    fn what_this_process_has_started_is_told_from_all_others() {
        let mut child = std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().expect("cat");
        let is_started = |number| matches!(Process::new(number, &BTreeMap::new()), Process::Started);
        let own = Stat::of(std::process::id()).expect("it runs");
        let found = [child.id(), std::process::id(), own.parent, 1].map(is_started);
        drop(child.stdin.take());
        child.wait().expect("it ends");
        assert_eq!(found, [true, false, false, false]);
    }
}
