//! A result of another tool.

use std::collections::BTreeMap;
use std::sync::Arc;

use fsarena_model::Better;

use crate::findings::{FindingClass, JudgedFinding};

/// What is known by name.
pub type InputFacts = BTreeMap<String, String>;

/// One figure that was measured. By default nothing else is known of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// Where it comes from: a file, and the run of a program in it. Figures of one source in one workload are
    /// iterations of that run, and no repetitions of each other.
    pub source: String,
    /// What may have been given more than once: a run, or several in one file.
    pub run: Run,
    /// What it is a figure of, by its label.
    pub contender: String,
    /// What was done.
    pub workload: String,
    /// What defines the work by name, as far as it is recorded: options, sizes, numbers of files and processes, but no
    /// paths and no hosts. Results are compared only if these are the same.
    pub work: Arc<InputFacts>,
    /// The figure; positive.
    pub value: f64,
    /// Whether the figure is only a bound, since the work was too fast for the program's clock: the real one is better.
    pub is_bound: bool,
    /// The share of the measured time that a step of the program's clock is, if it is known; or of the figure that its
    /// rounding is.
    pub clock_step: Option<f64>,
    /// Its unit; may be empty.
    pub unit: String,
    /// Which direction is better.
    pub better: Better,
    /// How long it ran and how much it did, where both are recorded and neither is in the name of the workload.
    pub extent: Option<Extent>,
    /// When it was measured, in seconds since any moment that all rows of its clock share.
    pub time: Option<f64>,
    /// The clock of that time: the order among times of other clocks is not known.
    pub clock: Clock,
    /// The machine on which it was measured.
    pub host: Option<String>,
    /// The file system that the result itself records.
    pub recorded: Option<String>,
    /// Whether what was written was durable when the clock stopped.
    pub durable: SyncedResult,
    /// The share of the syncs that were asked for, such as one after each write, that were done, if that is counted.
    pub synced: Option<f64>,
    /// Where what it read came from.
    pub reads: Reads,
    /// The share of what was written that the device got meanwhile, if that is counted.
    pub on_device: Option<f64>,
    /// What else is recorded about it by name, such as the kernel, that should be the same for all contenders.
    pub conditions: Arc<InputFacts>,
    /// What the result itself shows against the figure.
    pub notes: Vec<JudgedFinding>,
}

/// One or more runs of a program that are there as one part of an output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Run {
    /// Where it is.
    pub name: String,
    /// A digest of what the program printed, 0 if the figures alone identify it.
    pub digest: u64,
}

/// How long something ran and how much it did. Work that is the same has one of both: the time, if it was stopped
/// then, or the amount.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// The measured time.
    pub seconds: f64,
    /// Operations, or bytes.
    pub amount: f64,
}

/// What times are of.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clock {
    /// UTC.
    #[default]
    Universal,
    /// Seconds since a moment that nothing names.
    Number,
    /// Dates without an offset from UTC.
    Local,
    /// This file's own, which has no date.
    OfFile(String),
}

/// Whether what was written was durable when the clock stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SyncedResult {
    /// The result does not say.
    #[default]
    Unknown,
    /// It was synced within the measured time.
    Synced,
    /// It was not.
    NotSynced,
    /// Nothing was written.
    NothingWritten,
}

/// Where what a result read came from.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Reads {
    /// The result does not say.
    #[default]
    Unknown,
    /// Counters tell.
    Counted {
        /// Bytes that the work read.
        work: f64,
        /// Bytes that the device read meanwhile.
        device: f64,
    },
    /// The program had just written it, so it may still have been in memory.
    JustWritten,
    /// The device: by direct I/O, or after an unmount.
    Device,
    /// Nothing was read.
    Nothing,
}

impl Reads {
    /// The share of what was read that the device served.
    pub fn served(&self) -> Option<f64> {
        if let Self::Counted { work, device } = self { Some((device / work).min(1.0)) } else { None }
    }
}

impl Measured {
    /// A rate of a workload.
    pub(crate) fn rate(workload: impl Into<String>, value: f64, unit: &str) -> Self {
        Self { workload: workload.into(), value, unit: unit.to_owned(), ..Self::default() }
    }

    /// A time of a workload, in seconds.
    pub(crate) fn seconds(workload: impl Into<String>, value: f64) -> Self {
        Self { better: Better::Lower, ..Self::rate(workload, value, "s") }
    }

    /// The logarithm of the figure, larger is better.
    pub fn y(&self) -> f64 {
        self.better.oriented_ln(self.value)
    }

    /// Whether the result shows against itself that it is not of the work that it is called after.
    pub fn is_doubtful(&self) -> bool {
        self.notes.iter().any(|note| note.class == FindingClass::Work)
    }

    /// How far the logarithm of the figure may be off, since the clock counts in steps: infinite if the measured time
    /// may have been no step at all.
    pub fn uncertainty(&self) -> f64 {
        self.clock_step.map_or(0.0, |step| -(1.0 - step.min(1.0)).ln())
    }
}
