//! What changed between two sides of runs that were not interleaved, and whether that is a regression.

use serde::{Deserialize, Serialize};

use crate::comparison::DecisionInterval;
use crate::{Estimate, Label, Share, Verdict};

/// The number of the JSON form described in `interface.md`.
pub const FORMAT: u32 = 1;

/// Two sides, each of one or more runs, compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// [`FORMAT`].
    pub format: u32,
    /// The runs of the first side.
    pub before: Vec<SideRun>,
    /// The runs of the second side.
    pub after: Vec<SideRun>,
    /// Differences within this share count as equivalent.
    pub margin: Share,
    /// The contender that all others are relative to, if it was named.
    pub control: Option<Label>,
    /// How much the figures of one machine vary from session to session.
    pub drift: SessionDrift,
    /// By contender, then workload; the mean over all workloads last.
    pub changes: Vec<Change>,
    /// What the machine itself did: baselines and the lanes.
    pub machine: Vec<MachineChange>,
    /// What else differs between the sides.
    pub contrasts: Vec<Contrast>,
    /// What was not compared, and why.
    pub left_out: Vec<String>,
    /// Why nothing is decided, although there are figures; `None` if there is no such reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
}

/// A run of a side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideRun {
    /// What the user called it: its number, or a file.
    pub name: String,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// Rounds that were finished.
    pub rounds: u32,
}

/// How much the figures of one machine vary from session to session, and how that is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionDrift {
    /// The standard deviation of a session's figure.
    pub deviation: Share,
    /// What shows it.
    pub source: DriftSource,
}

impl SessionDrift {
    /// How much the machine drifts between runs, and how that is known, as a sentence.
    pub fn sentence(&self) -> String {
        let deviation = self.deviation;
        match self.source {
            DriftSource::Assumed => format!(
                "Nothing shows how much figures drift from run to run: a standard deviation of {deviation} is \
                 assumed. Several runs per side show it."
            ),
            DriftSource::Baselines => format!(
                "From run to run figures drift by a standard deviation of {deviation}, by what the baselines show \
                 and what is assumed. Several runs per side show it better."
            ),
            DriftSource::Repeats => format!(
                "From run to run figures drift by a standard deviation of {deviation}, by what several runs of a \
                 side show."
            ),
        }
    }
}

/// What shows the drift between sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriftSource {
    /// Nothing: it is assumed.
    Assumed,
    /// The baselines that both sides measured.
    Baselines,
    /// Several runs of the same side.
    Repeats,
}

/// The change of a contender in a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The workload's name; `None` for the geometric mean over all workloads.
    pub workload: Option<String>,
    /// The contender's label.
    pub contender: Label,
    /// The figure's unit.
    pub unit: String,
    /// The median of the first side; the geometric mean over its runs.
    pub before: Option<f64>,
    /// That of the second side.
    pub after: Option<f64>,
    /// How many times better the second side is, whatever the metric's direction. With the 95 % interval of this ratio
    /// alone, with the drift between sessions.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The interval that the verdict rests on.
    #[serde(flatten)]
    pub decision: DecisionInterval,
    /// The lower end of the 95 % interval without the drift: the noise within the runs.
    pub within_low: Option<f64>,
    /// The upper end.
    pub within_high: Option<f64>,
    /// The decision on the second side.
    pub verdict: Verdict,
    /// Why there is no other verdict, or a caveat to it; empty if there is none.
    pub reason: String,
    /// The smallest ratio, above 1, that these runs would have decided with a probability of 80 %.
    pub detectable: Option<f64>,
    /// Rounds of both sides, in all.
    pub rounds: [u32; 2],
}

/// A figure of the machine itself on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MachineChange {
    /// What was measured, such as `create-fsync in memory`.
    pub what: String,
    /// The unit.
    pub unit: String,
    /// The figure of the first side; the geometric mean over its runs.
    pub before: f64,
    /// That of the second side.
    pub after: f64,
    /// How many times better the second side is.
    pub ratio: f64,
}

/// A fact that is not the same on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contrast {
    /// Its name, such as `kernel`.
    pub what: String,
    /// What the first side has; empty if nothing.
    pub before: String,
    /// What the second side has.
    pub after: String,
}

/// The answer to "is it slower than before?".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// [`FORMAT`].
    pub format: u32,
    /// What is checked, in words: `run 12 against run 8`, `new against base in run 12`.
    pub title: String,
    /// Whether both were interleaved in one run.
    pub is_interleaved: bool,
    /// The slowdown that is tolerated.
    pub threshold: Share,
    /// The slowdown that each check has to be able to find, if one is required.
    pub requires_finds: Option<Share>,
    /// Whether the gate fails: a regression holds, or a check would not have found the required slowdown.
    pub failed: bool,
    /// The checks; the mean over all workloads last, for each contender.
    pub checks: Vec<GateCheck>,
    /// What has to be known about them, in sentences.
    pub notes: Vec<String>,
    /// What else differs.
    pub contrasts: Vec<Contrast>,
    /// What was not compared, and why.
    pub left_out: Vec<String>,
}

impl Gate {
    /// The gate that also fails if a check would not have found a slowdown of this size.
    #[must_use]
    pub fn requiring(self, slowdown: Option<Share>) -> Self {
        let gate = Self { requires_finds: slowdown, ..self };
        let failed = gate.checks.iter().any(|check| check.outcome == GateOutcome::Regression || gate.is_blind(check));
        Self { failed, ..gate }
    }

    /// Whether a check would not have found the required slowdown, and found none.
    pub fn is_blind(&self, check: &GateCheck) -> bool {
        let finds = |wanted: Share| check.finds_from.is_some_and(|from| from.0 <= wanted.0);
        check.outcome != GateOutcome::Regression && self.requires_finds.is_some_and(|wanted| !finds(wanted))
    }

    /// The checks with this outcome.
    pub fn of(&self, outcome: GateOutcome) -> impl Iterator<Item = &GateCheck> {
        self.checks.iter().filter(move |check| check.outcome == outcome)
    }
}

/// A contender in a workload, checked for a regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateCheck {
    /// The workload's name; `None` for the mean over all workloads.
    pub workload: Option<String>,
    /// The contender's label.
    pub contender: Label,
    /// How many times better it is than before. With the 95 % interval of this ratio alone.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The largest ratio that the test leaves open, corrected for the number of checks.
    pub at_most: Option<f64>,
    /// The answer.
    pub outcome: GateOutcome,
    /// Why there is no answer, or the workloads that the mean leaves out; empty if neither.
    pub reason: String,
    /// The smallest slowdown, a share, that would have been found with a probability of 80 %.
    pub finds_from: Option<Share>,
}

/// Whether a contender became slower than is tolerated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateOutcome {
    /// It is slower by more than the threshold.
    Regression,
    /// A regression beyond the threshold is excluded at 95 %.
    Passed,
    /// Neither is shown.
    Open,
    /// The figures cannot be compared.
    Invalid,
}
