//! A result of another tool.

use fsarena_model::Better;

/// One figure that was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Where it comes from: a file, and the place in it.
    pub source: String,
    /// What it is said to be a figure of.
    pub contender: String,
    /// What was done.
    pub workload: String,
    /// The figure; positive.
    pub value: f64,
    /// Its unit; may be empty.
    pub unit: String,
    /// Which direction is better.
    pub better: Better,
    /// When it was measured, in seconds since any moment that all rows share.
    pub time: Option<f64>,
    /// The machine on which it was measured.
    pub host: Option<String>,
    /// The file system that the result itself records.
    pub recorded: Option<String>,
    /// Whether what was written was durable when the clock stopped.
    pub durable: Durable,
    /// Bytes that it read, and that the device read meanwhile.
    pub reads: Option<Reads>,
}

/// Whether what was written was durable when the clock stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durable {
    /// The result does not say.
    Unknown,
    /// It was synced within the measured time.
    Synced,
    /// It was not.
    NotSynced,
    /// Nothing was written.
    NothingWritten,
}

/// Bytes that a result read, and that the device read meanwhile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reads {
    /// By the work.
    pub work: f64,
    /// By the device.
    pub device: f64,
}

impl Measured {
    /// The logarithm of the figure, larger is better.
    pub fn y(&self) -> f64 {
        self.better.oriented_ln(self.value)
    }
}
