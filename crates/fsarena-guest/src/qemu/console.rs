//! What a guest prints, and what follows from it.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Seconds after which a guest has hung if a task of it has waited without running once. Its kernel looks every 120.
const HUNG: u64 = 240;

/// Lines of the console that an error shows, and bytes of it that are kept.
const SHOWN: usize = 24;
const KEPT: usize = 1 << 16;

/// What lines of an oops begin with that say nothing to its reader: registers, code and modules. That of RIP remains.
const DUMPED: [&str; 16] = [
    "RAX:", "RBP:", "RDX:", "RSP:", "R10:", "R13:", "FS:", "CS:", "CR2:", "DR0:", "DR3:", "PKRU:", "ORIG_RAX:",
    "Code:", "Modules linked in:", "Kernel Offset:",
];

/// What a frame of a trace begins with that may be no caller (Documentation/arch/x86/orc-unwinder.rst).
const UNRELIABLE: &str = "? ";

/// What the kernel prints before the reason for a panic.
const PANIC: &str = "Kernel panic - not syncing";

/// What the guest's kernel and QEMU have printed.
#[derive(Debug, Default)]
pub struct Console {
    text: String,
    /// Where the part begins that was printed after the agent's first line; `None` before it.
    booted: Option<usize>,
    /// How the kernel stopped, if it said so.
    pub stopped: Option<KernelStop>,
}

/// How a kernel stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelStop {
    /// It panicked for this reason.
    Panicked(String),
    /// This task has waited for [`HUNG`] seconds without running once.
    Hung(String),
}

impl fmt::Display for KernelStop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panicked(why) => write!(f, "its kernel panicked: {why}"),
            Self::Hung(task) => write!(f, "its kernel has hung, task {task} has not run for {HUNG} s"),
        }
    }
}

impl Console {
    /// The agent has answered: what is printed from now on is about the run.
    pub fn booted(&mut self) {
        self.booted = Some(self.text.len());
    }

    /// What the kernel has reported since the agent answered: errors of devices and file systems, oopses.
    pub fn findings(&self) -> Vec<String> {
        let lines = self.text[self.booted.unwrap_or(0)..].lines();
        let messages = lines.filter_map(message);
        messages.filter(|message| !is_usual(message)).map(str::to_owned).collect()
    }

    /// Whether the agent has answered.
    pub fn has_booted(&self) -> bool {
        self.booted.is_some()
    }

    /// Whether the kernel has switched the machine off, as it does when its first process ends.
    pub fn is_off(&self) -> bool {
        self.text.contains("reboot: Power down")
    }

    /// The last lines that say something, up to a panic of the kernel, and its trace if there is room for it.
    pub fn last_words(&self) -> String {
        let lines: Vec<&str> = self.text.lines().filter(|line| says(line)).collect();
        let end = lines.iter().position(|line| line.contains(PANIC)).map_or(lines.len(), |at| at + 1);
        let begin = end.saturating_sub(SHOWN);
        lines[begin..lines.len().min(begin + SHOWN)].join("\n")
    }
}

/// Whether a line says something to its reader.
fn says(line: &str) -> bool {
    let is_dumped = |message: &str| {
        DUMPED.iter().any(|begin| message.starts_with(begin)) || message.trim_start().starts_with(UNRELIABLE)
    };
    !line.trim().is_empty() && !is_usual(line) && !message(line).is_some_and(is_dumped)
}

/// Keeps what the guest prints. Closes the connection to its agent if the guest's kernel has hung or panicked.
pub fn keep(output: impl Read, console: &Mutex<Console>, agent: &UnixStream) {
    for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        let mut console = locked(console);
        if let Some(how) = stopped(&line) {
            console.stopped.get_or_insert(how);
            // The run may wait for this task for an hour, and some kernels that panic hang. Its next read fails.
            let _ = agent.shutdown(Shutdown::Both);
        }
        if console.text.len() < KEPT {
            console.text.push_str(line.trim_end_matches('\r'));
            console.text.push('\n');
        }
    }
}

/// What the kernel says in a line, without the time.
fn message(line: &str) -> Option<&str> {
    Some(line.strip_prefix('[')?.split_once("] ")?.1)
}

/// The console, also if a thread that had it panicked.
pub fn locked(console: &Mutex<Console>) -> MutexGuard<'_, Console> {
    console.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How the kernel stopped, if a line says that: it panicked, or a task has waited for [`HUNG`] seconds, as in `INFO:
/// task jbd2/loop1000-8:2484 blocked for more than 241 seconds.`
fn stopped(line: &str) -> Option<KernelStop> {
    if let Some((_, why)) = line.split_once(PANIC) {
        return Some(KernelStop::Panicked(why.trim_start_matches(':').trim().to_owned()));
    }
    let (task, rest) = line.split_once("INFO: task ")?.1.split_once(" blocked for more than ")?;
    let seconds: u64 = rest.split_once(" seconds")?.0.parse().ok()?;
    (seconds >= HUNG).then(|| KernelStop::Hung(task.to_owned()))
}

/// Whether a message of the kernel is one of each guest. Lanes refuse to write zeros without writing them, so that mkfs
/// writes them itself. The root cannot be written.
fn is_usual(message: &str) -> bool {
    ["reboot: ", "(WRITE_ZEROES)", "flags: not_armed"].iter().any(|usual| message.contains(usual))
}
