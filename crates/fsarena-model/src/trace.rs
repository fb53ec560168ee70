//! Where the time of traced slices went.

use serde::{Deserialize, Serialize};

use crate::Nanos;

/// What tracing a slice gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TraceResult {
    /// Where its time went.
    Traced(Trace),
    /// Why that is not known.
    Failed(String),
}

/// A slice during which the kernel's scheduler and the requests to the device were traced. It is none of the slices of
/// which verdicts are made.
///
/// Each moment of the slice is divided equally among the threads of the work that ran, waited for a processor, or waited
/// for the file system at that moment. Threads that only wait for other threads or programs of the work do not count.
/// So the parts add up to the time of the slice, whatever the number of threads.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Operations done.
    pub operations: u64,
    /// Time inside the timer.
    pub elapsed: Nanos,
    /// The time that the parts explain: what was traced of `elapsed`, in seconds.
    pub seconds: f64,
    /// The parts of the time.
    pub parts: Vec<TimePart>,
    /// The requests to the contender's device; none if it has no device of its own.
    pub requests: Vec<Requests>,
    /// Time that is spent on what an option avoids, for each [`Knob`] of the contender.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub avoidable: Vec<AvoidableTime>,
    /// Events that were recorded.
    #[serde(default)]
    pub recorded: u64,
    /// Events that were lost because memory for them was short.
    pub lost: u64,
    /// Why only the time on processors is known; `None` if everything was traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited: Option<String>,
}

/// Time that the work spent in one way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimePart {
    /// In which way.
    pub spent: Spent,
    /// How long, in seconds.
    pub seconds: f64,
    /// Events that were recorded meanwhile. Recording them made this part longer.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub events: f64,
}

/// Time that the work would not need with an option of the file system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AvoidableTime {
    /// The contender that needs it: [`Knob::with`].
    pub with: String,
    /// The contender with the option.
    pub without: String,
    /// How long, in seconds.
    pub seconds: f64,
    /// Events that were recorded meanwhile, as in [`TimePart::events`].
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub events: f64,
}

/// A way to spend time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spent {
    /// On a processor, in the program's own code.
    User,
    /// On a processor, in the kernel.
    Kernel(Layer),
    /// Ready to run, but without a processor.
    Ready,
    /// Waiting, for a reason, while the following happened.
    Waiting(Wait, Meanwhile),
    /// All threads of the work slept until an interrupt, as a rule for a time that the program chose.
    Idle,
    /// What is not known, for example before the first event of a thread.
    Unknown,
}

/// A layer of the kernel's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// The file system and its journal.
    FileSystem,
    /// Names, open files and the page cache.
    PageCache,
    /// Checksums, compression and encryption.
    Checksum,
    /// Copying between programs and the page cache.
    Copying,
    /// Requests to block devices, and their drivers.
    Block,
    /// Pipes, sockets, and waiting for events of them.
    Communication,
    /// Memory: faults, allocation, reclaim.
    Memory,
    /// Starting and ending programs and threads.
    Processes,
    /// Interrupts and what runs after them.
    Interrupts,
    /// Anything else.
    Other,
    /// All of them: what an ordinary user may know.
    All,
}

/// Why a thread waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wait {
    /// For a commit of the journal or log, or of a transaction.
    Commit,
    /// For space in the journal, log or metadata, or for a transaction that is being committed.
    LogSpace,
    /// For written pages to reach the device.
    Writeback,
    /// For pages to be read.
    Read,
    /// For direct or asynchronous I/O.
    Request,
    /// For a lock.
    Lock,
    /// For memory.
    Memory,
    /// Slowed down since too many pages are dirty.
    Throttling,
    /// For a free place in the device's queue.
    Queue,
    /// For a kernel thread to do its work.
    KernelWork,
    /// All threads of the work waited for a program that is none of it.
    Program,
    /// The reason is not known.
    Unknown,
}

/// What happened while a thread of the work waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meanwhile<Name = String> {
    /// The device had requests.
    Device,
    /// The device flushed its cache.
    Flush,
    /// The thread of this name, for which it waited, ran on a processor, or it waited for one while another kernel worker
    /// had it that did the same kind of work.
    Runs(Name),
    /// The same, while it computed checksums, compressed or encrypted.
    Computes(Name),
    /// The thread of this name, for which it waited, was ready to run, but without a processor.
    Ready(Name),
    /// The thread of this name, for which it waited, slept, while the device had no requests, and no thread woke it: a timer
    /// did, or another interrupt.
    Sleeps(Name),
    /// What happened is not known.
    Unknown,
}

/// Requests of one type to a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Requests {
    /// Their type.
    pub kind: RequestKind,
    /// How many were issued.
    pub count: u64,
    /// The bytes that they carried.
    pub bytes: u64,
    /// Of how many the completion was not seen.
    #[serde(default)]
    pub open: u64,
    /// The sum of the durations of the others, from the issue to the completion, in seconds. Requests may overlap.
    pub seconds: f64,
}

impl Requests {
    /// The largest share of requests whose completion may be unseen.
    const MOST_OPEN: f64 = 0.2;

    /// None of this type.
    pub fn none(kind: RequestKind) -> Self {
        Self { kind, count: 0, bytes: 0, open: 0, seconds: 0.0 }
    }

    /// These and `others`, which may be of another type.
    #[must_use]
    pub fn plus(&self, others: &Self) -> Self {
        Self {
            kind: self.kind,
            count: self.count + others.count,
            bytes: self.bytes + others.bytes,
            open: self.open + others.open,
            seconds: self.seconds + others.seconds,
        }
    }

    /// The mean duration of a request; `None` if the completions of too many were not seen.
    pub fn mean_seconds(&self) -> Option<f64> {
        let is_seen = (self.open as f64) < Self::MOST_OPEN * self.count as f64;
        is_seen.then(|| self.seconds / (self.count - self.open) as f64)
    }
}

/// A type of request to a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestKind {
    /// Reads of data.
    Read,
    /// Reads that the file system marks as metadata.
    ReadMetadata,
    /// Writes of data.
    Write,
    /// Writes that the file system marks as metadata.
    WriteMetadata,
    /// Flushes of the device's cache.
    Flush,
    /// Discards and others.
    Other,
}

/// The functions by which code and waits of a kind of file system are recognised in the kernel's call chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelSymbols {
    /// How the names of its functions begin.
    pub prefixes: &'static [&'static str],
    /// Functions in which threads wait, separated by spaces, and for what. A name that ends with `*` stands for all that
    /// begin so. The first that is found in a call chain counts, before those of [`Wait`]s that all kinds share.
    pub waits: &'static [(&'static str, Wait)],
    /// Options by which explanations are tested.
    pub knobs: &'static [Knob],
}

/// An option that avoids work which is seen in the kernel's call chains and requests, so that its gain can be
/// predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Knob {
    /// The contender that does the work, as in the command line.
    pub with: &'static str,
    /// The contender that avoids it.
    pub without: &'static str,
    /// What it avoids.
    pub avoids: Avoided,
}

/// Work that an option avoids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Avoided {
    /// These functions, and what they call or wait for. A name that ends with `*` stands for all that begin so.
    Functions(&'static [&'static str]),
    /// Flushes of the device's cache.
    Flushes,
}

impl KernelSymbols {
    /// No function is known.
    pub const NONE: Self = Self { prefixes: &[], waits: &[], knobs: &[] };
}
