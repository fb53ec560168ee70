//! Why one contender is faster than another: the parts of the time that differ.

use serde::{Deserialize, Serialize};

use crate::{Label, Layer, Meanwhile, RequestKind, Spent, Wait};

/// Why one contender needs less time per operation than another, by traced slices of the same rounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Explanation {
    /// The workload's name.
    pub workload: String,
    /// The contender that needs more time.
    pub slower: Label,
    /// The other contender.
    pub faster: Label,
    /// Rounds in which both were traced.
    pub rounds: u32,
    /// Time per operation of the slower one in traced slices, in seconds.
    pub slower_seconds: f64,
    /// That of the faster one.
    pub faster_seconds: f64,
    /// Their difference, of which the differences of the parts are the summands.
    pub difference: Difference,
    /// The parts of the time, the largest difference first.
    pub parts: Vec<ExplainedPart>,
    /// The difference in the slices of the verdict, which are not traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untraced: Option<f64>,
    /// Whether an operation is a run of the program, since the figure is one that it prints.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_runs: bool,
    /// The share of the difference whose cause is known, 0 to 1.
    pub attributed: f64,
    /// The requests to the devices, by type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<ExplainedRequests>,
    /// By how much tracing lengthens an operation of the slower contender: 0.02 is 2 %.
    pub slower_overhead: Option<f64>,
    /// That of the faster one.
    pub faster_overhead: Option<f64>,
    /// What recording an event takes, in seconds. It is subtracted from the parts, whose intervals allow for its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_seconds: Option<f64>,
    /// What is left of the overhead of the slower contender after that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slower_remaining: Option<f64>,
    /// That of the faster one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faster_remaining: Option<f64>,
    /// Events that were recorded of both.
    pub recorded: u64,
    /// Events that the kernel did not record.
    pub lost: u64,
    /// Why only the time on processors is known; absent if everything was traced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited: Option<String>,
    /// Why the parts do not explain the verdict; absent if they do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
}

/// A test of the explanations: what an option gains by the traced slices of the contender without it, and by the
/// comparison with a contender that has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestedKnob {
    /// The workload's name.
    pub workload: String,
    /// The contender that was traced.
    pub with: Label,
    /// The contender that avoids a part of its work.
    pub without: Label,
    /// Rounds in which both were measured.
    pub rounds: u32,
    /// The share of the time that the option saves by the traced slices of the first contender: 0.1 is 10 %.
    pub predicted: f64,
    /// The share that it saves by the slices of both that were not traced; below 0 if it costs time.
    pub measured: f64,
    /// The lower end of the 95 % interval of what was measured; `None` with fewer rounds than a verdict needs.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl TestedKnob {
    /// By how much a prediction may miss.
    pub const TOLERANCE: f64 = 0.1;

    /// Whether the prediction is right, as far as the interval of what was measured decides: `None` if it has values
    /// that are within [`Self::TOLERANCE`] of the prediction, and others.
    pub fn agrees(&self) -> Option<bool> {
        let (low, high) = self.low.zip(self.high)?;
        let (least, most) = (self.predicted - Self::TOLERANCE, self.predicted + Self::TOLERANCE);
        match (least <= low && high <= most, high < least || most < low) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

/// A difference of times, in seconds per operation, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The time of the slower contender minus that of the faster one.
    pub seconds: f64,
    /// The lower end of the interval; `None` with fewer than two rounds.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// A part of the time in which two contenders differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedPart {
    /// What the work did.
    pub activity: Activity,
    /// Seconds per operation of the slower contender.
    pub slower_seconds: f64,
    /// Those of the faster one.
    pub faster_seconds: f64,
    /// The difference.
    pub difference: Difference,
    /// What happened while the work waited, the largest difference first; empty if it did not wait.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meanwhile: Vec<(Meanwhile, Difference)>,
}

/// What the work did, without what happened meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activity {
    /// [`Spent::User`].
    User,
    /// [`Spent::Kernel`].
    Kernel(Layer),
    /// [`Spent::Ready`].
    Ready,
    /// [`Spent::Waiting`].
    Waiting(Wait),
    /// [`Spent::Idle`].
    Idle,
    /// [`Spent::Unknown`].
    Unknown,
}

impl Explanation {
    /// The sum of the parts that do not say anything about the cause, in seconds per operation.
    pub fn unexplained(&self) -> f64 {
        self.parts.iter().filter(|part| !part.activity.is_known()).map(|part| part.difference.seconds).sum()
    }
}

impl ExplainedPart {
    /// What of the difference has no known cause: all of it, or what is waited for while something unknown happens.
    pub fn unknown(&self) -> Vec<Difference> {
        let is_unknown = |(happened, _): &&(Meanwhile, Difference)| *happened == Meanwhile::Unknown;
        match self.activity.is_known() {
            true => self.meanwhile.iter().filter(is_unknown).map(|(_, difference)| *difference).collect(),
            false => vec![self.difference],
        }
    }
}

impl Activity {
    /// Whether it says anything about the cause. Code of the kernel that is in no layer does not.
    pub fn is_known(self) -> bool {
        !matches!(self, Self::Unknown | Self::Waiting(Wait::Unknown) | Self::Kernel(Layer::Other))
    }
}

impl Spent {
    /// What the work did.
    pub fn activity(&self) -> Activity {
        match self {
            Self::User => Activity::User,
            Self::Kernel(layer) => Activity::Kernel(*layer),
            Self::Ready => Activity::Ready,
            Self::Waiting(wait, _) => Activity::Waiting(*wait),
            Self::Idle => Activity::Idle,
            Self::Unknown => Activity::Unknown,
        }
    }
}

/// How two contenders differ in requests of one type. The difference of the device's time per operation is the sum of
/// `by_count` and `by_duration`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplainedRequests {
    /// The type.
    pub kind: RequestKind,
    /// Requests per operation of the slower contender.
    pub slower_count: f64,
    /// Those of the faster one.
    pub faster_count: f64,
    /// Mean seconds of a request of the slower contender; `None` if the completions of too many were not seen.
    pub slower_duration: Option<f64>,
    /// That of the faster one.
    pub faster_duration: Option<f64>,
    /// Seconds per operation that more requests cost: the difference of the counts times the mean duration.
    pub by_count: Option<f64>,
    /// Seconds per operation that slower requests cost: the difference of the durations times the mean count.
    pub by_duration: Option<f64>,
}
