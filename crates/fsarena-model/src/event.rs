//! Events: everything that happens in a run, as one linear stream. Store, progress and log only listen.

use serde::{Deserialize, Serialize};

use crate::{Conditions, ContenderFacts, Environment, Label, LaneCost, Plan, Reference, Status, Trial};

/// How much a note matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Something was skipped, retried, scaled or disturbed.
    Warning,
    /// Something failed; the rest went on.
    Failure,
}

/// The result of checking a contender's file system after a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// From 1.
    pub round: u32,
    /// The contender's label.
    pub contender: Label,
    /// Whether the checker found nothing wrong.
    pub clean: bool,
    /// The checker's own words where it did; empty otherwise.
    pub output: String,
}

/// The machine over one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundFacts {
    /// From 1.
    pub round: u32,
    /// Seconds from mkfs to the last check.
    pub seconds: f64,
    /// Cores that programs other than this run kept busy, on average over the timed slices.
    pub foreign_cores: Option<f64>,
    /// Cores' worth of time that the hypervisor took, on average over the timed slices.
    pub steal_cores: Option<f64>,
    /// What a write and flush cost on the spare lane in this round.
    #[serde(default)]
    pub lane_cost: Option<LaneCost>,
    /// What the machine was kept from doing.
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

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The first of all.
    Started {
        /// What will be done.
        plan: Box<Plan>,
        /// When, RFC 3339 in UTC.
        started: String,
    },
    /// A run that had ended, or was broken off, goes on; nothing of its further rounds was heard before.
    Resumed {
        /// When, RFC 3339 in UTC.
        at: String,
    },
    /// A part of the preparation begins, in words.
    Preparing(String),
    /// The machine was read.
    Surveyed(Box<Environment>),
    /// A contender was made and mounted for the first time.
    Contender(ContenderFacts),
    /// A round begins.
    RoundStarted {
        /// From 1.
        round: u32,
        /// Rounds that are expected in all, as things stand.
        expected: u32,
        /// Workloads that are still open, in this round's order.
        workloads: Vec<String>,
    },
    /// A workload begins within a round.
    WorkloadStarted {
        /// The round, from 1.
        round: u32,
        /// The workload's name.
        workload: String,
    },
    /// A trial ended.
    Trial(Box<Trial>),
    /// A reference was measured.
    Reference(Box<Reference>),
    /// A file system was checked.
    Checked(Check),
    /// A round ended.
    RoundFinished(RoundFacts),
    /// So many of the pairs are decided now.
    Decided {
        /// Pairs with a verdict.
        decided: u32,
        /// Pairs in all.
        pairs: u32,
        /// Those of them that were not before, in words: `create-fsync: xfs faster than ext4, 1.31×`.
        new: Vec<String>,
    },
    /// Something to be said in the report.
    Note(Note),
    /// The last of all.
    Finished(Status),
}
