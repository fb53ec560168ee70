//! Where the time of a slice goes. The kernel records when each thread ran, was ready, or waited and where in the kernel;
//! which thread woke it; and the requests to the device. From this follows how the time of the work divides into parts
//! ([`fsarena_model::Trace`]).
//!
//! Everything is recorded by perf_event_open(2), in memory, and read after the slice.

mod account;
mod recorder;
mod requests;
mod symbols;
mod threads;

pub use recorder::Recorder;

/// What is traced.
#[derive(Debug, Clone, Default)]
pub struct Subject {
    /// The name of the contender's block device below `/sys/block`, if it has one of its own.
    pub device: Option<String>,
    /// The functions of its file system.
    pub symbols: fsarena_model::KernelSymbols,
}

/// A span of time by `CLOCK_MONOTONIC`, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Its start.
    pub start: u64,
    /// Its end.
    pub end: u64,
}

impl Span {
    /// The part of it that is within `other`; empty if there is none.
    fn within(self, other: Self) -> Self {
        let start = self.start.max(other.start);
        Self { start, end: self.end.min(other.end).max(start) }
    }

    fn length(self) -> u64 {
        self.end - self.start
    }
}
