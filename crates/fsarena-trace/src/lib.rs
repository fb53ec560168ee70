//! Where the time of a slice goes. The kernel records when each thread ran, was ready, or waited and where in the kernel;
//! which thread woke it; and the requests to the device. From this follows how the time of the work divides into parts
//! ([`fsarena_model::Trace`]).
//!
//! Events are recorded in a buffer of tracefs, samples by perf_event_open(2), and read after the slice.

mod account;
mod division;
mod fields;
mod processor;
mod recorder;
mod requests;
mod shares;
mod symbols;
mod threads;
mod waits;
mod work;

use std::io;
use std::sync::Arc;

use fsarena_model::{Nanos, Trace};
use fsarena_sys::tracefs::TraceBuffer;

use processor::ProcessorTimes;
use recorder::Recorder;

/// What is traced.
#[derive(Debug, Clone, Default)]
pub struct Subject {
    /// The name of the contender's block device below `/sys/block`, if it has one of its own.
    pub device: Option<String>,
    /// The functions of its file system.
    pub symbols: fsarena_model::KernelSymbols,
    /// About how long the work takes.
    pub lasts: Nanos,
}

/// A trace that is being made. The thread that starts it does the work, together with all threads and processes that it
/// starts, and with the processes that this process had started before.
pub enum Tracer {
    /// The kernel records events.
    Events(Box<Recorder>),
    /// This user may not record, or the kernel cannot: only the time on processors is known.
    Processor(ProcessorTimes),
}

impl Tracer {
    /// Starts a trace of `subject`, with a buffer for events that nothing else uses, or the reason why there is none.
    ///
    /// # Errors
    /// If not even the time on processors can be read.
    pub fn start(subject: Subject, buffer: io::Result<Arc<TraceBuffer>>) -> io::Result<Self> {
        match buffer.and_then(|buffer| Recorder::start(subject, &buffer)) {
            Ok(recorder) => Ok(Self::Events(Box::new(recorder))),
            Err(error) => {
                let refused = || format!("only root may record events of the kernel ({error})");
                let is_refused = error.kind() == io::ErrorKind::PermissionDenied;
                let why = if is_refused { refused() } else { error.to_string() };
                ProcessorTimes::now(why).map(Self::Processor)
            }
        }
    }

    /// Ends the trace. `operations` were done in the time `elapsed` within `spans`; without spans, within the whole time
    /// of the trace.
    ///
    /// # Errors
    /// If the kernel refuses to stop, or hides the addresses of its functions.
    pub fn stop(self, operations: u64, elapsed: Nanos, spans: &[Span]) -> io::Result<Trace> {
        match self {
            Self::Events(recorder) => recorder.stop(operations, elapsed, spans),
            Self::Processor(times) => times.stop(operations, elapsed),
        }
    }
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
