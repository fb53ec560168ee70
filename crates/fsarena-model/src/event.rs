//! Events: everything that happens in a run, as one linear stream. Store, progress and log only receive them.

use serde::{Deserialize, Serialize};

use crate::trial::null_as_nan;
use crate::{Baseline, Conditions, ContenderFacts, Environment, Label, LaneCost, Plan, Status, Trial};

/// How much a note matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Something was skipped, retried, scaled or noisy.
    Warning,
    /// Something failed; the rest continued.
    Failure,
}

/// The result of checking a contender's file system after a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The round, from 1.
    pub round: u32,
    /// The contender's label.
    pub contender: Label,
    /// Whether the checker found no errors.
    pub clean: bool,
    /// The checker's output if it found errors; empty otherwise.
    pub output: String,
}

/// The machine over one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundFacts {
    /// The round, from 1.
    pub round: u32,
    /// Seconds from mkfs to the last check.
    #[serde(deserialize_with = "null_as_nan")]
    pub seconds: f64,
    /// Cores that programs other than this run kept busy, on average over the timed slices.
    pub foreign_cores: Option<f64>,
    /// Cores' worth of time that the hypervisor took, on average over the timed slices.
    pub steal_cores: Option<f64>,
    /// What a write and flush cost on the calibration device in this round.
    pub lane_cost: Option<LaneCost>,
    /// What slowed the machine down.
    #[serde(default)]
    pub conditions: Conditions,
}

/// A sentence for the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// How much it matters.
    pub severity: Severity,
    /// The sentence.
    pub text: String,
}

/// An event of a run. Rounds count from 1, times are RFC 3339 in UTC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the sentence of a variant has its fields")]
pub enum Event {
    /// The run of a plan begins at that time: always the first event.
    Started { plan: Box<Plan>, started: String },
    /// A run that had ended, or was interrupted, continues at that time. No event of its further rounds comes before
    /// this one.
    Resumed { at: String },
    /// A step of the preparation begins, with its description.
    Preparing(String),
    /// The machine was read.
    Surveyed(Box<Environment>),
    /// A contender was made and mounted for the first time.
    Contender(ContenderFacts),
    /// A round begins, of currently `expected` ones in all, with the workloads that are still open, in its order.
    RoundStarted { round: u32, expected: u32, workloads: Vec<String> },
    /// A workload begins within a round.
    WorkloadStarted { round: u32, workload: String },
    /// A trial ended.
    Trial(Box<Trial>),
    /// A baseline was measured.
    Baseline(Box<Baseline>),
    /// A file system was checked.
    Checked(Check),
    /// A round ended.
    RoundFinished(RoundFacts),
    /// So many of all pairs have a verdict, among them `new` ones, in words: `create-fsync: xfs faster than ext4, 1.31×`.
    Decided { decided: u32, pairs: u32, new: Vec<String> },
    /// A note for the report.
    Note(Note),
    /// Its user gave the run a tag.
    Tagged(String),
    /// Its user took a tag away.
    Untagged(String),
    /// The run ends: the last event, apart from tags and notes that its user adds later.
    Finished(Status),
}

impl Event {
    /// Whether it only shows progress: no record contains it, and no store keeps it.
    pub fn is_progress(&self) -> bool {
        use Event::{Decided, Preparing, RoundStarted, WorkloadStarted};
        matches!(self, Preparing(_) | RoundStarted { .. } | WorkloadStarted { .. } | Decided { .. })
    }
}
