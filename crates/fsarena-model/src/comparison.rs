//! The comparison: a run's figures and verdicts, ready to be printed. Its JSON form is the interface's `format` 1.

mod cell;
mod row;
mod scaling;
mod verdict;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use self::cell::{
    Cell, Change, Figure, Latencies, LatencyBucket, LatencyHistogram, LatencyOverTime, PerOperation, Point, Shares,
    Stability,
};
pub use self::row::{BaselineRow, Clock, ContenderRow, OpenLoop, WorkloadRow};
pub use self::scaling::{ScalingPair, ScalingPoint, ScalingRow};
pub use self::verdict::{
    DecisionInterval, EffectRow, Estimate, Medians, Needs, PairVerdict, Reason, StandingRow, SuiteRow, Verdict, too_few,
};
use crate::event::{Check, Note, RoundFacts};
use crate::explanation::{Explanation, TestedKnob};
use crate::visible::shell_line;
use crate::{Accelerator, Environment, Label, Recommendation, Status, Unavailable, VerificationRow};

/// The number of the JSON form described in `interface.md`.
pub const FORMAT: u32 = 1;

/// The results of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Which run it was.
    #[serde(flatten)]
    pub run: RunInfo,
    /// The machine.
    pub environment: Environment,
    /// In command-line order.
    pub contenders: Vec<ContenderRow>,
    /// In the suite's order.
    pub workloads: Vec<WorkloadRow>,
    /// By workload, then contender.
    pub cells: Vec<Cell>,
    /// Verdicts, and the rankings that follow from them.
    #[serde(flatten)]
    pub judged: Judged,
    /// How figures change with the number of clients.
    #[serde(flatten)]
    pub scaling: Scaling,
    /// Figures of the same work in memory, on the bare device, or as mere starts of programs.
    pub baselines: Vec<BaselineRow>,
    /// What was found when file systems and files were checked.
    #[serde(flatten)]
    pub checks: Checks,
    /// The machine, round by round.
    pub round_facts: Vec<RoundFacts>,
    /// Notes for the report.
    pub notes: Vec<Note>,
}

/// Which run it was, and how it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// [`FORMAT`].
    pub format: u32,
    /// The store's number.
    #[serde(rename = "run")]
    pub number: i64,
    /// Whether the run is complete.
    pub status: Status,
    /// The seed as a decimal string.
    pub seed: String,
    /// When it began, RFC 3339 in UTC.
    pub started: String,
    /// The suite's name, if one was run.
    pub suite: Option<String>,
    /// A sentence before all results: what the suite does not show. Empty if there is nothing to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub preface: String,
    /// Workloads of the suite that were not run, because programs are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<Unavailable>,
    /// The equivalence margin, 0 to 1.
    pub margin: f64,
    /// The SHA-256 of the plan.
    pub plan_hash: String,
    /// The arguments that repeat the run, starting with `fsarena`; a contender or workload from a file is given as that
    /// file.
    pub command: Vec<String>,
    /// Rounds that were finished.
    pub rounds: u32,
    /// How the guest's instructions were executed; absent if the run was not in a guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guest: Option<Accelerator>,
    /// What a guest's figures do not show, other load on the machine, and its consequence; absent if the run was on the
    /// machine itself and the machine was quiet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Why the run has no verdicts, and what to do for verdicts; absent if it has verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_verdicts: Option<String>,
}

impl RunInfo {
    /// Its command, as a shell takes it.
    pub fn command_line(&self) -> String {
        shell_line(&self.command)
    }
}

/// Verdicts, and the rankings that follow from them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// By workload, then pair.
    pub verdicts: Vec<PairVerdict>,
    /// By workload, then contender.
    pub standings: Vec<StandingRow>,
    /// Pairs of contenders with the same durability class, in command-line order; empty with fewer than two workloads.
    pub suite_ratios: Vec<SuiteRow>,
    /// What each option of a matrix changes, by matrix, workload and factor.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<EffectRow>,
    /// Why pairs differ, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub explanations: Vec<Explanation>,
    /// Whether options gain what the explanations predict, if that was tested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tested_knobs: Vec<TestedKnob>,
    /// The best contender for the reader's own mix, if one was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommendation: Option<Box<Recommendation>>,
}

/// How figures change with the number of clients.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// By workload, then contender.
    #[serde(rename = "scaling", default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<ScalingRow>,
    /// Which contender gains more from further clients, by workload, then pair.
    #[serde(rename = "scaling_pairs", default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<ScalingPair>,
}

/// What was found when file systems and files were checked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Checks {
    /// Results of comparing files with their expected content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verifications: Vec<VerificationRow>,
    /// Number of checks of file systems, after rounds, that found no errors.
    #[serde(rename = "clean_checks")]
    pub clean: u32,
    /// Checks of file systems that found damage.
    pub damage: Vec<Check>,
}

impl Comparison {
    /// The cell of `contender` in `workload`.
    pub fn cell(&self, workload: &str, contender: &Label) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.workload == workload && cell.contender == *contender)
    }

    /// The undecided pairs that would probably be decided if the run continued for `seconds` with its undecided pairs.
    pub fn decided_within(&self, seconds: f64) -> Vec<&PairVerdict> {
        let undecided: Vec<&PairVerdict> = self.judged.verdicts.iter().filter(|pair| pair.is_open()).collect();
        let mut shares: BTreeMap<&str, Option<f64>> = BTreeMap::new();
        for pair in &undecided {
            let share = shares.entry(&pair.workload).or_default();
            *share = share.or_else(|| Some(pair.needs.seconds? / missing_rounds(pair)?));
        }
        // A workload whose share is unknown counts with the mean of the others.
        let known: Vec<f64> = shares.values().flatten().copied().collect();
        let round = known.iter().sum::<f64>() / known.len().max(1) as f64 * shares.len() as f64;
        let decides = |pair: &&PairVerdict| missing_rounds(pair).is_some_and(|missing| missing * round <= seconds);
        if round > 0.0 { undecided.into_iter().filter(decides).collect() } else { Vec::new() }
    }
}

/// Number of further rounds that a pair probably needs, at least one; `None` if unknown.
fn missing_rounds(pair: &PairVerdict) -> Option<f64> {
    Some(f64::from(pair.needs.rounds?.saturating_sub(pair.rounds).max(1)))
}
