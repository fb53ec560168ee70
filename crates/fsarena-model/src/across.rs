//! The same comparison on several machines: what holds on all of them, and what depends on the machine.

use serde::{Deserialize, Serialize};

use crate::comparison::DecisionInterval;
use crate::difference::{SessionDrift, SideRun};
use crate::{Estimate, Label, Share, Verdict};

/// The number of the JSON form described in `interface.md`.
pub const FORMAT: u32 = 1;

/// Several machines, each with one or more runs, compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Across {
    /// [`FORMAT`].
    pub format: u32,
    /// The machines, in the order in which they were named.
    pub machines: Vec<MachineRuns>,
    /// Machines without a result.
    pub missing: Vec<MissingMachine>,
    /// Differences within this share count as equivalent.
    pub margin: Share,
    /// How much a ratio of two contenders on one machine varies from session to session.
    pub drift: SessionDrift,
    /// By workload, then pair, in the order of the first run.
    pub pairs: Vec<AcrossPair>,
    /// What differs between the machines, apart from their figures.
    pub facts: Vec<MachineFact>,
    /// What was not compared, and why.
    pub left_out: Vec<String>,
    /// What has to be known about these machines, in sentences.
    pub notes: Vec<String>,
}

/// A machine and its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineRuns {
    /// Its host name, or else the names of its runs.
    pub name: String,
    /// The runs.
    pub runs: Vec<SideRun>,
}

/// A machine that was asked for and has no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingMachine {
    /// What was to start its agent.
    pub name: String,
    /// Why there is no result.
    pub why: String,
}

/// A pair of contenders in one workload on all machines, from the point of view of `a`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AcrossPair {
    /// The workload's name.
    pub workload: String,
    /// The contender that comes first in the first run.
    pub a: Label,
    /// The other contender.
    pub b: Label,
    /// The pair on each machine, in their order.
    pub machines: Vec<PairOnMachine>,
    /// What holds on each of these machines.
    pub verdict: Verdict,
    /// Why there is no other verdict, or a caveat to it; empty if there is none.
    pub reason: String,
    /// Whether it is proved that the ratio depends on the machine.
    pub depends: bool,
    /// The machines as a sample of machines like them; `None` with fewer than two that can be used.
    pub sample: Option<Sample>,
}

/// A pair on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairOnMachine {
    /// How many times better `a` is than `b`, whatever the metric's direction. With the 95 % interval of this ratio
    /// alone, with the drift between sessions.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The interval that the verdict for this machine rests on: it holds for all pairs together.
    #[serde(flatten)]
    pub decision: DecisionInterval,
    /// The verdict of the run, which holds for this session; of several runs the one that they share.
    pub session: Verdict,
    /// The verdict for this machine, with the drift between sessions.
    pub verdict: Verdict,
    /// Why there is no other verdict, or a caveat to it; empty if there is none.
    pub reason: String,
    /// Rounds in all.
    pub rounds: u32,
}

/// What several machines show about machines like them: a random-effects model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The geometric mean of the ratio over machines.
    pub ratio: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The lower end of the 95 % prediction interval of one further machine; `None` with two machines.
    pub further_low: Option<f64>,
    /// The upper end.
    pub further_high: Option<f64>,
    /// The standard deviation of the ratio between machines.
    pub deviation: Share,
    /// The share of the variation between the ratios that is one between machines (I²).
    pub share: Share,
    /// The p-value of the test that the ratio is the same on all machines.
    pub alike: f64,
}

/// A fact that is not the same on all machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineFact {
    /// Its name, such as `kernel`.
    pub what: String,
    /// What each machine has; empty if nothing.
    pub values: Vec<String>,
}
